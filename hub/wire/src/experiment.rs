//! The experiment file: what the swarm is to do, sent as text to every robot.

use crate::file::{self, FileError};
use crate::migration::Migration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest experiment text, bytes.
const MAX_TEXT: usize = 64 * 1024;

/// An experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Name for records and displays.
    pub name: String,
    /// Running time, minutes of arena time, pauses left out; 0.05 to 1440.
    #[schemars(range(min = 0.05, max = 1440.0))]
    pub minutes: f64,
    /// Every so many minutes each robot loads its fittest tree.
    #[schemars(range(min = 0.01))]
    pub segment_minutes: f64,
    /// What is scored.
    pub task: Task,
    /// A behaviour tree that all robots run as written for the whole run, in place of evolution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// The same, in a file that is sent along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller_file: Option<String>,
    /// How controllers evolve.
    #[serde(default)]
    pub evolution: Evolution,
    /// How genes travel between the robots.
    #[serde(default)]
    pub migration: Migration,
}

/// The tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Push the frisbee towards -x; it is put back near the centre when it touches an end (thesis 8.3.2).
    Transport,
}

/// How controllers evolve; defaults are Table 8.1's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Evolution {
    /// Individuals on each robot.
    #[schemars(range(min = 8, max = 4096))]
    pub population: usize,
    /// Simulated seconds of each trial.
    #[schemars(range(min = 1.0, max = 3600.0))]
    pub trial_seconds: f32,
    /// The algorithm's name, such as "racing", "pooled-samples" or "classic"; "default" stands for the default one. Who
    /// runs it knows which there are.
    pub algorithm: Option<String>,
    /// An older way to say `algorithm = "noise-aware"`: as the thesis describes it, which selects luck.
    pub as_published: bool,
}

impl Default for Evolution {
    fn default() -> Evolution {
        Evolution { population: 256, trial_seconds: 30.0, algorithm: None, as_published: false }
    }
}

impl Evolution {
    /// The name of the algorithm that is asked for.
    pub fn algorithm(&self) -> &str {
        match &self.algorithm {
            Some(name) => name,
            None if self.as_published => "noise-aware",
            None => "default",
        }
    }
}

impl Experiment {
    /// Reads and checks an experiment; `name` is what errors call the text.
    pub fn parse(name: &str, text: &str) -> Result<Experiment, FileError> {
        if text.len() > MAX_TEXT {
            return Err(FileError::value(name, format!("{} bytes; at most {MAX_TEXT} are allowed", text.len())));
        }
        let experiment: Experiment = file::parse(name, text)?;
        let e = &experiment;
        let rows = [
            ("minutes", e.minutes, 0.05, 1440.0),
            ("segment_minutes", e.segment_minutes, 0.01, e.minutes),
            ("evolution.population", e.evolution.population as f64, 8.0, 4096.0),
            ("evolution.trial_seconds", f64::from(e.evolution.trial_seconds), 1.0, 3600.0),
        ];
        for (key, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(FileError::value(name, format!("{key} = {value} is outside {low}..={high}")));
            }
        }
        if e.evolution.as_published && e.evolution.algorithm() != "noise-aware" {
            let message = "evolution.as_published = true means algorithm = \"noise-aware\", and another is named";
            return Err(FileError::value(name, message));
        }
        if e.controller.is_some() && e.controller_file.is_some() {
            return Err(FileError::value(name, "controller and controller_file are both given; choose one"));
        }
        experiment.migration.check().map_err(|message| FileError::value(name, message))?;
        Ok(experiment)
    }

    /// Running time, s.
    pub fn seconds(&self) -> f64 {
        self.minutes * 60.0
    }

    /// Length of a segment, s.
    pub fn segment_seconds(&self) -> f64 {
        self.segment_minutes * 60.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "name = \"x\"\nminutes = 16.0\nsegment_minutes = 2.0\ntask = \"transport\"\n";

    #[test]
    fn the_shipped_experiment_reads() {
        let e = Experiment::parse("transport.toml", include_str!("../../experiments/transport.toml")).unwrap();
        assert_eq!((e.seconds(), e.segment_seconds()), (960.0, 120.0));
    }

    #[test]
    fn an_algorithm_is_named_or_meant() {
        let name = |more: &str| {
            let read = Experiment::parse("e.toml", &format!("{GOOD}[evolution]\n{more}"));
            read.map(|e| e.evolution.algorithm().to_string()).map_err(|e| e.to_string())
        };
        assert_eq!(name("").unwrap(), "default");
        assert_eq!(name("algorithm = \"classic\"").unwrap(), "classic");
        assert_eq!(name("as_published = true").unwrap(), "noise-aware");
        assert!(name("as_published = true\nalgorithm = \"racing\"").unwrap_err().contains("as_published"));
    }

    #[test]
    fn errors_name_line_and_key() {
        let unknown = Experiment::parse("e.toml", &format!("{GOOD}[evolution]\npoplation = 3\n")).unwrap_err();
        let text = unknown.to_string();
        assert!(text.starts_with("e.toml: line 6: unknown field `poplation`"), "{text}");
        assert!(text.contains("population"), "the known keys are listed: {text}");
        let range = Experiment::parse("e.toml", &GOOD.replace("16.0", "-1.0")).unwrap_err().to_string();
        assert!(range.contains("minutes = -1"), "{range}");
        let migration = Experiment::parse("e.toml", &format!("{GOOD}[migration]\nkeep = 0\n")).unwrap_err().to_string();
        assert!(migration.starts_with("e.toml: migration.keep = 0"), "{migration}");
        assert!(Experiment::parse("e.toml", &"#".repeat(MAX_TEXT + 1)).is_err());
    }
}
