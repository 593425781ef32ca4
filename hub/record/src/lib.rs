//! Recorder of runs. Each run has a directory with all data in MCAP files, which Foxglove can open.
//!
//! [`Recorder`] passes entries to its own thread (`writing`), so that a slow disk does not delay the hub's loop. A
//! file is written as `run.mcap.open`, flushed once per second, and synced to the disk every 4 s. It is renamed when
//! it is complete. [`recover`] completes the files of a killed hub, even if they are damaged, because [`read`]
//! returns every valid chunk. The directory also contains `run.toml` ([`run_file`]) and `result.json`. During the run
//! it contains `run.state` ([`snapshot`]), from which a restarted hub resumes.

mod close;
mod container;
pub mod foxglove;
pub mod index;
pub mod lineage;
pub mod read;
pub mod recover;
mod replace;
pub mod run_file;
pub mod schema;
pub mod snapshot;
mod tables;
pub mod verify;
mod writing;

pub use close::{end as end_run, result};
pub use container::mcap_file::McapFile;
pub use container::survey;
pub use tables::{export, parquet, table};
pub use writing::budget;
pub use writing::job::Note;
pub use writing::thread::{Closing, Recorder};

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Name of a run's first file when it is complete. A hub that resumes a run, or records again after the disk was
/// full, writes `run-2.mcap`, then `run-3.mcap`, and so on.
pub const NAME: &str = "run.mcap";
/// Suffix of a file that is being written.
const OPEN: &str = ".open";
/// Maximum number of files of one run. More restarts of a hub indicate a fault.
const MAX_PARTS: u32 = 1000;

/// Error of a record that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[error("record {}: {message}", path.display())]
pub struct RecordError {
    path: PathBuf,
    message: String,
}

impl RecordError {
    /// Creates an error with a single line of text for the file or folder at `path`.
    pub fn new(path: &Path, error: impl std::fmt::Display) -> RecordError {
        RecordError { path: path.into(), message: error.to_string().replace('\n', "; ") }
    }
}

/// Returns the name of the `n`-th file of a run. The first file has n = 1.
fn part_name(n: u32) -> String {
    if n == 1 { NAME.into() } else { format!("run-{n}.mcap") }
}

/// Returns the number of a run's file from its name, and whether the file is still open. `None` for other files.
fn part_number(name: &str) -> Option<(u32, bool)> {
    let (name, open) = name.strip_suffix(OPEN).map_or((name, false), |name| (name, true));
    let number = match name {
        NAME => 1,
        _ => name.strip_prefix("run-")?.strip_suffix(".mcap")?.parse().ok()?,
    };
    (name == part_name(number) && number <= MAX_PARTS).then_some((number, open))
}

/// Returns the files of a run in the order of their numbers. A file may be complete or still open.
///
/// # Errors
/// If the directory cannot be read.
pub fn parts(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut found: BTreeMap<u32, (bool, PathBuf)> = BTreeMap::new();
    for path in files(directory)? {
        let Some((number, open)) = path.file_name().and_then(|name| part_number(&name.to_string_lossy())) else {
            continue;
        };
        // If a complete and an open file have the same number, a recovery was interrupted after it had written the
        // complete file. The complete file is used.
        if !open || !found.contains_key(&number) {
            found.insert(number, (open, path));
        }
    }
    Ok(found.into_values().map(|(_, path)| path).collect())
}

/// Returns all paths in a directory, sorted by name.
///
/// # Errors
/// If the directory cannot be read.
pub fn files(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let read = || std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let mut found = read().map_err(|error| RecordError::new(directory, error))?;
    found.sort();
    Ok(found)
}

/// Returns the folders in a directory that may be runs, including inaccessible ones.
///
/// # Errors
/// If the directory cannot be read.
pub fn folders(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    // `lost+found` is a folder of the file system, which is usually inaccessible.
    let own = |path: &Path| path.file_name().is_some_and(|name| name == "lost+found");
    let folder = |path: &Path| match path.metadata() {
        Ok(data) => data.is_dir(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    Ok(files(directory)?.into_iter().filter(|path| !own(path) && folder(path)).collect())
}

/// Opens a regular file for reading. Rejects folders and special files, such as a pipe without a writer.
fn open_file(path: &Path) -> Result<File, RecordError> {
    let fail = |error: io::Error| RecordError::new(path, error);
    let file = OpenOptions::new().read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32).open(path);
    let file = file.map_err(fail)?;
    let kind = file.metadata().map_err(fail)?.file_type();
    match kind.is_file() {
        true => Ok(file),
        false if kind.is_dir() => Err(RecordError::new(path, "is a folder, not a file")),
        false => Err(RecordError::new(path, "is a device, pipe or socket, not a file")),
    }
}
