//! Disk space and size of the records, checked at intervals.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xpuck_record::budget::Limits;

/// Interval of the checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Free space on the record directory's disk, and size of the current record.
pub(super) struct DiskSpace {
    folder: PathBuf,
    looked: Option<Instant>,
    free: Option<u64>,
    size: Option<u64>,
}

impl DiskSpace {
    /// Creates the state before the first check.
    pub(super) fn new(folder: &Path) -> DiskSpace {
        DiskSpace { folder: folder.into(), looked: None, free: None, size: None }
    }

    /// Free bytes, and size of the file being written.
    pub(super) fn update(&mut self, file: Option<&Path>) -> (Option<u64>, Option<u64>) {
        if self.looked.is_none_or(|at| at.elapsed() >= CHECK_INTERVAL) {
            self.looked = Some(Instant::now());
            self.free = Limits::free(&self.folder).ok();
            self.size = file.and_then(|file| Some(std::fs::metadata(file).ok()?.len()));
        }
        (self.free, self.size)
    }
}
