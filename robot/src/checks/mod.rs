//! Checks and measurements of one robot, which `xpuckd` runs instead of the control loop.

pub mod bench;
pub mod calibrate;
pub mod conformance;
pub mod latency;
pub mod selftest;
