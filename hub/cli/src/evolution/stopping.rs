//! How a run that is kept in a folder is stopped, and what is said of how it goes on.

use crate::files::advice::word;
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use xpuck_wire::log;
use xpuck_wire::shutdown::{self, TRY_AGAIN};

/// What signals set of a run in a folder; nothing sets it without a folder, as a run that is not
/// kept is not gone on with. To be made before the first file is written, so that no signal finds the process without an answer.
///
/// # Errors
/// Signals cannot be caught.
pub fn flag(kept: Option<impl AsRef<Path>>) -> Result<Arc<AtomicBool>> {
    Ok(match kept {
        Some(path) => shutdown::computation_flag(told("", path.as_ref()))?,
        None => Arc::new(AtomicBool::new(false)),
    })
}

/// Says that a run was stopped, after what (` after 3 bodies`), and how it goes on; the exit code that means so.
pub fn stopped(done: &str, path: &Path) -> ExitCode {
    log::line(told(done, path));
    ExitCode::from(TRY_AGAIN)
}

fn told(done: &str, path: &Path) -> String {
    format!("xpuck: stopped{done}; go on with: xpuck evolve {}", word(path))
}
