//! An experiment's file with the files that it names.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_experiment::{Experiment, sent_name};
use xpuck_wire::file;

/// What is to be sent.
pub struct ExperimentFiles {
    /// The experiment's text.
    pub text: String,
    /// The same, read.
    pub experiment: Experiment,
    /// The files that go with it, by the names under which they are sent.
    pub files: BTreeMap<String, String>,
}

/// Reads an experiment; files that it names and that are not `given` are found from its own file.
pub fn read(path: &Path, given: BTreeMap<String, String>) -> Result<ExperimentFiles> {
    let text = file::text(path, file::MAX_TOML)?;
    let experiment = Experiment::parse(&path.display().to_string(), &text)?;
    let here = path.parent().unwrap_or(Path::new(""));
    let mut files = given;
    for named in experiment.files() {
        let name = sent_name(named);
        if !files.contains_key(name) {
            let text = file::text(&here.join(named), file::MAX_TOML)
                .with_context(|| format!("{} names `{named}`", path.display()))?;
            files.insert(name.into(), text);
        }
    }
    Ok(ExperimentFiles { text, experiment, files })
}
