//! Long-running programs: hub, demo, geneserver, island worker, playground and swarm tests.

pub mod demo;
pub mod fuzz_swarm;
pub mod geneserver;
pub mod hub;
pub mod island;
pub mod playground;
