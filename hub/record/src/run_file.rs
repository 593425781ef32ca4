//! `run.toml`: description of a run, with the complete effective configuration. It is written when the run begins and
//! when its state changes.

use super::RecordError;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use xpuck_experiment::Experiment;
use xpuck_hub_core::config::Config;
use xpuck_wire::atomic;
use xpuck_wire::file;
use xpuck_wire::mark;

/// Name of the file that describes a run.
pub const RUN_FILE: &str = "run.toml";
/// Properties of a run at its start.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// Name of the experiment.
    pub name: &'a str,
    /// Text of the experiment.
    pub text: &'a str,
    /// Contents of the files to which the experiment refers, by file name.
    pub files: &'a BTreeMap<String, String>,
    /// Seed of the run.
    pub seed: u64,
    /// Wall time at the start (ms since 1970).
    pub unix_ms: u64,
    /// Commit from which the program was built.
    pub commit: &'a str,
}

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// A hub is writing the record, or was killed recently.
    Running,
    /// The run was closed normally.
    Finished,
    /// The hub was killed, and the run's saved state is missing. The files of the record have been completed.
    Recovered,
    /// The hub was killed during the run, and no hub resumed the run in time.
    Aborted,
}

impl RunState {
    /// Returns the name of the state, as written in files.
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Finished => "finished",
            RunState::Recovered => "recovered",
            RunState::Aborted => "aborted",
        }
    }
}

/// Contents of `run.toml`. Configurations are stored as tables, so that later versions can read the files of earlier
/// versions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunFile {
    /// Name of the experiment.
    pub name: String,
    /// State of the run.
    pub state: RunState,
    /// Names of files that were truncated or damaged, and have been recovered.
    #[serde(default)]
    pub recovered: Vec<String>,
    /// Version of the hub.
    pub version: String,
    /// Commit from which the hub was built.
    #[serde(default)]
    pub git_commit: String,
    /// Start time (ms since 1970).
    pub started_unix_ms: u64,
    /// Seed of the run.
    #[serde(serialize_with = "write_seed", deserialize_with = "read_seed")]
    pub seed: u64,
    /// Ids of the robots, in the order of their islands.
    pub robots: Vec<String>,
    /// Ratio of arena time to wall time.
    pub speed: f64,
    /// Mark of the swarm ([`xpuck_wire::mark`]). `None` in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swarm_mark: Option<String>,
    /// Experiment, completed with default values.
    pub experiment: toml::Table,
    /// Contents of the files to which the experiment refers, by file name. Empty in records of earlier versions.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Contents of the swarm file, as used for the run.
    #[serde(default)]
    pub swarm: toml::Table,
    /// Contents of the hub file, as used for the run.
    pub hub: toml::Table,
}

/// Writes a seed below 2^63 as a number. A larger seed is written as text, because TOML's integers are below 2^63.
fn write_seed<S: Serializer>(seed: &u64, to: S) -> Result<S::Ok, S::Error> {
    match i64::try_from(*seed) {
        Ok(seed) => to.serialize_i64(seed),
        Err(_) => to.serialize_str(&seed.to_string()),
    }
}

fn read_seed<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let value = toml::Value::deserialize(from)?;
    let seed = match &value {
        toml::Value::Integer(seed) => u64::try_from(*seed).ok(),
        toml::Value::String(text) => text.parse().ok(),
        _ => None,
    };
    seed.ok_or_else(|| serde::de::Error::custom(format!("seed = {value} is not a valid seed (0 to 2^64 - 1)")))
}

impl RunFile {
    /// Creates the description of a run that begins.
    ///
    /// # Errors
    /// If the experiment is invalid, or a value cannot be written as TOML.
    pub fn new(config: &Config, begins: &Beginning) -> Result<RunFile, String> {
        let experiment = Experiment::parse("experiment", begins.text).map_err(|error| error.to_string())?;
        let table = |value: Result<toml::Table, toml::ser::Error>| value.map_err(|error| error.to_string());
        Ok(RunFile {
            name: experiment.name.clone(),
            state: RunState::Running,
            recovered: Vec::new(),
            version: env!("CARGO_PKG_VERSION").into(),
            git_commit: begins.commit.into(),
            started_unix_ms: begins.unix_ms,
            seed: begins.seed,
            robots: config.swarm.robots.clone(),
            speed: config.swarm.speed,
            swarm_mark: mark::swarm_mark(&config.swarm).ok(),
            experiment: table(toml::Table::try_from(&experiment))?,
            files: begins.files.clone(),
            swarm: table(toml::Table::try_from(&config.swarm))?,
            hub: table(toml::Table::try_from(&config.hub))?,
        })
    }

    /// Reads `run.toml` in a run's directory.
    ///
    /// # Errors
    /// If the file does not exist, or is invalid.
    pub fn read(directory: &Path) -> Result<RunFile, RecordError> {
        file::read(&directory.join(RUN_FILE)).map_err(|error| RecordError::new(directory, error))
    }

    /// Changes `run.toml` in a run's directory. A lock prevents concurrent changes by other threads and programs.
    ///
    /// # Errors
    /// If the file does not exist, is invalid, or cannot be written.
    pub fn change(directory: &Path, how: impl FnOnce(&mut RunFile)) -> Result<(), RecordError> {
        let folder = File::open(directory).map_err(|error| RecordError::new(directory, error))?;
        folder.lock().map_err(|error| RecordError::new(directory, error))?;
        let mut run = RunFile::read(directory)?;
        how(&mut run);
        run.write(directory)
    }

    /// Writes `run.toml` to a run's directory atomically.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), RecordError> {
        let text = toml::to_string(self).map_err(|error| RecordError::new(directory, error))?;
        atomic::write(&directory.join(RUN_FILE), text.as_bytes()).map_err(|error| RecordError::new(directory, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_round_trips_through_file() {
        for seed in [0, 7, i64::MAX as u64, u64::MAX] {
            let table = toml::Table::new;
            let run = RunFile {
                name: "x".into(),
                state: RunState::Running,
                recovered: vec![],
                version: "0".into(),
                git_commit: "unknown".into(),
                started_unix_ms: 1,
                seed,
                robots: vec!["xp01".into()],
                speed: 8.0,
                swarm_mark: None,
                experiment: table(),
                files: BTreeMap::new(),
                swarm: table(),
                hub: table(),
            };
            let directory = tempfile::tempdir().unwrap();
            run.write(directory.path()).unwrap();
            let read = RunFile::read(directory.path()).unwrap();
            assert_eq!((read.seed, read.state, read.git_commit.as_str()), (seed, RunState::Running, "unknown"));
        }
    }
}
