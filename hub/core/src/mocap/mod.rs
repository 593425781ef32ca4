//! Poses of named bodies from any motion-capture system. [`RawFrame`] contains the poses as received, and [`Frame`]
//! contains the poses that pass the plausibility checks of [`gates`].

pub mod gates;
pub mod names;
pub mod reference;

use xpuck_kernels::world::Pose;

/// Maximum length of a body name that a client accepts (bytes). Each frame contains the names of all its bodies.
pub const MAX_NAME: usize = 256;

/// Body as received, before any check.
#[derive(Clone, Debug, PartialEq)]
pub struct RawBody {
    /// Subject name.
    pub name: String,
    /// Position, with z up (m).
    pub place: [f64; 3],
    /// Rotation matrix, in row-major order.
    pub rotation: [f64; 9],
    /// Quality, 0 (worst) to 1; `None` if the protocol does not report a quality.
    pub quality: Option<f64>,
    /// Age of the pose when the frame was sent (s).
    pub age_s: f64,
}

/// Frame as received, before any check. It does not contain hidden bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawFrame {
    /// Frame number. Equal numbers denote the same frame.
    pub number: u32,
    /// Time of the frame on the motion-capture system's clock (s).
    pub time_s: f64,
    /// Visible bodies.
    pub bodies: Vec<RawBody>,
}

/// Body with an accepted pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    /// Subject name.
    pub name: String,
    /// Pose on the floor.
    pub pose: Pose,
}

/// Frame of accepted poses. It does not contain hidden bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Frame number of the motion-capture system.
    pub number: u32,
    /// Visible bodies.
    pub bodies: Vec<Tracked>,
}

impl Frame {
    /// Returns the pose of a body, or `None` if the body is not visible.
    pub fn pose(&self, name: &str) -> Option<Pose> {
        self.bodies.iter().find(|b| b.name == name).map(|b| b.pose)
    }
}
