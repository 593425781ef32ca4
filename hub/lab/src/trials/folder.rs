//! Folder of trials. One file contains the settings and all results, and is replaced atomically after every trial.

use super::watch::Discard;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use xpuck_wire::{atomic, file};

/// Name of the file with the settings and results.
const FILE: &str = "trials.json";
/// Version of the file's format.
const FORMAT: u32 = 1;
/// Maximum size of the file (bytes).
const MOST: u64 = 1 << 24;

/// Error of a folder of trials. It is a single line with the file and the cause.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {why}")]
pub struct TrialsError {
    place: String,
    why: String,
}

/// Settings of the trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Text form of the tree that all robots run.
    pub tree: String,
    /// World: `scenario a`, `scenario b`, `scenario mix`, or the text of a world file.
    pub world: String,
    /// Number of robots.
    pub robots: usize,
    /// Duration of a trial (s of arena time).
    pub seconds: f64,
    /// Number of trials.
    pub runs: u32,
    /// Seed of the start poses.
    pub seed: u64,
    /// Number of simulations for the comparison.
    pub simulations: u32,
}

/// Result of one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Number of the trial, from 1.
    pub number: u32,
    /// Number of the simulated world that defines the start poses. `xpuck simulate --run` shows this world.
    pub world: u32,
    /// Intended start poses of the robots: x (m), y (m), and heading (rad).
    pub starts: Vec<[f32; 3]>,
    /// Maximum deviations of the robots from their start poses: position (m) and heading (degrees).
    pub off: [f32; 2],
    /// Time that the robots needed to park at their start poses (s).
    pub parked_s: f64,
    /// Position of the frisbee along x at the start and at the end (m). `None` without a frisbee.
    pub frisbee_x: Option<[f64; 2]>,
    /// Running time that counts for the fitness (s).
    pub seconds: f64,
    /// Fitness of the swarm.
    pub fitness: f64,
    /// Path of the record.
    pub record: String,
    /// Reason for excluding the trial from the comparison. `None` if it is included.
    pub discard: Option<Discard>,
}

/// Settings and results of the trials so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trials {
    format: u32,
    /// Settings of the trials.
    pub settings: Settings,
    /// Results of the trials, in the order of execution.
    pub trials: Vec<Trial>,
    #[serde(skip)]
    folder: PathBuf,
}

impl Trials {
    /// Returns the fitness of each trial that is not excluded.
    pub fn fitness(&self) -> Vec<f64> {
        self.trials.iter().filter(|trial| trial.discard.is_none()).map(|trial| trial.fitness).collect()
    }

    /// Adds a trial and writes the file of trials.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, trial: Trial) -> Result<(), TrialsError> {
        self.trials.push(trial);
        self.write()
    }

    fn write(&self) -> Result<(), TrialsError> {
        let path = self.folder.join(FILE);
        let wrong = |why: String| TrialsError { place: path.display().to_string(), why };
        let text = serde_json::to_vec_pretty(self).map_err(|error| wrong(error.to_string()))?;
        atomic::write(&path, &text).map_err(|error| wrong(error.to_string()))
    }

    /// Writes another file next to the file of trials.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_beside(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, TrialsError> {
        let path = self.folder.join(name);
        let wrong = |why: String| TrialsError { place: path.display().to_string(), why };
        atomic::write(&path, bytes).map_err(|error| wrong(error.to_string()))?;
        Ok(path)
    }
}

/// Opens the trials of a folder, or creates them. If trials exist, `settings` must equal their settings, except for the
/// numbers of runs and simulations.
///
/// # Errors
/// If the folder cannot be read or written, or contains trials of other settings.
pub fn open(folder: &Path, settings: &Settings) -> Result<Trials, TrialsError> {
    let path = folder.join(FILE);
    let wrong = |why: String| TrialsError { place: path.display().to_string(), why };
    if !path.exists() {
        std::fs::create_dir_all(folder).map_err(|error| wrong(error.to_string()))?;
        let trials =
            Trials { format: FORMAT, settings: settings.clone(), trials: Vec::new(), folder: folder.to_path_buf() };
        trials.write()?;
        return Ok(trials);
    }
    let text = file::text(&path, MOST).map_err(|error| wrong(error.to_string()))?;
    let mut trials: Trials =
        serde_json::from_str(&text).map_err(|error| wrong(format!("contains no valid trials: {error}")))?;
    if trials.format != FORMAT {
        return Err(wrong(format!(
            "has format {}, but this program reads format {FORMAT}; use the version that wrote the file",
            trials.format
        )));
    }
    let Settings { runs, simulations, .. } = settings.clone();
    let same = Settings { runs, simulations, ..trials.settings.clone() };
    if same != *settings {
        let differs = [
            ("tree", same.tree != settings.tree),
            ("world", same.world != settings.world),
            ("robots", same.robots != settings.robots),
            ("seconds", same.seconds != settings.seconds),
            ("seed", same.seed != settings.seed),
        ];
        let names: Vec<&str> = differs.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
        return Err(wrong(format!(
            "contains trials with different settings ({}); choose another folder",
            names.join(", ")
        )));
    }
    trials.settings = same;
    trials.folder = folder.to_path_buf();
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reopening_restores_trials_and_rejects_other_settings() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            tree: "failurel\n".into(),
            world: "scenario a".into(),
            robots: 9,
            seconds: 60.0,
            runs: 20,
            seed: 1,
            simulations: 500,
        };
        let mut trials = open(folder.path(), &settings).unwrap();
        let trial = |number, fitness, discard| Trial {
            number,
            world: 7,
            starts: vec![[0.1, 0.2, 0.3]],
            off: [0.01, 2.0],
            parked_s: 20.0,
            frisbee_x: Some([0.0, -0.3]),
            seconds: 60.0,
            fitness,
            record: "runs/1".into(),
            discard,
        };
        trials.add(trial(1, 0.1, None)).unwrap();
        trials.add(trial(2, 0.7, Some(Discard::Battery("xp02".into())))).unwrap();
        let again = open(folder.path(), &Settings { runs: 30, ..settings.clone() }).unwrap();
        assert_eq!((again.trials.len(), again.fitness(), again.settings.runs), (2, vec![0.1], 30));
        assert_eq!(again.trials, trials.trials);
        let other = open(folder.path(), &Settings { seed: 2, ..settings }).unwrap_err().to_string();
        assert!(other.contains("different settings (seed)"), "{other}");
    }
}
