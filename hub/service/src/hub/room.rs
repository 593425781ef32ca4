//! How much room the records have, looked at now and then.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xpuck_record::budget::Limits;

/// A disk is asked so often.
const AGAIN: Duration = Duration::from_secs(2);

/// The room of the record directory's disk, and the size of the record that is written.
pub(super) struct Room {
    folder: PathBuf,
    looked: Option<Instant>,
    free: Option<u64>,
    size: Option<u64>,
}

impl Room {
    /// Nothing is known yet.
    pub(super) fn new(folder: &Path) -> Room {
        Room { folder: folder.into(), looked: None, free: None, size: None }
    }

    /// Bytes that are free, and bytes of the file that is written.
    pub(super) fn look(&mut self, file: Option<&Path>) -> (Option<u64>, Option<u64>) {
        if self.looked.is_none_or(|at| at.elapsed() >= AGAIN) {
            self.looked = Some(Instant::now());
            self.free = Limits::free(&self.folder).ok();
            self.size = file.and_then(|file| Some(std::fs::metadata(file).ok()?.len()));
        }
        (self.free, self.size)
    }
}
