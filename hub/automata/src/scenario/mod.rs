//! Curricula of automata, or of trees, that deliver cargo: the files, and the run of one.

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
pub use population::{Body, MAX_INDIVIDUALS, Population, Saved, SavedGenome};
pub use run::{Report, StepReport};
pub use watch::{Ask, Ending, Generation};

use crate::automata::{Bounds, Rates};
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::{Prepared, Weights};
use xpuck_evolve::curriculum::{Blend, Combination, StepSettings};

/// Why a curriculum cannot be used, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: line {line}: {message}")]
pub struct ScenarioError {
    /// The file or text.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// Key, what is wrong there and what would be right.
    pub message: String,
}

/// A curriculum that can be run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What evolves in it.
    pub species: Evolving,
    /// How it evolves.
    pub algorithm: StepAlgorithm,
    /// Its steps, of which the last is the goal.
    pub steps: Vec<Step>,
    /// Their order, as indices.
    pub order: Vec<usize>,
    /// Saved populations that steps blend or take fixed automata of.
    pub populations: Vec<Population>,
}

/// Where an automaton that does not evolve comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// It was made by hand.
    HandMade,
    /// It is that of a step's best.
    Step(usize),
    /// It is that of a saved population's best.
    Saved(usize),
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// Parameters.
    pub settings: StepSettings,
    /// Indices of the steps that populations are blended of.
    pub after: Vec<usize>,
    /// Indices of the saved populations that are blended too; in [`Blend::from`] they come after those steps.
    pub saved: Vec<usize>,
    /// What is taken of them.
    pub blends: Vec<Blend>,
    /// What evolves.
    pub bounds: Vec<Bounds>,
    /// Probabilities of its operators.
    pub rates: Rates,
    /// What does not.
    pub fixed: Vec<(Module, Fixed)>,
    /// Where.
    pub world: Prepared,
    /// What counts.
    pub weights: Weights,
    /// What a state and a transition are worth.
    pub size: [f64; 2],
    /// How many starts.
    pub starts: usize,
    /// Runs from each.
    pub repeats: u32,
    /// Length of a run, ms.
    pub time: u32,
    /// When runs are given up; none are if left out.
    pub early_stop: Option<EarlyStop>,
    /// How scores make a fitness.
    pub combine: Combination,
}
