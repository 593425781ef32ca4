//! Sweeps: the same evolution under several settings and many seeds.

use crate::{errors, pool};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use xpuck_lab::sweep::evolution::{self, State};
use xpuck_lab::sweep::folder::Folder;
use xpuck_lab::sweep::{self, collect, file};

/// Sweep with its folder.
#[pyclass(module = "xpuck")]
pub struct Sweep {
    sweep: sweep::Sweep,
    path: PathBuf,
    folder: Folder,
}

#[pymethods]
impl Sweep {
    /// Opens a sweep file (docs/sweeps.md). Its folder is opened, or created if it does not exist. `function` states
    /// whether a Python function computes the fitness.
    #[new]
    fn new(path: PathBuf, out: Option<PathBuf>, function: bool) -> PyResult<Sweep> {
        let sweep = file::read(&path).map_err(|error| errors::of_file(&path, error))?;
        let out = out.unwrap_or_else(|| Path::new("runs").join(&sweep.name));
        let check = |file: &Path| match function {
            true if !evolution::has_function(file)? => {
                Err("fitness requires the line fitness = \"NAME\" under [base] in the sweep file".into())
            }
            true => Ok(()),
            false => evolution::check(file),
        };
        let folder = Folder::open(&out, &sweep, check).map_err(errors::value)?;
        Ok(Sweep { sweep, path: out, folder })
    }

    /// Returns all runs: name, label of the settings, seed, evolution file, folder, and state ("new", "begun" or
    /// "done").
    fn runs(&self) -> Vec<(String, String, u64, PathBuf, PathBuf, &'static str)> {
        let state = |state| match state {
            State::New => "new",
            State::Begun => "begun",
            State::Done => "done",
        };
        let runs = self.folder.runs().iter();
        runs.map(|run| {
            let label = self.sweep.points[run.point].label.clone();
            (run.name.clone(), label, run.seed, run.file.clone(), run.folder.clone(), state(run.state()))
        })
        .collect()
    }

    /// Writes tables, curves and a summary of the finished runs to the folder. Returns the comparison of the settings
    /// as JSON.
    fn collect(&self, py: Python<'_>) -> PyResult<String> {
        let collected = pool::compute(py, || collect::collect(&self.sweep, &self.folder))?.map_err(errors::file)?;
        Ok(serde_json::to_string(&collected.settings).expect("plain data"))
    }

    /// Folder of the sweep.
    #[getter]
    fn folder(&self) -> &Path {
        &self.path
    }

    /// Name of the sweep.
    #[getter]
    fn name(&self) -> &str {
        &self.sweep.name
    }
}
