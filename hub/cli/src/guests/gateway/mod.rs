//! Protocols of other makers' programs. `xpuck` has servers for these programs, and a viewer of servers with the same
//! protocols.

pub mod address;
pub mod draw_path;
pub mod serve;
pub mod watch;
