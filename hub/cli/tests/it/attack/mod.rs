//! Attacks by unknown peers on real processes on loopback, each with the promise that it tests.
//!
//! The quick forms run with every test. `XPUCK_ATTACK=20000` in the environment sets the size of the crowds, as `make
//! test-long` does, and enforces the limits of docs/performance.md.

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
