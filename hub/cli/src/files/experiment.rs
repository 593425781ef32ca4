//! Experiment file, with the files to which the experiment refers.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_experiment::{Experiment, sent_name};
use xpuck_wire::file;

/// Experiment to send to the hub.
pub struct ExperimentFiles {
    /// Text of the experiment.
    pub text: String,
    /// Parsed experiment.
    pub experiment: Experiment,
    /// Texts of the files to which the experiment refers, by the names under which they are sent.
    pub files: BTreeMap<String, String>,
}

/// Reads an experiment and the files to which it refers. The paths of these files are relative to the experiment's
/// folder. `given` maps file names to texts that are used in place of the files.
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
