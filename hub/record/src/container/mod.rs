//! MCAP container at byte level: chunks, records between them, and recovery of truncated or damaged files.

pub(crate) mod channels;
pub(crate) mod chunk;
mod foreign;
pub(crate) mod framing;
pub(crate) mod mcap_file;
pub(crate) mod reader;
pub(crate) mod scan;
pub mod survey;
