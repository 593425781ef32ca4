//! Record of a run: births with parents and operators, migrations, and all fitness samples.
//!
//! A record is an MCAP file (<https://mcap.dev/spec>) that grows by one chunk per generation. A chunk contains one JSON
//! message, a [`Generation`], and is compressed with zstd. An end section follows the last chunk; the next chunk
//! overwrites it. Between two generations the file is therefore complete for every MCAP reader. If a file ends within a
//! chunk, [`Reader`] reads it up to the previous chunk.

mod data;
mod exact;
mod read;
mod write;

pub use data::{Birth, Generation, Island, Sample};
pub use read::{Reader, RecordError, refuse_older};
pub use write::{chunk, end, header};
