//! The recorder's own thread: what comes, files that grow, and how much of a disk they may take.

pub mod budget;
pub(crate) mod job;
pub(crate) mod thread;
mod writer;
