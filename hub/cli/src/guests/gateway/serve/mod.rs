//! `xpuck serve`: servers for programs of other makers, in the protocols of these programs.

mod evolution_files;
pub mod individual_tree;
pub mod monitors;
mod own_engine;
pub mod population_manager;
pub mod robot_sim;
pub mod world_sim;
