//! Images of robots' boards and the cards that are written with them.
//!
//! An image is one file: a signed bundle ([`xpuck_update::bundle`]) whose payload is the board's whole root as a compressed
//! tar archive, the same for every robot. A card gets its partitions, its file system and the robot's identity when it is
//! written ([`flash`]), so that an image is the same bytes whenever it is built from the same packages, and the same file
//! serves for cards and for updates.

pub mod board;
pub mod build;
pub mod card;
pub mod device;
pub mod flash;
pub mod identity;
mod initramfs;
mod tools;

pub use board::Board;
pub use tools::ToolError;

/// What a long piece of work tells about itself.
pub trait Progress {
    /// A step begins; its name is shown until the next.
    fn step(&mut self, name: &str);
    /// So many of so many bytes of the step are done.
    fn bytes(&mut self, done: u64, all: u64);
}

/// Tells nobody.
pub struct Silent;

impl Progress for Silent {
    fn step(&mut self, _: &str) {}
    fn bytes(&mut self, _: u64, _: u64) {}
}
