//! Files of swarms, experiments and worlds: creating, reading and checking.

pub mod advice;
pub mod calibration_file;
pub mod check;
pub mod check_file;
pub mod check_swarm;
pub mod experiment;
pub mod file_contents;
pub mod file_kind;
pub mod guests;
pub mod init;
pub mod keys;
pub mod results;
pub mod swarm_files;
pub mod tree_file;
