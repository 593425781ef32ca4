//! Images of robots' boards, and the cards written with them.
//!
//! An image is one file: a signed bundle ([`xpuck_update::bundle`]) whose payload is the board's whole root as a
//! compressed tar archive, the same for every robot. Partitions, file system and the robot's identity are created
//! when a card is written ([`flash`]). Therefore builds from the same packages give the same bytes, and one file
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

/// Receiver of the progress of a long operation.
pub trait Progress {
    /// Starts a step; its name is shown until the next step.
    fn step(&mut self, name: &str);
    /// Reports that `done` of `all` bytes of the step are complete.
    fn bytes(&mut self, done: u64, all: u64);
}

/// Ignores all progress.
pub struct Silent;

impl Progress for Silent {
    fn step(&mut self, _: &str) {}
    fn bytes(&mut self, _: u64, _: u64) {}
}
