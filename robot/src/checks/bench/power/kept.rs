//! File that stores the clock limits in effect before a sweep. A killed sweep cannot restore the limits, so the next
//! sweep restores them from the file.

use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Size limit of the file (bytes).
const LONGEST: u64 = 1 << 16;

/// Limits of a clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Limits {
    /// Kernel name of the clock.
    pub clock: String,
    /// Minimum and maximum of the clock, in the kernel's unit.
    pub between: [u64; 2],
}

/// File with the clock limits. The file is locked as long as this value exists, so that a running sweep is not mistaken
/// for a killed sweep.
#[derive(Debug)]
pub(super) struct SavedLimits {
    path: PathBuf,
    /// Open file, or the reason why the file cannot be opened.
    file: Result<File, String>,
}

impl SavedLimits {
    /// Opens and locks the file, and returns the limits that a killed sweep left in the file. If the file cannot be
    /// opened, only [`SavedLimits::save`] returns the error, because a user without write permission usually cannot set
    /// clocks.
    ///
    /// # Errors
    /// If another sweep is running, or the file cannot be read.
    pub fn open(sysfs: &Path) -> Result<(SavedLimits, Vec<Limits>), String> {
        let path = path(sysfs);
        let name = path.display();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = match options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(&path) {
            Ok(file) => file,
            Err(error) => {
                let why = format!("{name}: the limits before the sweep cannot be saved: {error}");
                return Ok((SavedLimits { path, file: Err(why) }, Vec::new()));
            }
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(format!("{name}: another `xpuckd bench power` holds the clocks; wait until it ends"));
            }
            Err(TryLockError::Error(error)) => return Err(format!("{name}: cannot be locked: {error}")),
            Ok(()) => {}
        }
        let mut text = String::new();
        (&file).take(LONGEST).read_to_string(&mut text).map_err(|error| format!("{name}: {error}"))?;
        // An incomplete file is ignored, because a sweep that was killed before the file was complete had not changed
        // any clock.
        let left = serde_json::from_str(&text).unwrap_or_default();
        Ok((SavedLimits { path, file: Ok(file) }, left))
    }

    /// Writes the limits to the file, in place of its previous contents.
    ///
    /// # Errors
    /// One line that names the file that cannot be written.
    pub fn save(&self, limits: &[Limits]) -> Result<(), String> {
        let mut file = self.file.as_ref().map_err(Clone::clone)?;
        let text = serde_json::to_string(limits).map_err(|error| error.to_string())?;
        let written = file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.write_all(text.as_bytes()));
        written
            .map_err(|error| format!("{}: the limits before the sweep cannot be saved: {error}", self.path.display()))
    }

    /// Empties the file. The clock limits must be restored before this call.
    pub fn clear(&self) {
        if let Ok(file) = &self.file {
            // A failure is harmless, because the file then contains the limits that are in effect anyway.
            let _ = file.set_len(0);
        }
    }
}

impl Drop for SavedLimits {
    fn drop(&mut self) {
        let empty = self.file.as_ref().is_ok_and(|file| file.metadata().is_ok_and(|data| data.len() == 0));
        if empty {
            // An empty file has the same meaning as a missing file.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns the path of the file. The file is in /run, because a restart of the board clears both /run and the limits.
/// In tests, `sysfs` is a folder other than /sys, and the file is inside that folder.
fn path(sysfs: &Path) -> PathBuf {
    let folder = if sysfs == Path::new("/sys") { Path::new("/run") } else { sysfs };
    folder.join("xpuckd-clocks.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_limits_reach_next_sweep_under_lock() {
        let dir = tempfile::tempdir().unwrap();
        let limits = [Limits { clock: "policy0".into(), between: [200_000, 800_000] }];
        let (kept, left) = SavedLimits::open(dir.path()).unwrap();
        assert_eq!(left, []);
        kept.save(&limits).unwrap();
        assert!(SavedLimits::open(dir.path()).unwrap_err().contains("wait until it ends"));
        drop(kept);
        let (kept, left) = SavedLimits::open(dir.path()).unwrap();
        assert_eq!(left, limits);
        kept.clear();
        drop(kept);
        assert!(!path(dir.path()).exists());
        let (kept, _) = SavedLimits::open(&dir.path().join("nowhere")).unwrap();
        assert!(kept.save(&limits).unwrap_err().contains("cannot be saved"));
        assert_eq!(path(Path::new("/sys/")), Path::new("/run/xpuckd-clocks.json"));
    }
}
