//! Recording thread: its job queue, the files that it writes, and the disk limits.

pub mod budget;
pub(crate) mod job;
pub(crate) mod thread;
mod writer;
