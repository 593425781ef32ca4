//! Curricula of automata or trees that deliver cargo: files and runs.

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

/// Error in a curriculum, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: line {line}: {message}")]
pub struct ScenarioError {
    /// File or text.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Key, problem and remedy.
    pub message: String,
}

/// Validated curriculum.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the curriculum.
    pub name: String,
    /// Genome that evolves.
    pub species: Evolving,
    /// Evolutionary algorithm.
    pub algorithm: StepAlgorithm,
    /// Steps; the last is the goal.
    pub steps: Vec<Step>,
    /// Order of the steps, as indices.
    pub order: Vec<usize>,
    /// Saved populations that are used in blends or for fixed automata.
    pub populations: Vec<Population>,
}

/// Source of a fixed automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// Hand-made automaton.
    HandMade,
    /// Automaton of a step's best individual.
    Step(usize),
    /// Automaton of a saved population's best individual.
    Saved(usize),
}

/// Step of a curriculum.
#[derive(Clone, Debug)]
pub struct Step {
    /// Name of the step.
    pub name: String,
    /// Parameters of evolution.
    pub settings: StepSettings,
    /// Indices of the steps whose populations are blended.
    pub after: Vec<usize>,
    /// Indices of the saved populations that are blended; in [`Blend::from`] they follow the steps.
    pub saved: Vec<usize>,
    /// Rows of the blend.
    pub blends: Vec<Blend>,
    /// Evolving automata.
    pub bounds: Vec<Bounds>,
    /// Probabilities of the operators.
    pub rates: Rates,
    /// Fixed automata.
    pub fixed: Vec<(Module, Fixed)>,
    /// World of the step.
    pub world: PreparedScene,
    /// Score weights.
    pub weights: Weights,
    /// Fitness per state and per transition.
    pub size: [f64; 2],
    /// Number of starts.
    pub starts: usize,
    /// Runs from each start.
    pub repeats: u32,
    /// Duration of a run (ms).
    pub time: u32,
    /// Early stop rule; `None` disables early stops.
    pub early_stop: Option<EarlyStop>,
    /// Combination of scores to a fitness.
    pub combine: Combination,
}
