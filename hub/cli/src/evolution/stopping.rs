//! Stops runs that are saved in a folder, and prints the command that continues a stopped run.

use crate::files::advice::word;
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use xpuck_wire::log;
use xpuck_wire::shutdown::{self, TRY_AGAIN};

/// Returns a stop flag for a run. SIGINT and SIGTERM set the flag. Without a folder (`kept` is `None`), they do not set
/// it, because such a run cannot be continued. Call this function before the first file is written, so that a signal
/// is always handled.
///
/// # Errors
/// Signals cannot be handled.
pub fn flag(kept: Option<impl AsRef<Path>>) -> Result<Arc<AtomicBool>> {
    Ok(match kept {
        Some(path) => shutdown::computation_flag(stop_message("", path.as_ref()))?,
        None => Arc::new(AtomicBool::new(false)),
    })
}

/// Reports that a run was stopped. The message has the progress `done` (such as ` after 3 bodies`), and the command
/// that continues the run. Returns the exit code of a stopped run.
pub fn stopped(done: &str, path: &Path) -> ExitCode {
    log::write_raw(stop_message(done, path));
    ExitCode::from(TRY_AGAIN)
}

fn stop_message(done: &str, path: &Path) -> String {
    format!("xpuck: stopped{done}; continue with: xpuck evolve {}", word(path))
}
