//! Experiment file, which defines the work of a swarm. Its text is sent to every robot.

use crate::lamps::Lamps;
use crate::phase::{Given, Kind, MAX_PHASES, Phase};
use crate::robot_model::is_named;
use crate::silence::{Genes, Silence};
use crate::steps::{MAX_STEPS, StepEntry};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;
use xpuck_evolve::{Migration, Policy};
use xpuck_kernels::engine::EngineKind;
use xpuck_wire::file::{self, FileError};

/// Maximum length of an experiment's name (characters). The name is used in titles, tables and folder names.
const MAX_NAME: usize = 100;
/// Maximum length of an experiment's text (bytes).
const MAX_TEXT: usize = 64 * 1024;
/// Maximum duration of a run (minutes).
const LONGEST: f64 = 1440.0;

/// Experiment of a swarm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Name of the experiment in records and displays.
    pub name: String,
    /// Running time of the experiment, not counting pauses (minutes of arena time, 0.05 to 1440). Not allowed with
    /// phases, because each phase has its own duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.05, max = 1440.0))]
    pub minutes: Option<f64>,
    /// Segment length (minutes). At the start of each segment, every robot loads its fittest tree. Not allowed with
    /// phases, because each phase has its own segment length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.01))]
    pub segment_minutes: Option<f64>,
    /// Task in the usual arena. Not allowed with a world file, because the world file contains the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskName>,
    /// World file, which is sent with the experiment. It defines the simulated world and the task. The swarm's number
    /// of robots replaces the number in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<String>,
    /// Robots in place of those of the world files: the name of a model, or a file that is sent with the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot: Option<String>,
    /// Confirms that the operator changes the real arena as the world requires: walls, patches, lights, paint or starts of
    /// the world depend on lots or events.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub arena_changes_confirmed: bool,
    /// Calibration file, which is sent with the experiment. Its measurements change the simulated worlds. The robots'
    /// own calibration files do not change these worlds if the experiment has a calibration file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<String>,
    /// Primitive set of the trees: `in-swarm` (Table 8.2), `transferability` (Table 7.4), or a file that is sent with
    /// the experiment.
    #[serde(default = "in_swarm", skip_serializing_if = "is_in_swarm")]
    #[schemars(extend("default" = IN_SWARM))]
    pub primitive_set: String,
    /// Simulation engine of the robots. An engine in a robot's own file takes precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineKind>,
    /// Path of genes between robots: through the hub or directly.
    #[serde(default, skip_serializing_if = "Genes::are_usual")]
    #[schemars(extend("default" = Genes::default()))]
    pub genes: Genes,
    /// Behaviour tree that all robots run unchanged for the whole run, without evolution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// File with the tree of `controller`, sent with the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller_file: Option<String>,
    /// Trees that some robots run unchanged. The other robots evolve, and simulate the robots with given trees as their
    /// mates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<Given>,
    /// Evolution of controllers.
    #[serde(default)]
    pub evolution: Evolution,
    /// Migration of genes between the islands of the robots.
    #[serde(default)]
    pub migration: Migration,
    /// Curriculum: ordered list of worlds in which each robot's island evolves before it evolves in the experiment's
    /// world. Each island advances independently.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = MAX_STEPS))]
    pub steps: Vec<StepEntry>,
    /// Behaviour of robots during a run while the hub is silent.
    #[serde(default, skip_serializing_if = "Silence::is_usual")]
    #[schemars(extend("default" = Silence::default()))]
    pub silence: Silence,
    /// Display of the robots' lamps in a run. It is "state", "battery", "branch" (a colour for the tree's active leaf),
    /// "off", or up to 15 colours like "#10ff00" around the ring.
    #[serde(default, skip_serializing_if = "is_state")]
    #[schemars(extend("default" = "state"))]
    pub lamps: Lamps,
    /// Whether robots estimate the world's parameters during the run, and adapt their simulations to the estimates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adapt: bool,
    /// Phases of the run, in order. If omitted, the whole run is one phase.
    #[serde(default, rename = "phase", skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = MAX_PHASES))]
    pub phases: Vec<Phase>,
}

const IN_SWARM: &str = "in-swarm";

fn in_swarm() -> String {
    IN_SWARM.into()
}

fn is_state(lamps: &Lamps) -> bool {
    *lamps == Lamps::State
}

