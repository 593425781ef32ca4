//! Engines that ran a run, a line for each change: on another engine a run has other digits.

use crate::run_folder::{FolderError, fail, io};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xpuck_kernels::engine::EngineStatus;
use xpuck_wire::{atomic, file};

/// The file.
const ENGINES: &str = "engines.jsonl";
/// Longest such file, bytes.
const MAX_ENGINES: u64 = 1 << 20;

/// The file of engines in a run's folder.
pub(super) struct Engines {
    path: PathBuf,
    /// The engine that ran last; none if no generation was run.
    last: Option<Note>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    /// The first generation that it ran.
    generation: u32,
    engine: String,
    adapter: Option<String>,
    driver: Option<String>,
}

impl Note {
    fn of(generation: u32, status: &EngineStatus) -> Note {
        let EngineStatus { engine, adapter, driver, .. } = status.clone();
        Note { generation, engine: engine.into(), adapter, driver }
    }

    /// True if both give the same digits.
    fn equals(&self, other: &Note) -> bool {
        let exact = |note: &Note| matches!(note.engine.as_str(), "simd" | "reference");
        let same = (&self.engine, &self.adapter, &self.driver) == (&other.engine, &other.adapter, &other.driver);
        same || exact(self) && exact(other)
    }

    fn words(&self) -> String {
        let [adapter, driver] = [(" on ", &self.adapter), (", driver ", &self.driver)]
            .map(|(before, text)| text.as_ref().map_or(String::new(), |text| format!("{before}{text}")));
        format!("{}{adapter}{driver}", self.engine)
    }
}

impl Engines {
    /// Reads the file of a folder; there need be none yet.
    ///
    /// # Errors
    /// It cannot be read, or its last line is damaged.
    pub(super) fn open(folder: &Path) -> Result<Engines, FolderError> {
        let path = folder.join(ENGINES);
        let text = text(&path)?;
        let last = text.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).map(serde_json::from_slice);
        let last = last.transpose().map_err(|error| fail(&path, format!("its last line: {error}")))?;
        Ok(Engines { path, last })
    }

    /// Notes which engine ran a generation, if it is another than before.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(super) fn note(&mut self, generation: u32, status: &EngineStatus) -> Result<(), FolderError> {
        let note = Note::of(generation, status);
        if self.last.as_ref().is_some_and(|last| Note { generation, ..last.clone() } == note) {
            return Ok(());
        }
        let mut bytes = text(&self.path)?;
        bytes.extend(serde_json::to_vec(&note).expect("plain data"));
        bytes.push(b'\n');
        if bytes.len() as u64 > MAX_ENGINES {
            // A device that comes and goes all the time; what it was is told well enough.
            return Ok(());
        }
        atomic::write(&self.path, &bytes).map_err(io(&self.path))?;
        self.last = Some(note);
        Ok(())
    }

    /// Line for a person if this engine is another than the last: the digits are no longer those of an uninterrupted run.
    pub(super) fn other(&self, status: &EngineStatus) -> Option<String> {
        let (last, now) = (self.last.as_ref()?, Note::of(0, status));
        // Before auto has settled nobody knows.
        if status.engine.is_empty() || last.equals(&now) {
            return None;
        }
        let (last, now) = (last.words(), now.words());
        Some(format!("was simulated by {last} and goes on with {now}: not the digits of an uninterrupted run"))
    }
}

/// All of the file; empty if there is none.
fn text(path: &Path) -> Result<Vec<u8>, FolderError> {
    match file::bytes(path, MAX_ENGINES) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        text => text.map_err(|error| fail(path, format!("cannot be read: {error}"))),
    }
}
