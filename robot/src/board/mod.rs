//! Board that runs the robot's program. The modules control its processors, its clocks, and its connection to the
//! access point.
//!
//! `xpuckd power` and `xpuckd wifi` run as separate services, because they need other privileges than the robot's
//! program.

pub mod power;
pub mod processors;
mod table;
pub mod wifi;
pub mod wifi_keeper;
