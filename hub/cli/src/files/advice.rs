//! Error messages with a remedy.

use crate::files::file_kind;
use anyhow::Error;
use std::path::Path;
use xpuck_kernels::tree::suggest;
use xpuck_wire::atomic;
use xpuck_wire::output;

/// System messages for a full disk and for a missing file. Errors of libraries contain only these texts, without a
/// code.
const FULL: &str = "No space left on device";
const NOTHING: &str = "No such file or directory";
/// Names of files in a swarm's folder.
const OF_A_SWARM: [&str; 3] = ["swarm.toml", "hub.toml", "arena.toml"];

/// Formats an error with its causes and a remedy on one line. If the error marks a place in a text, this place
/// follows on further lines.
pub fn sentence(error: &Error) -> String {
    let text = printable(&output::error_chain(error.as_ref()));
    if let Some(other) = file_kind::misplaced(&text) {
        return other;
    }
    if text.contains(FULL) {
        return format!("{text}; free space there (`df -h` shows the free space), or choose another folder");
    }
    let remedy = (text.contains(NOTHING) && !text.contains("xpuck keys") && !text.contains("folder of keys"))
        .then(|| text.split(": cannot be read").next().and_then(missing))
        .flatten();
    format!("{text}{}", remedy.unwrap_or_default())
}

/// Quotes a path as one word of a shell command line.
pub fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=~".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Escapes control characters except line feeds, so that a name or text from a file cannot control the terminal.
fn printable(text: &str) -> String {
    let escaped = |c: char| match c.is_control() && c != '\n' {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Returns the remedy for a missing file, or `None` if the file exists or no remedy is known. `name` ends with the
/// path of the file; text up to the last colon that a space follows is ignored.
fn missing(name: &str) -> Option<String> {
    let path = Path::new(name.rsplit(": ").next()?);
    let file = path.file_name()?.to_str()?;
    if path.exists() {
        return None;
    }
    if path.extension().is_some_and(|extension| extension == "key" || extension == "pub") {
        return Some("; `xpuck keys new --swarm swarm.toml` makes the keys of a swarm".into());
    }
    let folder = atomic::folder(path);
    if OF_A_SWARM.contains(&file) {
        return Some("; is this the swarm's folder? `xpuck init DIR` makes one".into());
    }
    let Ok(entries) = std::fs::read_dir(folder) else {
        let here = std::env::current_dir().ok()?;
        return Some(format!("; folder {} does not exist (current folder: {})", folder.display(), here.display()));
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    Some(suggest(file, names)).filter(|near| !near.is_empty())
}
