//! The hub that runs: its loop and everything that stands around it.
//!
//! [`hub`] runs what `xpuck-hub-core` decides, on sockets and clocks. [`mocap`] receives poses, [`admission`] stands before
//! the sockets, [`observer`], [`console`] and [`catalogue`] show what happens and what happened, [`recovery`] goes on with a
//! run that a dead hub left, [`doctor`] only reads, and [`foxglove`] shows what happens to viewers of others. [`geneserver`] is the shell of migration without robots.

pub mod admission;
pub mod catalogue;
pub mod config_file;
pub mod console;
pub mod doctor;
pub mod foxglove;
pub mod geneserver;
pub mod heap;
pub mod hub;
pub mod mocap;
pub mod observer;
pub mod overhead;
pub mod recovery;
pub mod replay;
mod stops;
pub mod updates;
