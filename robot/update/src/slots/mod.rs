//! Slots: two trees `a` and `b` beside the packaged one, and the link `current` that says which of the three runs.
//!
//! What may happen is a table ([`table`]); what is known is one small file (`state`). Each step is brought to the disk before
//! the next begins, so a power cut at any moment leaves a whole version to run: a slot is given up before its first byte is
//! written, a trial is counted before it starts, and the link changes last.
//!
//! An image is installed in the same steps into the card's other root. Its trial begins with a boot, which the board's first
//! program counts, too: a root in which nothing runs is left after as many.

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
pub use judge::{Again, on_trial, settle};
pub use place::{Here, Place, whole};
pub use roots::Roots;
pub use state::{Candidate, Outcome, Phase, Result as TrialResult, Slot, State, Target};
pub use unpack::{DebTar, MAX_BYTES, MAX_ENTRIES, UnpackError, unpack};

/// Starts that a version on trial has; of a root, boots.
pub const STARTS: u8 = 2;
/// Starts of the program that a root on trial has, over all its boots.
pub const ROOT_STARTS: u8 = 10;
/// The state's file.
pub const STATE: &str = "state.toml";
/// The link to what runs.
pub const CURRENT: &str = "current";
/// A link to what ran before, made while there is room for it, so that the way back takes none.
pub const BACK: &str = "back";
/// The folder that the robot's program may write.
pub const INCOMING: &str = "incoming";
/// A bundle that arrived whole.
pub const READY: &str = "incoming/ready";
/// The payload while it is unpacked.
pub const PAYLOAD: &str = "payload";
/// The robot's program in a tree.
pub const PROGRAM: &str = "usr/bin/xpuckd";
