//! Simulation engines: list of the engines, selection of an engine, speed measurement, and benchmark loads.

pub mod available;
pub mod bench;
pub mod bench_genes;
pub mod bench_geneserver;
pub mod bench_hub;
pub mod engine;
pub mod loads;
