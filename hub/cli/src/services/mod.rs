//! Programs that run until they are ended: hub, arena, demo, geneserver, and those for other makers' programs.

pub mod demo;
pub mod fuzz_swarm;
pub mod geneserver;
pub mod hub;
pub mod island;
