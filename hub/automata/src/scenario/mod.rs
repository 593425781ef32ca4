//! Curricula of automata or trees that deliver cargo: curriculum files and their readers, and runs of curricula.

mod early_stop;
mod file;
mod generational;
mod kind;
pub mod original;
mod population;
mod race;
mod read;
mod run;
mod step;
mod watch;

pub use early_stop::EarlyStop;
pub use file::{Evolving, ScenarioFile, StepAlgorithm};
pub use kind::Kind;
pub use population::{Body, MAX_INDIVIDUALS, Population, SavedGenome, SavedIndividual};
pub use run::{Report, StepReport};
pub use watch::{Ending, Generation, Request};

use crate::automata::{Bounds, Rates};
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::{PreparedScene, Weights};
use xpuck_evolve::curriculum::{Blend, Combination, StepSettings};

/// Error in a curriculum. Its message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: line {line}: {message}")]
pub struct ScenarioError {
    /// Name of the file or text.
    pub file: String,
    /// Number of the line, from 1.
    pub line: usize,
    /// Key with the error, description of the problem, and remedy.
    pub message: String,
}

/// Validated curriculum.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the curriculum.
    pub name: String,
    /// Kind of genome that evolves.
    pub species: Evolving,
    /// Evolutionary algorithm.
    pub algorithm: StepAlgorithm,
    /// Steps of the curriculum. The last step is the goal.
    pub steps: Vec<Step>,
    /// Indices of the steps in the order in which the steps run.
    pub order: Vec<usize>,
    /// Saved populations that are sources of blends or of fixed automata.
    pub populations: Vec<Population>,
}

/// Source of a fixed automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// Hand-made automaton of the module.
    HandMade,
    /// Automaton of the best individual of the step with this index.
    Step(usize),
    /// Automaton of the best individual of the saved population with this index.
    Saved(usize),
}

/// Step of a curriculum.
#[derive(Clone, Debug)]
pub struct Step {
    /// Name of the step.
    pub name: String,
    /// Parameters of the evolution.
    pub settings: StepSettings,
    /// Indices of the steps whose final populations are blended.
    pub after: Vec<usize>,
    /// Indices of the saved populations that are blended. [`Blend::from`] is an index into `after`, followed by this
    /// list.
    pub saved: Vec<usize>,
    /// Rows of the blend.
    pub blends: Vec<Blend>,
    /// Limits of each evolving automaton.
    pub bounds: Vec<Bounds>,
    /// Probabilities of the genetic operators.
    pub rates: Rates,
    /// Modules with fixed automata, and the sources of these automata.
    pub fixed: Vec<(Module, Fixed)>,
    /// World of the step.
    pub world: PreparedScene,
    /// Weights of the terms of a score.
    pub weights: Weights,
    /// Change of fitness per state and per transition.
    pub size: [f64; 2],
    /// Number of starts.
    pub starts: usize,
    /// Number of runs from each start.
    pub repeats: u32,
    /// Duration of a run (ms).
    pub time: u32,
    /// Early stop rule; `None` disables early stops.
    pub early_stop: Option<EarlyStop>,
    /// Rule that combines the scores of all runs to a fitness.
    pub combine: Combination,
}
