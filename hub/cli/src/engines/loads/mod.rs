//! Loads on a hub and on a geneserver, and how soon they answer.

pub mod geneserver;
pub mod hub;
