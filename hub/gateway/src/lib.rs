//! Protocols that other makers' programs speak, so that they work with a swarm and its simulators.
//!
//! [`evaluation`]: population managers, robot simulators and world simulators, a line of text a message. [`sexpr`], [`frame`], [`scene`] and [`trainer`]:
//! the SimSpark network (monitors, trainers, agents) and its successor RSMP. All of it is pure: bytes in, values out, and back.

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
