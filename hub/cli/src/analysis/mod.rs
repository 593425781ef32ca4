//! Simulations, studies of trees, world files, and pictures of runs.

pub mod mix;
pub mod picture;
pub mod png;
mod run_table;
pub mod simulate;
pub mod study;
pub mod tools;
pub mod world;
pub mod world_cost;
pub mod world_elsewhere;
pub mod world_explain;
pub mod world_import;
pub mod world_new;
