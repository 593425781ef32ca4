//! One robot: its devices, camera vision, the 10 Hz control loop, onboard evolution and the link to the hub.
//!
//! [`core`] makes the robot's decisions. It is a state machine without clocks, sockets or devices. [`daemon`] executes
//! the decisions.

pub mod board;
pub mod body;
pub mod calibration;
pub mod checks;
pub mod config;
pub mod daemon;
pub mod device;
pub mod external;
pub mod groot;
mod health;
pub mod histogram;
mod memory;
pub mod onboard;
pub mod pace;
pub mod peers;
pub mod settings;
mod trust;
pub mod update;
pub mod vision;

pub use xpuck_robot_core::{controller, core};