/// Returns whether the primitive set with this name is built in.
pub(crate) fn is_built_in(name: &str) -> bool {
    matches!(name, IN_SWARM | "transferability")
}

fn is_in_swarm(name: &str) -> bool {
    name == IN_SWARM
}

/// Task of an experiment without a world file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TaskName {
    /// Push the frisbee towards -x. When the frisbee touches an end of the arena, it is returned to a place near the
    /// centre (thesis 8.3.2).
    Transport,
}

/// Evolution of controllers. The default values are those of Table 8.1 of the thesis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Evolution {
    /// Number of individuals on each robot.
    #[schemars(range(min = 8, max = 4096))]
    pub population: usize,
    /// Duration of a trial (s of simulated time).
    #[schemars(range(min = 1.0, max = 3600.0))]
    pub trial_seconds: f32,
    /// Name of the algorithm, such as "racing", "median-stopping" or "classic"; "default" selects the default
    /// algorithm. The program that runs the algorithm validates the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Deprecated form of `algorithm = "noise-aware"`: the algorithm as published in the thesis, which favours lucky
    /// samples.
    pub as_published: bool,
    /// Settings of the algorithm, with the same keys as in an evolution file. Omitted settings have the algorithm's
    /// default values.
    #[serde(skip_serializing_if = "Table::is_empty")]
    #[schemars(schema_with = "settings_schema")]
    pub settings: Table,
}

/// Returns the schema of the algorithms' settings. It omits the population, which has a separate key.
fn settings_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = crate::settings::schema(generator);
    if let Some(properties) = schema.get_mut("properties").and_then(|properties| properties.as_object_mut()) {
        properties.remove("population");
    }
    schema
}

impl Default for Evolution {
    fn default() -> Evolution {
        Evolution { population: 256, trial_seconds: 30.0, algorithm: None, as_published: false, settings: Table::new() }
    }
}

impl Evolution {
    /// Returns the name of the requested algorithm.
    pub fn algorithm(&self) -> &str {
        match &self.algorithm {
            Some(name) => name,
            None if self.as_published => "noise-aware",
            None => "default",
        }
    }
}

impl Experiment {
    /// Parses an experiment and validates it as far as possible without its files. `name` identifies the text in
    /// errors.
    ///
    /// # Errors
    /// One line that contains the key or the line number, and the valid range.
    pub fn parse(name: &str, text: &str) -> Result<Experiment, FileError> {
        if text.len() > MAX_TEXT {
            return Err(FileError::value(
                name,
                format!("the file has {} bytes; at most {MAX_TEXT} are allowed", text.len()),
            ));
        }
        let experiment: Experiment = file::parse(name, text)?;
        experiment.check().map_err(|message| FileError::value(name, message))?;
        Ok(experiment)
    }

    fn check(&self) -> Result<(), String> {
        let length = self.name.chars().count();
        if length > MAX_NAME {
            return Err(format!("name has {length} characters; at most {MAX_NAME} are allowed"));
        }
        if !self.name.chars().any(char::is_alphanumeric) {
            return Err(format!(
                "name = {:?} must contain a letter or a digit, because the run and its folder get this name",
                self.name
            ));
        }
        self.check_lengths()?;
        let evolution = &self.evolution;
        within("evolution.population", evolution.population as f64, 8.0, 4096.0)?;
        within("evolution.trial_seconds", evolution.trial_seconds.into(), 1.0, 3600.0)?;
        if evolution.as_published && evolution.algorithm() != "noise-aware" {
            return Err("evolution.as_published = true requires algorithm = \"noise-aware\"; remove one of them".into());
        }
        if self.controller.is_some() && self.controller_file.is_some() {
            return Err("controller and controller_file are both given; choose one".into());
        }
        if (self.controller.is_some() || self.controller_file.is_some()) && !self.controllers.is_empty() {
            return Err("controller and controllers are both given; choose one".into());
        }
        match (&self.task, &self.world) {
            (None, None) => {
                return Err(
                    "task is missing; set `task = \"transport\"` for the usual arena, or `world = \"FILE\"` with a \
                     task in that file"
                        .into(),
                );
            }
            (Some(_), Some(_)) => {
                return Err("task and world are both given; remove task, because the world file defines it".into());
            }
            _ => {}
        }
        let files = self.files();
        if let Some(pair) = files.windows(2).find(|pair| sent_name(pair[0]) == sent_name(pair[1])) {
            return Err(format!("`{}` and `{}` are sent under the same name; rename one", pair[0], pair[1]));
        }
        if self.adapt && self.genes == Genes::Peers {
            return Err(
                "adapt = true and genes = \"peers\" are both set, but robots adapt through the hub; choose one".into(),
            );
        }
        self.silence.check()?;
        self.migration.check()?;
        if self.genes == Genes::Peers && !matches!(self.migration.policy, Policy::Full | Policy::None) {
            return Err(
                "migration.policy: not allowed with genes = \"peers\", where the radio range decides; remove it".into(),
            );
        }
        Ok(())
    }

