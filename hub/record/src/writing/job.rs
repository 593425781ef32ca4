//! Messages between the hub and the writing thread.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_wire::Status;
use xpuck_wire::log::Line;

/// Job for the writing thread.
pub(crate) enum Job {
    Entry(Entry),
    /// Image of the overhead camera: time of capture (s of arena time), JPEG data, and a clone of a token. The hub
    /// counts the clones, to limit the number of images that wait for the disk.
    Overhead(f64, Arc<dyn AsRef<[u8]> + Send + Sync>, Arc<()>),
    Snapshot(Box<Snapshot>),
}

/// Flags of the hub that the writing thread reads between jobs.
#[derive(Clone, Default)]
pub(crate) struct Orders {
    /// Final status of the run, set when the record is to be closed.
    pub last_word: Arc<Mutex<Option<Status>>>,
    /// Whether the run is over. If true, the thread no longer writes states from before the end of the run.
    pub over: Arc<AtomicBool>,
    /// Whether the hub is exiting. If true, the thread does not retry after disk errors.
    pub hurry: Arc<AtomicBool>,
}

/// Report of the writing thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Recording has stopped, for the given reason.
    Stopped(String),
    /// Recording continues in a further file after a gap. Contains the path of the file, and a description of the
    /// gap.
    Again(PathBuf, String),
    /// Recording continues without a gap in a further file, which has this path.
    Next(PathBuf),
    /// Result of storing the state: number of the directive in the stored state, or `u64::MAX` if no state is stored.
    /// `Err` on an I/O error.
    State(Result<u64, String>),
    /// Line for the hub's log.
    Say(Line),
}
