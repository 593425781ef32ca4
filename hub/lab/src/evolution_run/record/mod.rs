//! The record of a run: who was born, of whom and how, who migrated, and every sample of everybody's fitness.
//!
//! An MCAP file (<https://mcap.dev/spec>) that grows by a chunk a generation: one message of JSON, a [`Generation`],
//! compressed with zstd. Behind the last chunk stands the file's end, which the next chunk overwrites, so that between
//! two generations every MCAP reader finds it whole. A file that ends within a chunk is read up to the chunk before.

mod data;
mod exact;
mod read;
mod write;

pub use data::{Birth, Generation, Island, Sample};
pub use read::{Reader, RecordError, refuse_older};
pub use write::{chunk, end, header};
