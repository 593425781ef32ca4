//! Record of a run: births with parents and operators, migrations, and all fitness samples.
//!
//! An MCAP file (<https://mcap.dev/spec>) that grows by one chunk per generation: one message of JSON, a
//! [`Generation`], compressed with zstd. The file's end follows the last chunk and is overwritten by the next one.
//! Between two generations the file is therefore complete for every MCAP reader. A file that ends within a chunk is
//! read up to the previous chunk.

mod data;
mod exact;
mod read;
mod write;

pub use data::{Birth, Generation, Island, Sample};
pub use read::{Reader, RecordError, refuse_older};
pub use write::{chunk, end, header};
