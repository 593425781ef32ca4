//! The hub: switchboard, geneserver, motion capture, virtual senses, recorder and console.

pub mod geneserver;
pub mod measure;
