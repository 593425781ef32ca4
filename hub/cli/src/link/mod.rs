//! Address of the hub for a command, and the link to it.

pub mod hub_address;
pub mod running;
