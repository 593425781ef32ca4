//! Helpers to read the output of programs and the records of runs.

pub use crate::rig::{free_ports, processes, xpuck};
use std::path::{Path, PathBuf};
use std::process::Output;

/// Returns the standard output of a program, followed by its standard error, as text.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Returns the path of the only entry in the folder `dir` whose name starts with `prefix`.
pub fn only(dir: &Path, prefix: &str) -> PathBuf {
    let matching = |e: &std::fs::DirEntry| e.file_name().to_string_lossy().starts_with(prefix);
    let found: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().flatten().filter(matching).map(|e| e.path()).collect();
    assert_eq!(found.len(), 1, "{prefix}* in {}: {found:?}", dir.display());
    found.into_iter().next().unwrap()
}

/// Returns the messages of a record, each with its topic. An unfinished file is read up to its last complete message.
pub fn record(file: &Path) -> Vec<(String, serde_json::Value)> {
    let bytes = std::fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let stream = mcap::MessageStream::new_with_options(&bytes, mcap::read::Options::IgnoreEndMagic.into()).unwrap();
    stream.map_while(Result::ok).map(|m| (m.channel.topic.clone(), serde_json::from_slice(&m.data).unwrap())).collect()
}
