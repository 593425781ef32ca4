//! Loads on a hub and on a geneserver, with measurement of their answer times.

pub mod geneserver;
pub mod hub;