    /// Validates the durations of the run, its phases and its segments, and the end conditions of the phases.
    fn check_lengths(&self) -> Result<(), String> {
        if self.phases.is_empty() {
            let minutes = self.minutes.ok_or("minutes is missing")?;
            within("minutes", minutes, 0.05, LONGEST)?;
            return within("segment_minutes", self.segment_minutes.ok_or("segment_minutes is missing")?, 0.01, minutes);
        }
        if self.minutes.is_some() || self.segment_minutes.is_some() {
            return Err("minutes and segment_minutes are set by each [[phase]]; remove them from the top level".into());
        }
        if self.phases.len() > MAX_PHASES {
            return Err(format!("the experiment has {} phases; at most {MAX_PHASES} are allowed", self.phases.len()));
        }
        for (i, phase) in (1..).zip(&self.phases) {
            within(&format!("phase {i}: minutes"), phase.minutes, 0.01, LONGEST)?;
            if let Some(segment) = phase.segment_minutes {
                within(&format!("phase {i}: segment_minutes"), segment, 0.01, phase.minutes)?;
            }
            if phase.until.generations == Some(0) {
                return Err(format!("phase {i}: until.generations = 0; it must be at least 1"));
            }
            let until = [phase.until.evolved_fitness, phase.until.fitness];
            if until.iter().flatten().any(|value| !value.is_finite()) {
                return Err(format!("phase {i}: until: a fitness must be a finite number"));
            }
            if phase.kind == Kind::Rest && (phase.segment_minutes.is_some() || phase.controllers.is_some()) {
                return Err(format!("phase {i}: a rest cannot have segments or controllers"));
            }
        }
        within("minutes of all phases", self.minutes(), 0.05, LONGEST)
    }

    /// Returns the maximum running time (minutes).
    fn minutes(&self) -> f64 {
        self.minutes.unwrap_or_else(|| self.phases.iter().map(|phase| phase.minutes).sum())
    }

    /// Returns the maximum running time (s).
    pub fn seconds(&self) -> f64 {
        self.minutes() * 60.0
    }

    /// Returns the paths of the files to be sent with the experiment, relative to the experiment file. Each file is
    /// sent under its [`sent_name`].
    pub fn files(&self) -> Vec<&str> {
        let set = Some(self.primitive_set.as_str()).filter(|name| !is_built_in(name));
        let given = self.controllers.iter().chain(self.phases.iter().flat_map(|p| p.controllers.iter().flatten()));
        let robot = self.robot.as_deref().filter(|name| !is_named(name));
        let worlds = self.phases.iter().flat_map(|phase| phase.world.as_deref());
        let steps = self.steps.iter().filter_map(|step| step.world.as_deref());
        let mut all: Vec<&str> =
            [self.world.as_deref(), self.calibration.as_deref(), self.controller_file.as_deref(), set, robot]
                .into_iter()
                .flatten()
                .chain(given.filter_map(|given| given.file.as_deref()))
                .chain(worlds)
                .chain(steps)
                .collect();
        all.sort_unstable_by_key(|path| (sent_name(path), *path));
        all.dedup();
        all
    }
}

