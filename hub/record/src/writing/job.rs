//! What the hub hands to the thread that writes, and what the thread has to say.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_wire::Status;
use xpuck_wire::log::Line;

/// Something to write.
pub(crate) enum Job {
    Entry(Entry),
    /// A picture of the camera above the arena, when it was taken, s of arena time, and what says that it waits while it is
    /// there.
    Overhead(f64, Arc<dyn AsRef<[u8]> + Send + Sync>, Arc<()>),
    Snapshot(Box<Snapshot>),
}

/// Orders of the hub to the thread, beside jobs.
#[derive(Clone, Default)]
pub(crate) struct Orders {
    /// The final status, once the record is to be closed.
    pub last_word: Arc<Mutex<Option<Status>>>,
    /// The run is over: states that were kept while it went on are not written any more.
    pub over: Arc<AtomicBool>,
    /// The hub ends: what is wrong with the disk is not tried again.
    pub hurry: Arc<AtomicBool>,
}

/// What the recorder has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Nothing is recorded for now, and why.
    Stopped(String),
    /// The record goes on in a further file; what is missing.
    Again(PathBuf, String),
    /// The record goes on in a further file, and nothing is missing.
    Next(PathBuf),
    /// The state on the disk is of this directive, or there is none (the greatest number); or the disk refuses, and why.
    State(Result<u64, String>),
    /// Something else.
    Say(Line),
}
