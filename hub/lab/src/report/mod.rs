//! What a swarm's runs say, as one page: chapters made of what records hold and of simulations of the trees at their end (thesis
//! 8.4 to 8.7).

pub mod behaviour;
pub mod collect;
pub mod fitness;
pub mod gap;
pub mod heritage;
pub mod last_trees;
pub mod page;
pub mod scaling;
pub mod tables;
pub mod trees;