/// Returns the name under which a file is sent: the last component of its path.
pub fn sent_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(crate) fn within(key: &str, value: f64, low: f64, high: f64) -> Result<(), String> {
    match (low..=high).contains(&value) {
        true => Ok(()),
        false => Err(format!("{key} = {value} is outside {low} to {high}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::silence::OnSilence;

    const GOOD: &str = "name = \"x\"\nminutes = 16.0\nsegment_minutes = 2.0\ntask = \"transport\"\n";

    #[test]
    fn shipped_experiment_parses() {
        let e = Experiment::parse("transport.toml", include_str!("../../../docs/experiments/transport.toml")).unwrap();
        assert_eq!((e.seconds(), e.segment_minutes), (960.0, Some(2.0)));
    }

    #[test]
    fn algorithm_is_named_or_derived_from_other_keys() {
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
        let named = |length: usize| {
            format!("name = \"{}\"\ntask = \"transport\"\nminutes = 1.0\nsegment_minutes = 0.5\n", "W".repeat(length))
        };
        assert!(Experiment::parse("e.toml", &named(MAX_NAME)).is_ok());
        let long = Experiment::parse("e.toml", &named(MAX_NAME + 1)).unwrap_err().to_string();
        assert!(long.contains("name has 101 characters"), "{long}");
    }

    #[test]
    fn hub_loss_keys_are_read_or_default() {
        let read = |more: &str| Experiment::parse("e.toml", &format!("{more}{GOOD}")).map_err(|e| e.to_string());
        let usual = read("").unwrap();
        assert_eq!((usual.genes, usual.silence.then), (Genes::Hub, OnSilence::Stop));
        assert!(!toml::to_string(&usual).unwrap().contains("silence") && !usual.adapt);
        assert!(read("adapt = true\n").unwrap().adapt);
        let alone = read("genes = \"peers\"\nsilence = { then = \"drive\", drive_seconds = 20.0 }\n").unwrap();
        assert_eq!(
            (alone.genes, alone.silence.then, alone.silence.drive_seconds),
            (Genes::Peers, OnSilence::Drive, 20.0)
        );
        assert_eq!(Experiment::parse("e.toml", &toml::to_string(&alone).unwrap()).unwrap(), alone);
        for (text, expected) in [
            ("silence = { then = \"go\" }\n", "unknown variant `go`"),
            (
                "silence = { then = \"drive\", drive_seconds = 601 }\n",
                "silence.drive_seconds = 601 is outside 0.1 to 600",
            ),
            ("silence = { then = \"drive\", drive_seconds = nan }\n", "silence.drive_seconds = NaN"),
            ("silence = { then = \"evolve\", drive_seconds = 5 }\n", "requires then = \"drive\""),
            ("genes = \"peers\"\nadapt = true\n", "robots adapt through the hub"),
            ("genes = \"peers\"\nmigration = { policy = \"ring\" }\n", "where the radio range decides"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected) && error.lines().count() == 1, "{error}");
        }
    }

    #[test]
    fn phases_have_the_lengths_and_what_makes_no_sense_is_named() {
        let phases = "name = \"x\"\ntask = \"transport\"\n[[phase]]\nminutes = 10\nsegment_minutes = 2\n\
                      until = { generations = 50 }\n[[phase]]\nkind = \"rest\"\nminutes = 1\n";
        let e = Experiment::parse("e.toml", phases).unwrap();
        assert_eq!((e.seconds(), e.phases.len(), e.phases[1].kind), (660.0, 2, Kind::Rest));
        let again = Experiment::parse("e.toml", &toml::to_string(&e).unwrap()).unwrap();
        assert_eq!(again, e, "what is written reads back");
        for (text, expected) in [
            (phases.replace("task", "minutes = 3\ntask"), "are set by each [[phase]]"),
            (phases.replace("minutes = 10", "minutes = 0"), "phase 1: minutes = 0 is outside"),
            (phases.replace("segment_minutes = 2", "segment_minutes = 11"), "phase 1: segment_minutes = 11"),
            (format!("{phases}controllers = []\n"), "phase 2: a rest cannot have segments"),
            (phases.replace("generations", "generation"), "unknown field `generation`"),
            (GOOD.replace("task = \"transport\"", ""), "task is missing"),
            (format!("{GOOD}world = \"w.toml\"\n"), "task and world are both given"),
            (GOOD.replace("minutes = 16.0\n", ""), "minutes is missing"),
            (phases.replace("generations = 50", "fitness = nan"), "phase 1: until"),
            (phases.replace("generations = 50", "generations = 0"), "phase 1: until.generations = 0"),
            (
                format!("primitive_set = \"b/w\"\n{}", GOOD.replace("task = \"transport\"", "world = \"a/w\"")),
                "under the same name",
            ),
        ] {
            let error = Experiment::parse("e.toml", &text).unwrap_err().to_string();
            assert!(error.contains(expected) && error.lines().count() == 1, "{error}");
        }
    }
}
