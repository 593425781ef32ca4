//! Messages between the hub and the writing thread.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_wire::Status;
use xpuck_wire::log::Line;

/// A job for the writing thread.
pub(crate) enum Job {
    Entry(Entry),
    /// Image of the overhead camera: time of capture (s of arena time), JPEG data, and a token that counts waiting
    /// images.
    Overhead(f64, Arc<dyn AsRef<[u8]> + Send + Sync>, Arc<()>),
    Snapshot(Box<Snapshot>),
}

/// Orders of the hub to the thread, besides jobs.
#[derive(Clone, Default)]
pub(crate) struct Orders {
    /// Final status, set when the record is to be closed.
    pub last_word: Arc<Mutex<Option<Status>>>,
    /// Whether the run is over: earlier states are then no longer written.
    pub over: Arc<AtomicBool>,
    /// Whether the hub is exiting: disk errors are then not retried.
    pub hurry: Arc<AtomicBool>,
}

/// Report of the recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Recording has stopped, with the reason.
    Stopped(String),
    /// Recording continues in a further file, with a gap; path and description.
    Again(PathBuf, String),
    /// Recording continues in a further file, without a gap.
    Next(PathBuf),
    /// Number of the directive in the stored state, or `u64::MAX` without a state; `Err` on an I/O error.
    State(Result<u64, String>),
    /// A line for the log.
    Say(Line),
}
