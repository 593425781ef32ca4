//! One robot: its devices, camera vision, the 10 Hz control loop, onboard evolution and the link to the hub.
//!
//! [`core`] decides, [`daemon`] does: the core is a plain state machine without clocks, sockets or devices.

pub mod bench;
pub mod config;
pub mod conformance;
pub mod controller;
pub mod core;
pub mod daemon;
pub mod device;
pub mod genes;
pub mod groot;
pub mod hardware;
pub mod link;
pub mod markers;
pub mod onboard;
pub mod selftest;
pub mod vision;
