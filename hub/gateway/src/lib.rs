//! Protocols by which programs of other projects work with a swarm and its simulators.
//!
//! [`evaluation`] is the line protocol of population managers, robot simulators and world simulators. [`sexpr`],
//! [`frame`], [`scene`] and [`trainer`] implement the SimSpark network protocol (monitors, trainers, agents) and its
//! successor RSMP. These four modules only convert between bytes and values.

pub mod agent;
pub mod agents;
pub mod client;
mod door;
pub mod evaluation;
pub mod frame;
pub mod limit;
pub mod monitors;
pub mod scene;
pub mod sexpr;
pub mod stage;
pub mod trainer;
