//! What one robot decides, as plain state machines: time and messages go in, actions come out. They know no device,
//! clock, socket or thread, so `xpuckd` runs them on a robot and the hub's microscope runs nine of them at once.

pub mod controller;
pub mod core;
pub mod inhabitant;
pub mod lease;
pub mod readings;
