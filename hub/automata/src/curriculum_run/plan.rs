//! What a run is: a curriculum, the files that it names, and a seed.

use crate::scenario::{Scenario, ScenarioError, original};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_kernels::hash::fnv1a;
use xpuck_lab::run_folder::FolderError;
use xpuck_wire::atomic;
use xpuck_wire::file::{self, FileError};

/// Longest curriculum file, bytes.
pub const MAX_CURRICULUM: u64 = 1 << 20;
/// Longest population file, bytes.
pub(super) const MAX_POPULATION: u64 = 64 << 20;

/// What a run is.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What errors call the curriculum's file.
    pub name: String,
    /// Its text.
    pub(super) text: String,
    /// The files that it names, populations and a project's worlds, and their texts.
    pub(super) beside: BTreeMap<String, String>,
    /// Of all draws.
    pub seed: u64,
    /// The curriculum.
    pub scenario: Scenario,
}

impl Plan {
    /// Reads a curriculum file, or a project of the document's program, and the files that it names: populations, relative to
    /// a curriculum, and a project's worlds.
    ///
    /// # Errors
    /// One line with file, line and key.
    pub fn read(path: &Path, seed: u64) -> Result<Plan, PlanError> {
        let text = file::text(path, MAX_CURRICULUM)?;
        let folder = if is_project(&text) { Path::new("") } else { atomic::folder(path) };
        Plan::of(path.display().to_string(), text, seed, |beside| {
            file::text(&folder.join(beside), MAX_POPULATION).map_err(|error| error.to_string())
        })
    }

    /// The number by which a folder knows this run.
    pub(super) fn fingerprint(&self) -> String {
        let mut all = format!("{}\0{}", self.text, self.seed);
        for (name, text) in &self.beside {
            all += &format!("\0{name}\0{text}");
        }
        format!("{:016x}", fnv1a(all.bytes()))
    }

    /// Of a curriculum's text; `read` says what is in the files that it names.
    pub(super) fn of(
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

/// True of a project of the document's program, which begins with a number of steps; curricula are TOML.
pub fn is_project(text: &str) -> bool {
    let first = text.lines().map(|line| line.split('#').next().unwrap_or("").trim()).find(|line| !line.is_empty());
    first.is_some_and(|first| first.parse::<u32>().is_ok())
}

/// A plan that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Its file.
    #[error(transparent)]
    File(#[from] FileError),
    /// What it says.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The folder that holds it.
    #[error(transparent)]
    Folder(#[from] FolderError),
}
