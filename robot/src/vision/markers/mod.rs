//! Square markers in the camera's picture, with their poses (thesis 5.4): AprilTags of the family 36h11.
//!
//! Poses are in the camera's frame with the robot's axes: the origin is the pinhole, x points ahead, y to the left and
//! z up, in metres. The lens is the one that was measured ([`Lens`]), or a perfect pinhole where none was.

use crate::device::Frame;
use crate::device::apriltag::{Detector, Tag};
use crate::vision::lens::Lens;
use crate::vision::planar;
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// Tags whose bits are nearer to being read otherwise than this, in units of luma, are taken for noise.
const MARGIN: f32 = 10.0;

/// A marker in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// Its number in the family, 0..=586.
    pub id: u16,
    /// Its centre, pixels right of and below the frame's upper left corner.
    pub centre: [f64; 2],
    /// Its corners, likewise: lower left, lower right, upper right and upper left of the marker when it stands upright.
    pub corners: [[f64; 2]; 4],
    /// Where it is and how it is turned.
    pub pose: Pose,
}

/// Where a marker is and how it is turned, in the camera's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Its centre, m ahead, to the left and up.
    pub at: [f64; 3],
    /// Unit vector along its rows, to the right of who reads it.
    pub right: [f64; 3],
    /// Unit vector along its columns, upwards for who reads it.
    pub up: [f64; 3],
    /// Unit vector out of its printed face.
    pub outward: [f64; 3],
}

impl Pose {
    /// Distance from the pinhole, m.
    pub fn range(&self) -> f64 {
        self.at.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Direction in the plane of the floor, rad to the left of straight ahead.
    pub fn bearing(&self) -> f64 {
        self.at[1].atan2(self.at[0])
    }
}

/// Finds markers.
#[derive(Debug)]
pub struct Markers {
    detector: Detector,
    tag_size: f64,
    lens: Option<Lens>,
    luma: Vec<u8>,
    found: Vec<Marker>,
    doubled: u64,
}

impl Markers {
    /// Looks for markers of `tag_size` m from black edge to black edge. Outlines are sought in a picture shrunk by
    /// `decimate`, 1 to 4: 2 suits 640 x 480, where it takes little more than half the time and shortens the
    /// reach.
    pub fn new(tag_size: f64, decimate: u8) -> Markers {
        let detector = Detector::new(decimate);
        Markers { detector, tag_size, lens: None, luma: Vec::new(), found: Vec::new(), doubled: 0 }
    }

    /// As the robot looks for them in frames of this width: where the camera gives its full 640 pixels, outlines are sought
    /// in half of it.
    pub fn for_frames(tag_size: f64, width: usize) -> Markers {
        Markers::new(tag_size, if width >= 640 { 2 } else { 1 })
    }

    /// Uses this lens for poses; without one, a perfect pinhole that sees 56 degrees over a frame's width.
    pub fn with_lens(self, lens: Option<Lens>) -> Markers {
        Markers { lens, ..self }
    }

    /// The markers in a frame, at most [`MAX_TAGS`](crate::device::apriltag::MAX_TAGS). Where one id is seen at two
    /// places, a copy hangs somewhere: neither is believed, and [`doubled`](Markers::doubled) counts.
    pub fn detect(&mut self, frame: &Frame) -> &[Marker] {
        let (width, height) = (frame.width(), frame.height());
        let lens = self.lens.map_or_else(|| Lens::nominal(width, height), |lens| lens.scaled(width, height));
        self.luma.clear();
        self.luma.extend(frame.bytes().iter().step_by(BYTES_PER_PIXEL));
        self.found.clear();
        let tags = self.detector.detect(&mut self.luma, width);
        self.found.extend(tags.iter().filter_map(|tag| marker(tag, &lens, self.tag_size)));
        self.found.sort_by_key(|marker| marker.id);
        let twice: Vec<u16> = self.found.windows(2).filter(|w| w[0].id == w[1].id).map(|w| w[0].id).collect();
        if !twice.is_empty() {
            let before = self.found.len();
            self.found.retain(|marker| !twice.contains(&marker.id));
            self.doubled += (before - self.found.len()) as u64;
        }
        &self.found
    }

    /// Markers that were not believed because another with the same id was in the same frame.
    pub fn doubled(&self) -> u64 {
        self.doubled
    }
}

/// A tag in the robot's axes; none if it is more likely noise.
fn marker(tag: &Tag, lens: &Lens, tag_size: f64) -> Option<Marker> {
    let id = u16::try_from(tag.id).ok()?;
    if tag.margin < MARGIN {
        return None;
    }
    let half = tag_size / 2.0;
    let square = [[-half, half], [half, half], [half, -half], [-half, -half]];
    let mut points = square.map(|on| (on, [0.0; 2]));
    points.iter_mut().zip(tag.corners).for_each(|((_, slopes), corner)| *slopes = lens.slopes(corner));
    let told = planar::best(&points)?;
    let axis = |column: usize, sign: f64| turned(told.rotation.map(|row| sign * row[column]));
    let pose = Pose { at: turned(told.at), right: axis(0, 1.0), up: axis(1, -1.0), outward: axis(2, -1.0) };
    let sound = pose.at.iter().chain(&pose.outward).all(|x| x.is_finite()) && pose.at[0] > 0.0;
    sound.then_some(Marker { id, centre: tag.centre, corners: tag.corners, pose })
}

/// From the library's camera axes (right, down, ahead) to the robot's (ahead, left, up).
fn turned([right, down, ahead]: [f64; 3]) -> [f64; 3] {
    [ahead, -right, -down]
}

#[cfg(test)]
mod tests;
