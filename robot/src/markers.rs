//! Square markers in the camera's picture, with their poses (thesis 5.4): AprilTags of the family 36h11.
//!
//! Poses are in the camera's frame with the robot's axes: the origin is the pinhole, x points ahead, y to the left and
//! z up, in metres. The lens is a pinhole without distortion, which a 56 degree lens is near enough to.

use crate::device::Frame;
use crate::device::apriltag::{Detector, Lens, Tag};
use xpuck_kernels::model::CAMERA_FOV;
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
    luma: Vec<u8>,
    found: Vec<Marker>,
}

impl Markers {
    /// Looks for markers of `tag_size` m from black edge to black edge. Outlines are sought in a picture shrunk by
    /// `decimate`, 1 to 4: 2 suits 640 x 480, where it takes little more than half the time and shortens the
    /// reach.
    pub fn new(tag_size: f64, decimate: u8) -> Markers {
        Markers { detector: Detector::new(decimate), tag_size, luma: Vec::new(), found: Vec::new() }
    }

    /// The markers in a frame, at most [`MAX_TAGS`](crate::device::apriltag::MAX_TAGS). The camera sees 56 degrees over
    /// the frame's width, whatever its size.
    pub fn detect(&mut self, frame: &Frame) -> &[Marker] {
        let (width, height) = (frame.width() as f64, frame.height() as f64);
        let focal = width / 2.0 / (f64::from(CAMERA_FOV) / 2.0).tan();
        let lens = Lens { tag_size: self.tag_size, focal, centre_x: width / 2.0, centre_y: height / 2.0 };
        self.luma.clear();
        self.luma.extend(frame.bytes().iter().step_by(BYTES_PER_PIXEL));
        self.found.clear();
        self.found.extend(self.detector.detect(&mut self.luma, frame.width(), &lens).iter().filter_map(marker));
        &self.found
    }
}

/// A tag in the robot's axes; none if it is more likely noise.
fn marker(tag: &Tag) -> Option<Marker> {
    let axis = |column: usize, sign: f64| turned(tag.rotation.map(|row| sign * row[column]));
    let pose = Pose { at: turned(tag.translation), right: axis(0, 1.0), up: axis(1, -1.0), outward: axis(2, -1.0) };
    let sound = tag.margin >= MARGIN && pose.at.iter().chain(&pose.outward).all(|x| x.is_finite());
    let id = u16::try_from(tag.id).ok()?;
    sound.then_some(Marker { id, centre: tag.centre, corners: tag.corners, pose })
}

/// From the library's camera axes (right, down, ahead) to the robot's (ahead, left, up).
fn turned([right, down, ahead]: [f64; 3]) -> [f64; 3] {
    [ahead, -right, -down]
}

#[cfg(test)]
mod tests;
