//! Slots: the trees `a` and `b`, in addition to the packaged tree. The link `current` points to the tree that runs.
//!
//! The allowed transitions are a table ([`table`]); the state is one small file (`state`). Each step is synchronised
//! before the next step begins, so that a complete version can run after a power failure at any time. A slot is
//! marked as invalid before its first byte is written, a trial is counted before it starts, and the link changes
//! last.
//!
//! An image is installed into the card's other root in the same steps. Its trial begins with a boot, and the board's
//! first program counts the boots. A root in which no program runs is therefore abandoned after [`STARTS`] boots.

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

/// Maximum number of starts of a version on trial; for a root, maximum number of boots.
pub const STARTS: u8 = 2;
/// Maximum number of starts of the program in a root on trial, over all boots of the root.
pub const ROOT_STARTS: u8 = 10;
/// File of the state.
pub const STATE: &str = "state.toml";
/// Link to the version that runs.
pub const CURRENT: &str = "current";
/// Link to the previous version. It is created while there is space, so that reverting needs no space.
pub const BACK: &str = "back";
/// Folder that the robot's program may write to.
pub const INCOMING: &str = "incoming";
/// A completely received bundle.
pub const READY: &str = "incoming/ready";
/// Payload during unpacking.
pub const PAYLOAD: &str = "payload";
/// Path of the robot's program in a tree.
pub const PROGRAM: &str = "usr/bin/xpuckd";
