//! Micro-benchmarks in the folder `benches/`, which `make bench` runs. They have their own crate, so that no other
//! crate depends on Criterion.
