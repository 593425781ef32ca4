//! The recorder: one directory a run, everything in MCAP files that Foxglove opens.
//!
//! [`Recorder`] hands what happens to a thread of its own ([`writer`]), so that no disk holds up the hub's loop. A file is
//! written as `run.mcap.open`, flushed twice a second, brought to the disk every 4 s, and renamed when it is whole. What a
//! killed hub left behind is made whole by [`recover`]. Beside it lie `run.toml` ([`run_file`]), `result.json`, and while
//! the run goes on `run.state` ([`kept`]), from which a hub that returns goes on.

pub mod budget;
mod entry;
pub mod kept;
pub mod lineage;
mod mcap_file;
pub mod read;
pub mod recover;
pub mod run_file;
pub mod schema;
mod thread;
mod writer;

pub use entry::{Entry, TOPICS};
pub use mcap_file::McapFile;
pub use thread::{Closing, Note, Recorder};
pub(crate) use writer::end as end_run;

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

/// The files of a run in their order, whole or still open.
pub fn parts(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for n in 1..=MAX_PARTS {
        let whole = directory.join(part_name(n));
        let open = directory.join(format!("{}{OPEN}", part_name(n)));
        match (whole.exists(), open.exists()) {
            (true, _) => found.push(whole),
            (false, true) => found.push(open),
            (false, false) => break,
        }
    }
    found
}
