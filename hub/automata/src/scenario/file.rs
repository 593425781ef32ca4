//! Structure of a curriculum file.

use super::early_stop::EarlyStopEntry;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::collections::BTreeMap;
use xpuck_automata::cargo::Scene;
use xpuck_evolve::curriculum::{Combination, GainOver, Selection};

/// Curriculum file (TOML).
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScenarioFile {
    /// Name of the curriculum.
    pub(super) name: String,
    /// Maximum number of generations of all steps (1..=100000).
    #[serde(default = "generations")]
    pub(super) generations: u32,
    /// Genome that evolves.
    #[serde(default)]
    pub(super) species: Evolving,
    /// Evolutionary algorithm; "racing" is only for trees.
    #[serde(default)]
    pub(super) algorithm: StepAlgorithm,
    /// Files of saved populations, by name. In a step, `population:NAME` refers to such a file. It can be the source
    /// of a blend, or the source of a fixed module, whose automaton is then that of the best individual.
    #[serde(default)]
    pub(super) populations: BTreeMap<String, String>,
    /// Worlds by name. In a world, `like` names another world, which provides the missing keys.
    #[schemars(schema_with = "worlds")]
    pub(super) worlds: BTreeMap<String, toml::Table>,
    /// Steps of the curriculum. The last step is the goal.
    pub(super) steps: Vec<StepEntry>,
}

/// Returns the schema of the worlds. A world has the keys of a scene. All keys are optional, because the world named by
/// `like` can provide them.
fn worlds(generator: &mut SchemaGenerator) -> Schema {
    let mut world = Scene::json_schema(generator);
    let keys = world.ensure_object();
    keys.remove("required");
    if let Some(known) = keys.get_mut("properties").and_then(|known| known.as_object_mut()) {
        let like = json_schema!({
            "description": "Another world; its keys apply where this one has none.",
            "type": "string"
        });
        known.insert("like".into(), like.to_value());
    }
    json_schema!({ "type": "object", "additionalProperties": world })
}

/// Genome that evolves in the steps of a curriculum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Evolving {
    /// Automata, one for each module that evolves in a step.
    #[default]
    Automata,
    /// One behaviour tree, which arbitrates between the evolving and the fixed modules of a step.
    Tree,
}

/// Evolutionary algorithm of the steps of a curriculum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepAlgorithm {
    /// Petrovic's algorithm: each new genotype is evaluated in all starts and repeats of the step.
    #[default]
    Generational,
    /// Racing algorithm of `xpuck evolve`: each tree is evaluated in only as many runs as needed.
    Racing,
}

fn generations() -> u32 {
    600
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct StepEntry {
    /// Name of the step.
    pub name: String,
    /// Names of the steps whose final populations are sources of this step's first population.
    #[serde(default)]
    pub after: Vec<String>,
    /// Name of the step's world.
    pub world: String,
    /// Number of individuals in the population.
    pub population: usize,
    /// Formula that ends the step when it holds.
    pub end: String,
    #[serde(default = "crossover")]
    pub crossover: f32,
    #[serde(default = "mutation")]
    pub mutation: f32,
    /// Probability of each kind of mutation, by its name (0..=1).
    #[serde(default)]
    pub mutations: BTreeMap<String, f32>,
    #[serde(default = "half")]
    pub trim: f32,
    #[serde(default = "half")]
    pub new_in_last: f32,
    #[serde(default = "whole")]
    pub replace: f32,
    #[serde(default = "roulette")]
    pub selection: Selection,
    #[serde(default = "phi")]
    pub phi: f64,
    /// Reference from which the gains in the learning momentum are measured.
    #[serde(default)]
    pub gain_over: GainOver,
    #[serde(default)]
    pub reinitialise: Reinitialise,
    /// Number of generations after which an unfinished step restarts. Without this key, steps do not restart.
    #[serde(default)]
    pub restart_after: Option<u32>,
    pub starts: usize,
    #[serde(default = "one")]
    pub repeats: u32,
    /// Duration of a run (s).
    pub time: f64,
    /// Early stop of runs that are far behind the best.
    #[serde(default)]
    pub early_stop: Option<EarlyStopEntry>,
    #[serde(default)]
    pub combine: Combination,
    /// Source of each fixed automaton, by module: `hand-made`, the name of a step, or `population:NAME`.
    #[serde(default)]
    pub fixed: BTreeMap<String, String>,
    pub weights: WeightsEntry,
    pub automata: Vec<AutomatonEntry>,
    #[serde(default)]
    pub blend: Vec<BlendEntry>,
}

fn crossover() -> f32 {
    0.3
}

fn mutation() -> f32 {
    0.7
}

fn half() -> f32 {
    0.5
}

fn whole() -> f32 {
    1.0
}

fn roulette() -> Selection {
    Selection::Roulette(1.2)
}

fn phi() -> f64 {
    0.2
}

fn one() -> u32 {
    1
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Reinitialise {
    pub below: f64,
    pub share: f32,
}

impl Default for Reinitialise {
    fn default() -> Reinitialise {
        Reinitialise { below: 0.5, share: 0.7 }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct WeightsEntry {
    pub obstacle_time: f64,
    pub lit_time: f64,
    pub line_time: f64,
    pub lit_line_time: f64,
    pub distance: f64,
    pub changes: f64,
    pub lit_changes: f64,
    pub scripts: Vec<f64>,
    pub states: f64,
    pub transitions: f64,
    pub offset: f64,
    pub only_after_load: bool,
}

impl Default for WeightsEntry {
    fn default() -> WeightsEntry {
        WeightsEntry {
            obstacle_time: -1.0,
            lit_time: 0.0,
            line_time: 0.0,
            lit_line_time: 0.0,
            distance: 0.0,
            changes: 0.0,
            lit_changes: 0.0,
            scripts: vec![],
            states: -10.0,
            transitions: -5.0,
            offset: 300_000.0,
            only_after_load: false,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AutomatonEntry {
    pub module: String,
    pub triggers: Vec<String>,
    #[serde(default)]
    pub outgoing_triggers: Vec<String>,
    pub states: usize,
    #[serde(default)]
    pub new_states: Option<[usize; 2]>,
    #[serde(default = "transitions")]
    pub transitions: [usize; 2],
    #[serde(default = "new_transitions")]
    pub new_transitions: [usize; 2],
    #[serde(default = "out")]
    pub out: f32,
}

fn transitions() -> [usize; 2] {
    [1, 5]
}

fn new_transitions() -> [usize; 2] {
    [2, 4]
}

fn out() -> f32 {
    0.1
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BlendEntry {
    pub module: String,
    /// Source of the individuals: the name of a step, or `population:NAME`.
    pub from: String,
    /// Four values of the blend. The first is the share of the source population from which copies are taken, counted
    /// from the fittest individual. The second is the share of the new population that gets unchanged copies. The third
    /// is the share that gets mutated copies. The fourth is the number of mutations of a mutated copy.
    pub row: [f32; 4],
}
