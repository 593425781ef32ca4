//! Physics of simulated worlds: friction, contacts and motion noise of bodies.

pub(crate) mod contacts;
mod floor;
mod motion;
mod parameters;
mod step;

pub use floor::{FrictionParams, floor_friction};
pub(crate) use floor::{apply_impulses, contact_slips, slip_impulse, stop_speed_squared, stopping_impulse};
pub use motion::{check_wheels, integrate, motion_noise, steer};
pub use parameters::Physics;
pub use step::step;
pub(crate) use step::step_with;
