//! Engines of simulation: list, selection, speed, and the loads of benchmarks.

pub mod available;
pub mod bench;
pub mod bench_genes;
pub mod bench_geneserver;
pub mod bench_hub;
pub mod engine;
pub mod loads;
