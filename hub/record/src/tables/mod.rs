//! Export of records as tables: CSV and Parquet.

mod births;
pub mod export;
pub mod parquet;
pub mod table;
mod updates;
