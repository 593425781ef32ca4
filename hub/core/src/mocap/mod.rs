//! Poses of named bodies, whatever system they come from: as a system tells them ([`RawFrame`]), and as the hub believes them
//! ([`Frame`]) after [`gates`] let pass what can be true.

pub mod gates;
pub mod names;
pub mod reference;

use xpuck_kernels::world::Pose;

/// Longest name of a body that a client accepts, in bytes: each frame carries the names of all its bodies.
pub const MAX_NAME: usize = 256;

/// One body as a system tells it, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct RawBody {
    /// The subject's name.
    pub name: String,
    /// Place, m; z is up.
    pub place: [f64; 3],
    /// Rotation matrix, row by row.
    pub rotation: [f64; 9],
    /// 0 (worst) to 1, where the protocol has it.
    pub quality: Option<f64>,
    /// How old the pose was when the frame was sent, s.
    pub age_s: f64,
}

/// One frame as a system tells it, unchecked; bodies that are hidden are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawFrame {
    /// The frame's number; the same number again is the same frame.
    pub number: u32,
    /// Its moment on the system's clock, s.
    pub time_s: f64,
    /// The bodies seen.
    pub bodies: Vec<RawBody>,
}

/// One body in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    /// The subject's name.
    pub name: String,
    /// Its pose on the floor.
    pub pose: Pose,
}

/// One frame; bodies that are hidden are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The system's frame number.
    pub number: u32,
    /// The bodies seen.
    pub bodies: Vec<Tracked>,
}

impl Frame {
    /// The pose of a body, if it is seen.
    pub fn pose(&self, name: &str) -> Option<Pose> {
        self.bodies.iter().find(|b| b.name == name).map(|b| b.pose)
    }
}
