//! Attacks by unknown peers on real processes on the loopback interface. Each test checks a guarantee of the hub.
//!
//! Without further settings, the attacks are small. The environment variable `XPUCK_ATTACK=20000`, which `make
//! test-long` sets, is the size of each attack, such as the number of connections. It also enforces the limits of
//! docs/performance.md.

mod crowd;
mod files;
mod hostile;
mod keys;
mod pages;
mod rig;

/// Returns the size of an attack: the number in `XPUCK_ATTACK`, or `quick` if the variable is not set.
fn size(quick: usize) -> usize {
    std::env::var("XPUCK_ATTACK").ok().map_or(quick, |text| text.parse().expect("XPUCK_ATTACK is a number"))
}
