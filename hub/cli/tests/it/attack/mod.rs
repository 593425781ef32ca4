//! Attacks on the programs as strangers make them, with real processes on loopback, each beside the promise that it tries.
//!
//! The quick forms run with every test; `XPUCK_ATTACK=20000` in the environment makes the crowds so large, as
//! `make test-long` does, and holds the figures of docs/performance.md.

mod crowd;
mod files;
mod hostile;
mod keys;
mod pages;
mod rig;

/// Size of an attack: `quick`, or the number in `XPUCK_ATTACK`.
fn size(quick: usize) -> usize {
    std::env::var("XPUCK_ATTACK").ok().map_or(quick, |text| text.parse().expect("XPUCK_ATTACK is a number"))
}
