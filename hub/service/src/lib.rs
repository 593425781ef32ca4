//! The running hub: its main loop and all surrounding services.
//!
//! [`hub`] runs the logic of `xpuck-hub-core` with sockets and clocks. [`mocap`] receives poses, and [`admission`]
//! protects the sockets. [`observer`], [`console`] and [`catalogue`] show current and past events, and [`foxglove`]
//! shows current events to external viewers. [`recovery`] resumes a run after a crash of the hub. [`doctor`] checks
//! the installation and changes nothing. [`geneserver`] runs migration without robots.

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
