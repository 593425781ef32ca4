//! The recorder: one directory a run, everything in MCAP files that Foxglove opens.
//!
//! [`Recorder`] hands what happens to a thread of its own (`writing`), so that no disk holds up the hub's loop. A file is
//! written as `run.mcap.open`, flushed once a second, brought to the disk every 4 s, and renamed when it is whole. What a
//! killed hub left behind is made whole by [`recover`], over damage too: [`read`] gives every chunk that is whole. Beside it lie
//! `run.toml` ([`run_file`]), `result.json`, and while the run goes on `run.state` ([`snapshot`]), from which a hub that returns
//! goes on.

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

/// The first file of a run when it is whole. A hub that goes on with a run, or records again after a full disk, writes
/// `run-2.mcap`, and so on.
pub const NAME: &str = "run.mcap";
/// Behind the name of a file that is being written.
const OPEN: &str = ".open";
/// Most files of one run: a hub that comes back more often than this is not well.
const MAX_PARTS: u32 = 1000;

/// A record that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[error("record {}: {message}", path.display())]
pub struct RecordError {
    path: PathBuf,
    message: String,
}

impl RecordError {
    /// What is wrong with the file or folder at `path`, in one line.
    pub fn of(path: &Path, error: impl std::fmt::Display) -> RecordError {
        RecordError { path: path.into(), message: error.to_string().replace('\n', "; ") }
    }
}

/// Name of the `n`-th file of a run, from 1.
fn part_name(n: u32) -> String {
    if n == 1 { NAME.into() } else { format!("run-{n}.mcap") }
}

/// The number of a run's file by its name, and whether it is still open; none for other files.
fn part_number(name: &str) -> Option<(u32, bool)> {
    let (name, open) = name.strip_suffix(OPEN).map_or((name, false), |name| (name, true));
    let number = match name {
        NAME => 1,
        _ => name.strip_prefix("run-")?.strip_suffix(".mcap")?.parse().ok()?,
    };
    (name == part_name(number) && number <= MAX_PARTS).then_some((number, open))
}

/// The files of a run in their order, whole or still open.
///
/// # Errors
/// The directory cannot be read.
pub fn parts(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut found: BTreeMap<u32, (bool, PathBuf)> = BTreeMap::new();
    for path in files(directory)? {
        let Some((number, open)) = path.file_name().and_then(|name| part_number(&name.to_string_lossy())) else {
            continue;
        };
        // Where both are there, a recovery was cut off behind the whole one.
        if !open || !found.contains_key(&number) {
            found.insert(number, (open, path));
        }
    }
    Ok(found.into_values().map(|(_, path)| path).collect())
}

/// Everything in a directory, in the order of names.
///
/// # Errors
/// The directory cannot be read.
pub fn files(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let read = || std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let mut found = read().map_err(|error| RecordError::of(directory, error))?;
    found.sort();
    Ok(found)
}

/// The folders in a directory that may be runs, also those that cannot be looked at.
///
/// # Errors
/// The directory cannot be read.
pub fn folders(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    // A file system's own folder, which nobody may enter.
    let own = |path: &Path| path.file_name().is_some_and(|name| name == "lost+found");
    let folder = |path: &Path| match path.metadata() {
        Ok(data) => data.is_dir(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    Ok(files(directory)?.into_iter().filter(|path| !own(path) && folder(path)).collect())
}

/// Opens a file to read it. What only has a name like a file, such as a pipe that nobody writes, is refused.
fn open_file(path: &Path) -> Result<File, RecordError> {
    let fail = |error: io::Error| RecordError::of(path, error);
    let file = OpenOptions::new().read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32).open(path);
    let file = file.map_err(fail)?;
    let kind = file.metadata().map_err(fail)?.file_type();
    match kind.is_file() {
        true => Ok(file),
        false if kind.is_dir() => Err(RecordError::of(path, "is a folder and no file")),
        false => Err(RecordError::of(path, "is a device, a pipe or a socket and no file")),
    }
}
