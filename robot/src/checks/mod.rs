//! Checks and measurements of one robot, which `xpuckd` runs in place of the control loop.

pub mod bench;
pub mod calibrate;
pub mod conformance;
pub mod latency;
pub mod selftest;
