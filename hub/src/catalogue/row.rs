//! A row of the catalogue, out of a run's directory.

use crate::recorder::run_file::{RUN_FILE, RunFile};
use crate::recorder::{RecordError, budget, kept};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use xpuck_wire::{Segment, Status};

/// A run in which more of the round trips took above 100 ms is marked P (thesis 8.4).
pub const SLOW: f64 = 0.05;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its directory below the record directory.
    pub id: String,
    /// The experiment's name.
    pub name: String,
    /// When it began, ms since 1970.
    pub began_unix_ms: u64,
    /// Running time, pauses left out, s of arena time.
    pub length_s: f64,
    /// `running`, `finished`, `recovered` or `aborted`.
    pub state: String,
    /// The seed; text, as not every tool holds 64 bits.
    pub seed: String,
    /// Robots of the swarm.
    pub robots: u32,
    /// Robots lost during the run.
    pub dead: u32,
    /// Part of the round trips above 100 ms.
    pub slow_round_trips: f64,
    /// Marks of Table 8.3: `D` if robots died, `P` if more than 5 % of the round trips took above 100 ms.
    pub quality: String,
    /// Real fitness of the last segment.
    pub last_fitness: Option<f64>,
    /// Mean real fitness of all segments with evolved trees.
    pub mean_fitness: Option<f64>,
    /// Mean derated fitness of the champions at the end (f_EA of Table 8.3).
    pub evolved_fitness: f64,
    /// Size of all its files.
    pub bytes: u64,
    /// Commit of the hub that began it.
    pub git_commit: String,
    /// Version of the hub that began it.
    pub version: String,
}

/// How a run ended, or stood a moment ago.
pub(super) fn status(directory: &Path) -> Option<Status> {
    let result = std::fs::read(directory.join("result.json")).ok();
    let ended = result.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    ended.or_else(|| kept::read(directory).ok().map(|(_, kept)| kept.status))
}

/// Segments in which evolved trees drove.
pub(super) fn scored(status: &Status) -> impl Iterator<Item = &Segment> {
    status.segments.iter().filter(|s| s.number > 0 && s.seconds > 0.0)
}

impl Row {
    /// Reads a run's directory.
    ///
    /// # Errors
    /// It has no `run.toml` of a hub's run.
    pub fn read(root: &Path, directory: &Path) -> Result<Row, RecordError> {
        let run = RunFile::read(directory)?;
        let status = status(directory).unwrap_or_default();
        let segments: Vec<f64> = scored(&status).map(|s| s.fitness).collect();
        let mean = segments.iter().sum::<f64>() / segments.len().max(1) as f64;
        let marks = [('D', status.dead > 0), ('P', status.slow_round_trips > SLOW)];
        Ok(Row {
            id: id(root, directory),
            name: run.name,
            began_unix_ms: run.started_unix_ms,
            length_s: status.run_seconds,
            state: run.state.name().into(),
            seed: run.seed.to_string(),
            robots: run.robots.len() as u32,
            dead: status.dead,
            slow_round_trips: status.slow_round_trips,
            quality: marks.iter().filter(|m| m.1).map(|m| m.0).collect(),
            last_fitness: segments.last().copied(),
            mean_fitness: (!segments.is_empty()).then_some(mean),
            evolved_fitness: status.evolved,
            bytes: budget::bytes(directory),
            git_commit: run.git_commit,
            version: run.version,
        })
    }
}

/// A run's name: its directory below the record directory.
pub(super) fn id(root: &Path, directory: &Path) -> String {
    directory.strip_prefix(root).unwrap_or(directory).to_string_lossy().into_owned()
}

/// The directories that hold a run, in the record directory and one below it, where demos keep theirs.
pub(super) fn directories(root: &Path) -> Vec<PathBuf> {
    let below = |path: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect()
    };
    let (runs, others): (Vec<_>, Vec<_>) = below(root).into_iter().partition(|d| d.join(RUN_FILE).exists());
    let deeper = others.iter().flat_map(|d| below(d)).filter(|d| d.join(RUN_FILE).exists());
    runs.into_iter().chain(deeper).collect()
}

/// Names, sizes and times of a run's files: as long as these stay, so does its row.
pub(super) fn files(directory: &Path) -> String {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let one = |e: std::fs::DirEntry| {
        let data = e.metadata().ok()?;
        let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(format!("{} {} {changed}", e.file_name().to_string_lossy(), data.len()))
    };
    let mut lines: Vec<String> = files.filter_map(one).collect();
    lines.sort();
    lines.join("\n")
}
