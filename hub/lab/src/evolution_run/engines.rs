//! Log of the engines that a run uses. A change of engine is recorded, because it may change the results.

use crate::run_folder::{FolderError, fail, io};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xpuck_kernels::engine::EngineStatus;
use xpuck_wire::{atomic, file};

/// Name of the log file.
const ENGINES: &str = "engines.jsonl";
/// Maximum length of the log file (bytes).
const MAX_ENGINES: u64 = 1 << 20;

/// Log file of engines in a run's folder.
pub(super) struct Engines {
    path: PathBuf,
    /// Engine that simulated the last generation; `None` before the first generation.
    last: Option<Note>,
}

/// Line of the log file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    /// First generation that the engine simulated.
    generation: u32,
    engine: String,
    adapter: Option<String>,
    driver: Option<String>,
}

impl Note {
    fn from_status(generation: u32, status: &EngineStatus) -> Note {
        let EngineStatus { engine, adapter, driver, .. } = status.clone();
        Note { generation, engine: engine.into(), adapter, driver }
    }

    /// Returns whether two engines are known to give identical results.
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
    /// Opens the log file of a run's folder. The file may be missing.
    ///
    /// # Errors
    /// The file cannot be read, or its last line is damaged.
    pub(super) fn open(folder: &Path) -> Result<Engines, FolderError> {
        let path = folder.join(ENGINES);
        let text = text(&path)?;
        let last = text.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).map(serde_json::from_slice);
        let last = last
            .transpose()
            .map_err(|error| fail(&path, format!("last line: {error}; remove the file to continue the run")))?;
        Ok(Engines { path, last })
    }

    /// Records the engine that simulated a generation, if it differs from the previous engine.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(super) fn note(&mut self, generation: u32, status: &EngineStatus) -> Result<(), FolderError> {
        let note = Note::from_status(generation, status);
        if self.last.as_ref().is_some_and(|last| Note { generation, ..last.clone() } == note) {
            return Ok(());
        }
        let mut bytes = text(&self.path)?;
        bytes.extend(serde_json::to_vec(&note).expect("plain data"));
        bytes.push(b'\n');
        if bytes.len() as u64 > MAX_ENGINES {
            // The file is full, because the engine changes very often. Further changes are not recorded.
            return Ok(());
        }
        atomic::write(&self.path, &bytes).map_err(io(&self.path))?;
        self.last = Some(note);
        Ok(())
    }

    /// Returns a notice if the run continues with an engine whose results may differ from those of the last engine.
    /// Returns `None` if the results are known to be equal, or if one of the engines is not known yet.
    pub(super) fn other(&self, status: &EngineStatus) -> Option<String> {
        let (last, now) = (self.last.as_ref()?, Note::from_status(0, status));
        // The engine is unknown until `auto` has chosen it.
        if status.engine.is_empty() || last.equals(&now) {
            return None;
        }
        let (last, now) = (last.words(), now.words());
        Some(format!("was simulated by {last} and continues with {now}: results may differ from an uninterrupted run"))
    }
}

/// Returns the contents of the log file; empty if the file does not exist.
fn text(path: &Path) -> Result<Vec<u8>, FolderError> {
    match file::bytes(path, MAX_ENGINES) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        text => text.map_err(|error| fail(path, format!("cannot be read: {error}"))),
    }
}
