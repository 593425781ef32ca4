//! The table of boards: clocks, and the processor of the control loop.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_wire::file;

/// The table.
const BOARDS: &str = include_str!("../../boards.toml");

/// A board of the table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// As people call it.
    pub name: String,
    /// The processor of the control loop, by its number.
    pub control: usize,
    /// Its processors by their clocks.
    pub clusters: Vec<Cluster>,
}

/// Processors with one clock.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// The number in the kernel's `policy0`.
    pub policy: u8,
    /// What they are called.
    pub cores: String,
    /// Their highest clock while the board boots.
    pub boot_khz: u32,
    /// The same at work.
    pub run_khz: u32,
}

/// The processor of the control loop, of the board that a file names; none if it names none.
pub fn control_of(board_file: &Path) -> Option<usize> {
    let name = board_of(board_file).ok()?;
    Some(board(&name).ok()?.control)
}

/// The word in the board's file.
pub fn board_of(path: &Path) -> Result<String> {
    let text = file::text(path, 64)?;
    let word = text.trim();
    let one = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    ensure!(one, "{}: says {word:?}, which is no board; write one word, such as pi5", path.display());
    Ok(word.into())
}

/// A board by its name.
pub fn board(name: &str) -> Result<Board> {
    let mut boards: BTreeMap<String, Board> = file::parse("robot/boards.toml", BOARDS)?;
    let known = boards.keys().cloned().collect::<Vec<_>>().join(", ");
    boards.remove(name).with_context(|| format!("no board {name:?}; there are {known}"))
}
