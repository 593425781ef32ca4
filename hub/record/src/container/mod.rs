//! MCAP's container at the level of bytes: chunks, what stands between them, and what is left of files that were cut or damaged.

pub(crate) mod between;
pub(crate) mod channels;
pub(crate) mod chunk;
mod foreign;
pub(crate) mod mcap_file;
pub(crate) mod reader;
pub(crate) mod scan;
pub mod survey;
