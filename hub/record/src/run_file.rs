//! `run.toml`: what a run was, with everything that was in effect. It is written when the run begins and again when its
//! state changes.

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

/// Its name.
pub const RUN_FILE: &str = "run.toml";
/// What a run is that begins now.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// The experiment's name.
    pub name: &'a str,
    /// The experiment's text.
    pub text: &'a str,
    /// The files that it names, by name.
    pub files: &'a BTreeMap<String, String>,
    /// Seed of the run.
    pub seed: u64,
    /// Wall time, ms since 1970.
    pub unix_ms: u64,
    /// The commit that the program was built from.
    pub commit: &'a str,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// A hub writes it, or died a moment ago.
    Running,
    /// It was closed as it should be.
    Finished,
    /// Its hub died and did not return in time; what was recorded is whole.
    Recovered,
    /// The run was going on when its hub died, and no hub took it up in time.
    Aborted,
}

impl RunState {
    /// Its name, as in files.
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Finished => "finished",
            RunState::Recovered => "recovered",
            RunState::Aborted => "aborted",
        }
    }
}

/// The file's contents. Configurations are kept as tables, so that a later version reads the files of an earlier one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunFile {
    /// The experiment's name.
    pub name: String,
    /// How the run stands.
    pub state: RunState,
    /// Files that were cut off and made whole again.
    #[serde(default)]
    pub recovered: Vec<String>,
    /// Version of the hub.
    pub version: String,
    /// Commit that the hub was built from.
    #[serde(default)]
    pub git_commit: String,
    /// When it began, ms since 1970.
    pub started_unix_ms: u64,
    /// Seed of the run.
    #[serde(serialize_with = "write_seed", deserialize_with = "read_seed")]
    pub seed: u64,
    /// The robots, in the order of their islands.
    pub robots: Vec<String>,
    /// Seconds of arena time in a second of the wall clock.
    pub speed: f64,
    /// Which swarm's run it is ([`xpuck_wire::mark`]); records of earlier versions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swarm_mark: Option<String>,
    /// The experiment, with what it leaves out filled in.
    pub experiment: toml::Table,
    /// The files that the experiment names, by name; records of earlier versions have none.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The swarm file in effect.
    #[serde(default)]
    pub swarm: toml::Table,
    /// The hub's file in effect.
    pub hub: toml::Table,
}

/// TOML has no whole numbers above 2^63: such a seed is text.
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
    seed.ok_or_else(|| serde::de::Error::custom(format!("seed = {value} is no seed")))
}

impl RunFile {
    /// What a run is that begins now.
    ///
    /// # Errors
    /// If something cannot be written as TOML.
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
            swarm_mark: mark::of(&config.swarm).ok(),
            experiment: table(toml::Table::try_from(&experiment))?,
            files: begins.files.clone(),
            swarm: table(toml::Table::try_from(&config.swarm))?,
            hub: table(toml::Table::try_from(&config.hub))?,
        })
    }

    /// Reads the file of a run's directory.
    ///
    /// # Errors
    /// If there is none, or it is no such file.
    pub fn read(directory: &Path) -> Result<RunFile, RecordError> {
        file::read(&directory.join(RUN_FILE)).map_err(|error| RecordError::of(directory, error))
    }

    /// Changes the file. Several threads and programs may do so at the same time: each waits for the other.
    ///
    /// # Errors
    /// There is none, or what the disk says.
    pub fn change(directory: &Path, how: impl FnOnce(&mut RunFile)) -> Result<(), RecordError> {
        let folder = File::open(directory).map_err(|error| RecordError::of(directory, error))?;
        folder.lock().map_err(|error| RecordError::of(directory, error))?;
        let mut run = RunFile::read(directory)?;
        how(&mut run);
        run.write(directory)
    }

    /// Puts the file in its place, whole.
    ///
    /// # Errors
    /// What the disk says.
    pub fn write(&self, directory: &Path) -> Result<(), RecordError> {
        let text = toml::to_string(self).map_err(|error| RecordError::of(directory, error))?;
        atomic::write(&directory.join(RUN_FILE), text.as_bytes()).map_err(|error| RecordError::of(directory, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_survives_the_file() {
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
