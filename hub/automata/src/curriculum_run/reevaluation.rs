//! Re-evaluation of a controller in a step's world, with random numbers not used in evolution.

use crate::scenario::Step;
use xpuck_automata::cargo::{Arbitration, Outcomes, Trials};

/// Settings of a re-evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Reevaluation<'a> {
    /// Step that provides world, weights, starts and duration.
    pub step: &'a Step,
    /// Controller to evaluate.
    pub controller: Arbitration<'a>,
    /// Runs from each start.
    pub repeats: u32,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Reevaluation<'_> {
    /// Runs the evaluation.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes::simulate(self.controller, &Trials { repeats: self.repeats, ..self.step.trials(self.seed) })
    }
}
