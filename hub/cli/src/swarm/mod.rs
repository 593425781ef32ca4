//! Commands to a running swarm, and its status.

pub mod acks;
pub mod commands;
pub mod console;
pub mod doctor;
pub mod drive;
pub mod enrol;
pub mod follow;
pub mod log;
pub mod operator;
pub mod orders;
pub mod park;
pub mod push;
pub mod sensors;
pub mod snapshot;
pub mod start;
pub mod status;
pub mod summary;
pub mod swarm_state;
pub mod top;
pub mod trials;
pub mod update;
