//! `xpuck serve`: servers for programs of other makers, in their protocols.

mod evolution_files;
pub mod individual_tree;
pub mod monitors;
mod own_engine;
pub mod population_manager;
pub mod robot_sim;
pub mod world_sim;
