//! Slots: the folders `a` and `b`, each for one version of the program, in addition to the packaged version. The link
//! `current` points to the version that runs.
//!
//! The allowed transitions are defined in a table ([`table`]), and the state is stored in a small file (`state`). Each
//! step is synchronised to the disk before the next step begins, so that a complete version can run after a power
//! failure at any time. A slot is marked as invalid before its first byte is written. A start of a trial is counted
//! before the version starts, and the link changes last.
//!
//! An image of a whole system is installed in the same steps into the root file system that does not run. Its trial
//! begins with a boot, and the board's first program counts the boots. A root in which no program runs is therefore
//! abandoned after [`STARTS`] boots.

mod boot;
mod disk;
mod install;
mod judge;
mod place;
pub mod roots;
mod state;
pub mod table;
mod unpack;

pub use boot::{Boot, boot};
pub use disk::{Disk, Lock, RealDisk};
pub use install::{Installed, Robot, Source, install, runs_already};
pub use judge::{Restart, conclude_trial, on_trial};
pub use place::{BaseVersions, SlotStore, complete_release};
pub use roots::Roots;
pub use state::{Candidate, Outcome, Phase, Result as TrialResult, Slot, State, Target};
pub use unpack::{DebTar, MAX_BYTES, MAX_ENTRIES, UnpackError, unpack};

/// Maximum number of starts of a version on trial. For a root, this is the maximum number of boots.
pub const STARTS: u8 = 2;
/// Maximum number of starts of the robot's program in a root on trial, over all boots of the root.
pub const ROOT_STARTS: u8 = 10;
/// Name of the file with the state of the slots.
pub const STATE: &str = "state.toml";
/// Name of the link to the version that runs.
pub const CURRENT: &str = "current";
/// Name of the link to the previous version. It is created before a trial, so that reverting needs no disk space.
pub const BACK: &str = "back";
/// Folder that the robot's program may write to.
pub const INCOMING: &str = "incoming";
/// Path of a completely received bundle.
pub const READY: &str = "incoming/ready";
/// Name of the file with a bundle's payload, which exists during unpacking.
pub const PAYLOAD: &str = "payload";
/// Path of the robot's program in a slot.
pub const PROGRAM: &str = "usr/bin/xpuckd";
