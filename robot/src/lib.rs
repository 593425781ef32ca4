//! One robot: its devices, camera vision, the 10 Hz control loop, onboard evolution and the link to the hub.
//!
//! [`core`] decides, [`daemon`] does: the core is a plain state machine without clocks, sockets or devices.

pub mod bench;
pub mod board;
pub mod body_link;
pub mod calibrate;
pub mod calibration;
pub mod conditioning;
pub mod config;
pub mod conformance;
pub mod daemon;
pub mod device;
pub mod devices;
pub mod external;
pub mod groot;
pub mod hardware;
mod health;
pub mod histogram;
pub mod lamps;
pub mod latency;
pub mod lens;
#[cfg(feature = "apriltag")]
mod linear;
#[cfg(feature = "apriltag")]
pub mod markers;
mod memory;
pub mod onboard;
pub mod pace;
pub mod peers;
#[cfg(feature = "apriltag")]
pub mod planar;
pub mod poller;
pub mod selftest;
pub mod sensors;
pub mod settings;
pub mod slots;
mod snapshot;
#[cfg(feature = "apriltag")]
pub mod synthetic;
#[cfg(feature = "apriltag")]
mod tag_sense;
#[cfg(feature = "apriltag")]
mod tag_watch;
#[cfg(feature = "apriltag")]
pub mod tags;
mod trust;
pub mod update;
pub mod vision;

pub use xpuck_robot_core::{controller, core};
