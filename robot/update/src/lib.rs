//! Updates of robots: what a signed bundle is ([`bundle`]), what a program says of itself ([`release`]), how one is installed
//! into a slot, tried and kept or given up ([`slots`]), how one arrives ([`incoming`]), and how a running program says that it is well ([`health`]).

pub mod bundle;
pub mod health;
pub mod incoming;
pub mod package;
pub mod release;
pub mod slots;

pub use bundle::{BundleError, Head, Kind, Manifest};
pub use release::Release;
