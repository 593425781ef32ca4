//! `xpuck serve`: programs of other makers are served, in the protocols that they speak.

mod evolution_files;
pub mod individual_tree;
pub mod monitors;
mod own_engine;
pub mod population_manager;
pub mod robot_sim;
pub mod world_sim;
