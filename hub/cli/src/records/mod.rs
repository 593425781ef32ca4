//! Recorded runs, and folders of results.

pub mod calibrate;
pub mod calibrate_record;
pub mod lineage;
pub mod lineage_record;
pub mod report;
pub mod runs;
