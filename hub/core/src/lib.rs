//! Decisions of the hub: plain state machines over arena time, without files, sockets, clocks or threads.
//!
//! [`hub`] is a complete hub; the outside world is behind a trait, which `xpuck-hub-service` and `xpuck-simtest`
//! implement. [`switchboard`] is its state: robots, orders to the swarm, and the run. [`virtual_senses`] computes
//! senses from poses, [`geneserver`] mediates migration, [`score`] measures real fitness, [`roster`] holds the
//! robots, [`rollout`] updates their programs, [`session_arbiter`] arbitrates between sessions. [`entry`] defines the entries
//! of records, [`verify`] checks them.

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
pub mod rollout;
pub mod roster;
pub mod score;
pub mod session_arbiter;
pub mod switchboard;
pub mod verify;
pub mod virtual_senses;
