//! Decisions of the hub: state machines over arena time, without files, sockets, clocks or threads.
//!
//! [`hub`] is a complete hub. Its outside world is behind a trait, which `xpuck-hub-service` and `xpuck-simtest`
//! implement. [`switchboard`] is the hub's state: robots, orders to the swarm, and the run. [`virtual_senses`]
//! computes senses from poses, [`geneserver`] mediates migration, [`score`] measures real fitness, and [`roster`]
//! holds the state of each robot. [`rollout`] updates the robots' programs, and [`session_arbiter`] arbitrates between
//! programs with the same robot key. [`entry`] defines the entries of records, and [`verify`] checks them.

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
