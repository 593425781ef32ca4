//! Experiment file, with the files to which the experiment refers.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_experiment::robot_model::{beside, named_robot};
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
    let mut open: Vec<String> = experiment.files().into_iter().map(str::to_string).collect();
    while let Some(named) = open.pop() {
        let name = sent_name(&named);
        if !files.contains_key(name) {
            let text = file::text(&here.join(&named), file::MAX_TOML)
                .with_context(|| format!("{} names `{named}`", path.display()))?;
            // Worlds and robot models may name a file of a robot model in their folder.
            open.extend(named_robot(&text).map(|robot| beside(&named, &robot)));
            files.insert(name.into(), text);
        }
    }
    Ok(ExperimentFiles { text, experiment, files })
}
