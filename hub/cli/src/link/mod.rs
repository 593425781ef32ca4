//! Address of the hub to which a command is sent, and the link to the hub.

pub mod hub_address;
pub mod running;
