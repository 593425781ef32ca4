//! Loads on a hub and on a geneserver, with their answer times.

pub mod geneserver;
pub mod hub;
