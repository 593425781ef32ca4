//! Commands for recorded runs: lists, exports, reports, calibration, and the lineage of evolved trees.

pub mod calibrate;
pub mod calibrate_record;
pub mod lineage;
pub mod lineage_record;
pub mod report;
pub mod runs;
