//! What an error's line says besides what is wrong: what to do.

use super::file_kind;
use anyhow::Error;
use std::io::{self, ErrorKind};
use xpuck_wire::FileError;
use xpuck_wire::output;

/// An error with its causes and a remedy, in one line (and below it the place in a text, where a caret shows it).
pub fn sentence(error: &Error) -> String {
    let text = output::sentence(error.as_ref());
    if let Some(other) = file_kind::misplaced(&text) {
        return other;
    }
    let full = error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == ErrorKind::StorageFull)
            || matches!(cause.downcast_ref(), Some(FileError::Unreadable { error, .. }) if error.kind() == ErrorKind::StorageFull)
    });
    // Errors of libraries hold the system's words alone.
    if full || text.contains("No space left on device") {
        return format!("{text}; make room there (`df -h` shows where it is short), or write elsewhere");
    }
    text
}
