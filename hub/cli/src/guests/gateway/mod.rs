//! Protocols of other makers' programs: servers for them, and a viewer of servers with these protocols.

pub mod address;
pub mod draw_path;
pub mod serve;
pub mod watch;
