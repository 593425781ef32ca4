//! Plan of a run: a curriculum, its files, and a seed.

use crate::scenario::{Scenario, ScenarioError, original};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_kernels::hash::fnv1a;
use xpuck_lab::run_folder::FolderError;
use xpuck_wire::atomic;
use xpuck_wire::file::{self, FileError};

/// Maximum length of a curriculum file (bytes).
pub const MAX_CURRICULUM: u64 = 1 << 20;
/// Maximum length of a population file (bytes).
pub(super) const MAX_POPULATION: u64 = 64 << 20;

/// Plan of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the curriculum file in error messages.
    pub name: String,
    /// Text of the curriculum file.
    pub(super) text: String,
    /// Texts of the files that the curriculum names, by file name. The files are saved populations, and the worlds of a
    /// project.
    pub(super) beside: BTreeMap<String, String>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Parsed curriculum.
    pub scenario: Scenario,
}

impl Plan {
    /// Reads a curriculum file, or a project of Petrovic's program. Also reads all saved populations and worlds that
    /// the file names. In a curriculum, their paths are relative to the folder of the curriculum file. In a project,
    /// their paths are relative to the current folder.
    ///
    /// # Errors
    /// One line with file, line and key.
    pub fn read(path: &Path, seed: u64) -> Result<Plan, PlanError> {
        let text = file::text(path, MAX_CURRICULUM)?;
        let folder = if is_project(&text) { Path::new("") } else { atomic::folder(path) };
        Plan::from_text(path.display().to_string(), text, seed, |beside| {
            file::text(&folder.join(beside), MAX_POPULATION).map_err(|error| error.to_string())
        })
    }

    /// Returns the hash that identifies this run in its folder.
    pub(super) fn fingerprint(&self) -> String {
        let mut all = format!("{}\0{}", self.text, self.seed);
        for (name, text) in &self.beside {
            all += &format!("\0{name}\0{text}");
        }
        format!("{:016x}", fnv1a(all.bytes()))
    }

    /// Creates a plan from the text of a curriculum or project. `read` returns the content of a file that the text
    /// names.
    pub(super) fn from_text(
        name: String,
        text: String,
        seed: u64,
        mut read: impl FnMut(&str) -> Result<String, String>,
    ) -> Result<Plan, PlanError> {
        let mut beside = BTreeMap::new();
        let read = |path: &str| {
            let text = read(path)?;
            beside.insert(path.to_string(), text.clone());
            Ok(text)
        };
        let scenario = match is_project(&text) {
            true => original::project(&name, &text, read)?,
            false => Scenario::parse_with(&name, &text, read)?,
        };
        Ok(Plan { name, text, beside, seed, scenario })
    }
}

/// Returns whether the text is a project of Petrovic's program. Projects begin with the number of steps, whereas
/// curricula are TOML.
pub fn is_project(text: &str) -> bool {
    let first = text.lines().map(|line| line.split('#').next().unwrap_or("").trim()).find(|line| !line.is_empty());
    first.is_some_and(|first| first.parse::<u32>().is_ok())
}

/// Reason for which a plan cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Error in reading a file.
    #[error(transparent)]
    File(#[from] FileError),
    /// Error in the curriculum.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// Error of the run's folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
}
