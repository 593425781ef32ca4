//! List of this user's running demos on this machine. Commands use it to find the hub of a demo.

use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use xpuck_wire::file;

/// Prefix of the names of the demos' socket folders, in the folder for temporary files.
pub const PREFIX: &str = "xpuck-";
/// Name of the file with a demo's addresses, in the demo's socket folder. The demo holds a lock on the file while it
/// runs.
const FILE: &str = "demo.json";
/// Maximum size of the file with a demo's addresses (bytes).
const MAX: u64 = 1 << 16;

/// Addresses of a running demo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningDemo {
    /// Folder with the files of the demo.
    pub root: PathBuf,
    /// Operator address of the demo's hub.
    pub hub: String,
    /// Key file of the demo's operator.
    pub key: PathBuf,
    /// Address of the demo's console; `None` if the demo has no console.
    pub console: Option<String>,
}

/// Announcement of a running demo to other commands. The file with the demo's addresses is locked until this value is
/// dropped. The file is removed together with the demo's socket folder.
pub struct Announcement {
    _locked: File,
}

impl Announcement {
    /// Writes the demo's addresses to a file in the demo's socket folder `sockets`, and locks the file.
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

/// Returns the running demos of this user, sorted by their folders.
pub fn running() -> Vec<RunningDemo> {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return Vec::new() };
    let ours =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    let folders = entries.flatten().map(|entry| entry.path()).filter(ours);
    let mut found: Vec<RunningDemo> = folders.filter_map(|folder| read(&folder.join(FILE))).collect();
    found.sort_by(|a, b| a.root.cmp(&b.root));
    found
}

/// Reads the addresses of a running demo. `None` if the file cannot be read, is not locked, or belongs to another
/// user.
fn read(path: &Path) -> Option<RunningDemo> {
    let opened = file::open(path).ok()?;
    let me = std::fs::metadata("/proc/self").ok()?.uid();
    let held = matches!(opened.try_lock(), Err(TryLockError::WouldBlock));
    if !held || opened.metadata().ok()?.uid() != me {
        return None;
    }
    // Reads from the opened file, because the path may already refer to another file.
    let mut bytes = Vec::new();
    opened.take(MAX).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
