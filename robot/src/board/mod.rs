//! The board that a robot's program runs on: the clocks of its processors, and its way to the access point.
//!
//! Both are services of their own beside the robot's program, with other rights; `xpuckd power` and `xpuckd wifi` run them.

pub mod power;
pub mod wifi;
pub mod wifi_keeper;
