//! Recording thread: queue, growing files, and disk limits.

pub mod budget;
pub(crate) mod job;
pub(crate) mod thread;
mod writer;
