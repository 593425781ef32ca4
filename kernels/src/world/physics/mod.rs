//! Physics: friction, contacts and motion noise of bodies.

pub(crate) mod contacts;
mod floor;
mod motion;
mod parameters;
mod step;

pub use floor::{Footing, floor_friction};
pub(crate) use floor::{grip, pushed, slips, stopping, stops};
pub use motion::{check_wheels, integrate, motion_noise, steer};
pub use parameters::Physics;
pub use step::step;
pub(crate) use step::step_with;
