//! Builds images for robots' boards, and writes cards with these images.
//!
//! An image is a signed bundle ([`xpuck_update::bundle`]) in one file. Its payload is the board's whole root as a
//! compressed tar archive, which is the same for every robot. Partitions, file system and the robot's identity are
//! created when a card is written ([`flash`]). Builds from the same packages therefore give the same bytes, and the
//! same image can be used for cards and for updates.

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
    /// Reports the start of a step. The name of the step is shown until the next step starts.
    fn step(&mut self, name: &str);
    /// Reports that `done` of `all` bytes of the current step are complete.
    fn bytes(&mut self, done: u64, all: u64);
}

/// Receiver that ignores all progress.
pub struct Silent;

impl Progress for Silent {
    fn step(&mut self, _: &str) {}
    fn bytes(&mut self, _: u64, _: u64) {}
}
