//! Updates of robots:
//! * [`bundle`]: signed bundles.
//! * [`release`]: the release of a program.
//! * [`slots`]: installation into a slot, with a trial that is kept or reverted.
//! * [`incoming`]: reception of bundles.
//! * [`health`]: health reports of a running program.

pub mod bundle;
pub mod health;
pub mod incoming;
pub mod package;
pub mod release;
pub mod slots;

pub use bundle::{BundleError, Head, Kind, Manifest};
pub use release::Release;
