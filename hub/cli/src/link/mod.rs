//! Address of the hub that a command is for, and the link to it.

pub mod hub_address;
pub mod running;
