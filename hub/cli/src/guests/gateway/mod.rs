//! Protocols of other makers' programs. `xpuck` serves these programs as clients. Its command `dev watch` is a client
//! of servers with the same protocols.

pub mod address;
pub mod draw_path;
pub mod serve;
pub mod watch;
