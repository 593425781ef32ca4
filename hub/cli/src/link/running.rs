//! Which demos of this user run on this machine, so that commands find them.

use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use xpuck_wire::file;

/// What demos call their folders for sockets, below the folder for temporary files.
pub const PREFIX: &str = "xpuck-";
/// The file in it that says how the demo is reached. A demo holds a lock on it as long as it runs.
const FILE: &str = "demo.json";
/// Longest such file, bytes.
const MAX: u64 = 1 << 16;

/// How a running demo is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningDemo {
    /// Its folder.
    pub root: PathBuf,
    /// Its operators' address.
    pub hub: String,
    /// Its operator's key.
    pub key: PathBuf,
    /// Its console, if it has one.
    pub console: Option<String>,
}

/// Says where a demo is reached until this is dropped; the file goes with the demo's folder for sockets.
pub struct Announcement {
    _locked: File,
}

impl Announcement {
    /// Writes the file into the demo's folder for sockets and locks it.
    ///
    /// # Errors
    /// What the disk says.
    pub fn new(sockets: &Path, demo: &RunningDemo) -> io::Result<Announcement> {
        let mut file = File::create_new(sockets.join(FILE))?;
        file.lock()?;
        file.write_all(&serde_json::to_vec(demo)?)?;
        Ok(Announcement { _locked: file })
    }
}

/// The demos of this user that run now, in the order of their folders.
pub fn running() -> Vec<RunningDemo> {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return Vec::new() };
    let ours =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    let folders = entries.flatten().map(|entry| entry.path()).filter(ours);
    let mut found: Vec<RunningDemo> = folders.filter_map(|folder| read(&folder.join(FILE))).collect();
    found.sort_by(|a, b| a.root.cmp(&b.root));
    found
}

/// A demo that runs; none where the lock is free, or the file somebody else's.
fn read(path: &Path) -> Option<RunningDemo> {
    let opened = file::open(path).ok()?;
    let me = std::fs::metadata("/proc/self").ok()?.uid();
    let held = matches!(opened.try_lock(), Err(TryLockError::WouldBlock));
    if !held || opened.metadata().ok()?.uid() != me {
        return None;
    }
    // Of the very file that was looked at: another may have its name by now.
    let mut bytes = Vec::new();
    opened.take(MAX).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
