//! The board that a robot's program runs on: its processors and their clocks, and its way to the access point.
//!
//! Clocks and access point are services of their own beside the robot's program, with other rights; `xpuckd power` and `xpuckd wifi` run them.

pub mod power;
pub mod processors;
mod table;
pub mod wifi;
pub mod wifi_keeper;
