//! Attacks on the programs as strangers make them, with real processes on loopback, each beside the promise that it tries.
//!
//! The quick forms run with every test; `XPUCK_ATTACK=20000` in the environment makes the crowds so large, as
//! `make test-long` does, and holds the figures of docs/performance.md.

mod crowd;
mod keys;
mod pages;
mod rig;
