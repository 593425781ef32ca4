//! Micro-benchmarks, in `benches/`: a crate of their own, so that only they need Criterion (`make bench`).
