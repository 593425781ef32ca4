//! What the hub decides: plain state machines over arena time, without files, sockets, clocks or threads.
//!
//! [`hub`] is one hub with all that it decides; the world around it is behind a trait, which `xpuck-hub-service` and
//! `xpuck-simtest` implement. [`switchboard`] is its state: who is there, what the swarm is to do, and how the run stands.
//! [`virtual_senses`] makes senses of poses, [`geneserver`] mediates migration, [`score`] measures real fitness, [`roster`]
//! knows the robots, [`rollout`] updates their programs, [`rivals`] says whose messages count. [`entry`] is what is to be recorded, [`verify`] judges it.

pub mod allowance;
pub mod battery;
pub mod births;
pub mod config;
pub mod device_watch;
pub mod entry;
pub mod geneserver;
pub mod hub;
pub mod mocap;
pub mod park;
pub mod rate;
pub mod rate_limit;
pub mod resumption;
pub mod rivals;
pub mod rollout;
pub mod roster;
pub mod score;
pub mod switchboard;
pub mod verify;
pub mod virtual_senses;
