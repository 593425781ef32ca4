//! What the hub decides: plain state machines over arena time, without files, sockets, clocks or threads.
//!
//! [`switchboard`] is the hub's state: who is there, what the swarm is to do, and how the run stands. [`virtual_senses`] makes
//! senses of poses, [`geneserver`] mediates migration, [`score`] measures real fitness, [`roster`] knows the robots.
//! [`entry`] is what is to be recorded. `xpuck-hub-service` runs them.

pub mod config;
pub mod entry;
pub mod geneserver;
pub mod mocap;
pub mod rate;
pub mod rivals;
pub mod roster;
pub mod score;
pub mod switchboard;
pub mod virtual_senses;
