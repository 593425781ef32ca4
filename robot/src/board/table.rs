//! Table of boards, which contains the clocks and the processor of the control loop for each board.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_wire::file;

/// Table of boards as TOML text.
const BOARDS: &str = include_str!("../../boards.toml");

/// Board in the table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name of the board in the output.
    pub name: String,
    /// Number of the processor that runs the control loop.
    pub control: usize,
    /// Clusters of the board. A cluster is a group of processors with a common clock.
    pub clusters: Vec<Cluster>,
}

/// Cluster: group of processors with a common clock.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Number of the kernel's cpufreq policy.
    pub policy: u8,
    /// Name of the processor cores.
    pub cores: String,
    /// Maximum clock during boot (kHz).
    pub boot_khz: u32,
    /// Maximum clock after boot (kHz).
    pub run_khz: u32,
}

/// Returns the number of the control processor of the board whose name is in `board_file`. Returns `None` if the file
/// is invalid or the board is unknown.
pub fn control_of(board_file: &Path) -> Option<usize> {
    let name = board_of(board_file).ok()?;
    Some(board(&name).ok()?.control)
}

/// Reads the board's name from its file.
pub fn board_of(path: &Path) -> Result<String> {
    let text = file::text(path, 64)?;
    let word = text.trim();
    let one = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    ensure!(one, "{}: {word:?} is not a board name; write one word, such as pi5", path.display());
    Ok(word.into())
}

/// Returns the board with this name in the table. An unknown name is an error.
pub fn board(name: &str) -> Result<Board> {
    let mut boards: BTreeMap<String, Board> = file::parse("robot/boards.toml", BOARDS)?;
    let known = boards.keys().cloned().collect::<Vec<_>>().join(", ");
    boards.remove(name).with_context(|| format!("unknown board {name:?}; known boards: {known}"))
}
