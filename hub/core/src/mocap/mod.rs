//! Poses of named bodies from any motion-capture system: as received ([`RawFrame`]), and after the plausibility
//! checks of [`gates`] ([`Frame`]).

pub mod gates;
pub mod names;
pub mod reference;

use xpuck_kernels::world::Pose;

/// Maximum length of a body name that a client accepts (bytes); each frame contains the names of all its bodies.
pub const MAX_NAME: usize = 256;

/// Body as received, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct RawBody {
    /// Subject name.
    pub name: String,
    /// Position, with z up (m).
    pub place: [f64; 3],
    /// Rotation matrix, in row-major order.
    pub rotation: [f64; 9],
    /// Quality, 0 (worst) to 1, if the protocol has it.
    pub quality: Option<f64>,
    /// Age of the pose when the frame was sent (s).
    pub age_s: f64,
}

/// Frame as received, unchecked; hidden bodies are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawFrame {
    /// Frame number; equal numbers mean the same frame.
    pub number: u32,
    /// Time of the frame on the system's clock (s).
    pub time_s: f64,
    /// Visible bodies.
    pub bodies: Vec<RawBody>,
}

/// Body in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    /// Subject name.
    pub name: String,
    /// Pose on the floor.
    pub pose: Pose,
}

/// Frame of accepted poses; hidden bodies are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Frame number of the system.
    pub number: u32,
    /// Visible bodies.
    pub bodies: Vec<Tracked>,
}

impl Frame {
    /// Pose of a body, if it is visible.
    pub fn pose(&self, name: &str) -> Option<Pose> {
        self.bodies.iter().find(|b| b.name == name).map(|b| b.pose)
    }
}
