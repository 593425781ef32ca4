//! Free disk space and size of the current record, checked at intervals.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xpuck_record::budget::Limits;

/// Interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Free space on the disk of the record folder, and size of the current record.
pub(super) struct DiskSpace {
    folder: PathBuf,
    looked: Option<Instant>,
    free: Option<u64>,
    size: Option<u64>,
}

impl DiskSpace {
    /// Creates the state without values. The first call of `update` checks the disk.
    pub(super) fn new(folder: &Path) -> DiskSpace {
        DiskSpace { folder: folder.into(), looked: None, free: None, size: None }
    }

    /// Returns the free space and the size of the file being written (bytes), each `None` if unknown. The values are
    /// at most [`CHECK_INTERVAL`] old.
    pub(super) fn update(&mut self, file: Option<&Path>) -> (Option<u64>, Option<u64>) {
        if self.looked.is_none_or(|at| at.elapsed() >= CHECK_INTERVAL) {
            self.looked = Some(Instant::now());
            self.free = Limits::free(&self.folder).ok();
            self.size = file.and_then(|file| Some(std::fs::metadata(file).ok()?.len()));
        }
        (self.free, self.size)
    }
}
