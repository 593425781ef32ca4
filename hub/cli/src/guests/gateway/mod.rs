//! Protocols of other makers' programs: servers for them, guests of the arena, and a viewer of such servers.

pub mod address;
pub mod arena;
pub mod draw_path;
pub mod serve;
pub mod watch;
