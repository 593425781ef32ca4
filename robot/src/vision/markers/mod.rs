//! Square markers in the camera's picture and their poses (thesis 5.4): AprilTags of the family 36h11.
//!
//! Poses are in the camera's coordinate frame with the robot's axes (m). The origin is the pinhole, x points ahead, y
//! to the left and z up. The lens is the calibrated lens ([`Lens`]) or, without a calibration, an ideal pinhole.

use crate::device::Frame;
use crate::device::apriltag::{Detector, Tag};
use crate::vision::lens::Lens;
use crate::vision::planar;
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// Decision margin below which a tag counts as noise (luma).
const MARGIN: f32 = 10.0;

/// Marker in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// Number of the marker in the family (0..=586).
    pub id: u16,
    /// Centre, from the frame's upper left corner (pixels).
    pub centre: [f64; 2],
    /// Corners in the order lower left, lower right, upper right, upper left (pixels). The names apply to an upright
    /// marker.
    pub corners: [[f64; 2]; 4],
    /// Pose of the marker.
    pub pose: Pose,
}

/// Pose of a marker in the camera's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the centre: ahead, left, up (m).
    pub at: [f64; 3],
    /// Unit vector along the marker's rows, to the right for a viewer of its printed face.
    pub right: [f64; 3],
    /// Unit vector along the marker's columns, upwards for a viewer of its printed face.
    pub up: [f64; 3],
    /// Unit normal of the printed face.
    pub outward: [f64; 3],
}

impl Pose {
    /// Returns the distance of the marker's centre from the pinhole (m).
    pub fn range(&self) -> f64 {
        self.at.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Returns the direction of the marker's centre in the floor plane, to the left of straight ahead (rad).
    pub fn bearing(&self) -> f64 {
        self.at[1].atan2(self.at[0])
    }
}

/// Marker detector.
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
    /// Creates a detector for markers of `tag_size` (m) between black edges. The detector searches for outlines in a
    /// picture that is reduced by the factor `decimate` (1..=4). For 640 x 480 pixels, 2 is suitable: it nearly halves
    /// the detection time, but also reduces the range.
    pub fn new(tag_size: f64, decimate: u8) -> Markers {
        let detector = Detector::new(decimate);
        Markers { detector, tag_size, lens: None, luma: Vec::new(), found: Vec::new(), doubled: 0 }
    }

    /// Creates a detector with the robot's settings for frames of this width (pixels). In frames of at least 640
    /// pixels, the camera's full width, the detector searches for outlines at half the resolution.
    pub fn for_frames(tag_size: f64, width: usize) -> Markers {
        Markers::new(tag_size, if width >= 640 { 2 } else { 1 })
    }

    /// Sets the lens from which poses are computed. `None`: an ideal pinhole with a horizontal field of view of 56
    /// degrees.
    pub fn with_lens(self, lens: Option<Lens>) -> Markers {
        Markers { lens, ..self }
    }

    /// Detects the markers in a frame, at most [`MAX_TAGS`](crate::device::apriltag::MAX_TAGS). If several markers
    /// have the same id, all of them are discarded and counted in [`doubled`](Markers::doubled), because only one of
    /// them can be genuine.
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

    /// Returns the number of markers that were discarded because their id appeared more than once in a frame.
    pub fn doubled(&self) -> u64 {
        self.doubled
    }
}

/// Converts a tag to a marker with its pose in the robot's axes. Returns `None` if the tag is probably noise, or has no
/// valid pose.
fn marker(tag: &Tag, lens: &Lens, tag_size: f64) -> Option<Marker> {
    let id = u16::try_from(tag.id).ok()?;
    if tag.margin < MARGIN {
        return None;
    }
    let half = tag_size / 2.0;
    let square = [[-half, half], [half, half], [half, -half], [-half, -half]];
    let mut points = square.map(|on| (on, [0.0; 2]));
    points.iter_mut().zip(tag.corners).for_each(|((_, slopes), corner)| *slopes = lens.slopes(corner));
    let told = planar::fit(&points)?;
    let axis = |column: usize, sign: f64| turned(told.rotation.map(|row| sign * row[column]));
    let pose = Pose { at: turned(told.at), right: axis(0, 1.0), up: axis(1, -1.0), outward: axis(2, -1.0) };
    let sound = pose.at.iter().chain(&pose.outward).all(|x| x.is_finite()) && pose.at[0] > 0.0;
    sound.then_some(Marker { id, centre: tag.centre, corners: tag.corners, pose })
}

/// Converts a vector from the tag library's axes (right, down, ahead) to the robot's axes (ahead, left, up).
fn turned([right, down, ahead]: [f64; 3]) -> [f64; 3] {
    [ahead, -right, -down]
}

#[cfg(test)]
mod tests;
