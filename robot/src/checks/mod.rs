//! Checks and measurements of one robot. `xpuckd` runs them instead of the control loop.

pub mod bench;
pub mod calibrate;
pub mod conformance;
pub mod latency;
pub mod selftest;
