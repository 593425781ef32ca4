//! Long-running programs: hub, demo, geneserver, island worker and swarm tests.

pub mod demo;
pub mod fuzz_swarm;
pub mod geneserver;
pub mod hub;
pub mod island;
