//! Running demos of this user on this machine, so that commands find their hub.

use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use xpuck_wire::file;

/// Prefix of the demos' folders for sockets, in the folder for temporary files.
pub const PREFIX: &str = "xpuck-";
/// File in that folder with the addresses of the demo. A demo holds a lock on it while it runs.
const FILE: &str = "demo.json";
/// Maximum size of the file (bytes).
const MAX: u64 = 1 << 16;

/// Addresses of a running demo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningDemo {
    /// Folder of the demo.
    pub root: PathBuf,
    /// Operator address of its hub.
    pub hub: String,
    /// Key file of its operator.
    pub key: PathBuf,
    /// Address of its console, if it has one.
    pub console: Option<String>,
}

/// Announces a demo until it is dropped; the file is removed with the demo's folder for sockets.
pub struct Announcement {
    _locked: File,
}

impl Announcement {
    /// Writes the file into the demo's folder for sockets and locks it.
    ///
    /// # Errors
    /// The file cannot be written or locked.
    pub fn new(sockets: &Path, demo: &RunningDemo) -> io::Result<Announcement> {
        let mut file = File::create_new(sockets.join(FILE))?;
        file.lock()?;
        file.write_all(&serde_json::to_vec(demo)?)?;
        Ok(Announcement { _locked: file })
    }
}

/// Running demos of this user, in the order of their folders.
pub fn running() -> Vec<RunningDemo> {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return Vec::new() };
    let ours =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    let folders = entries.flatten().map(|entry| entry.path()).filter(ours);
    let mut found: Vec<RunningDemo> = folders.filter_map(|folder| read(&folder.join(FILE))).collect();
    found.sort_by(|a, b| a.root.cmp(&b.root));
    found
}

/// Reads a running demo; `None` if the lock is free or another user owns the file.
fn read(path: &Path) -> Option<RunningDemo> {
    let opened = file::open(path).ok()?;
    let me = std::fs::metadata("/proc/self").ok()?.uid();
    let held = matches!(opened.try_lock(), Err(TryLockError::WouldBlock));
    if !held || opened.metadata().ok()?.uid() != me {
        return None;
    }
    // Reads from the opened file, because another file may have its name by now.
    let mut bytes = Vec::new();
    opened.take(MAX).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
