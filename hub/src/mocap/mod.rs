//! Motion capture: poses of named bodies, whatever system they come from.

pub mod client;
pub mod vicon;

use xpuck_kernels::world::Pose;

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
