//! Attacks by unknown peers on real processes on the loopback interface. Each test checks a guarantee of the hub.
//!
//! The attacks are small by default. The environment variable `XPUCK_ATTACK` sets the size of each attack, such as the
//! number of connections. If the variable is set, the tests also enforce the limits of docs/performance.md. `make
//! test-long` sets the variable to 20000.

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
