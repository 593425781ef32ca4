//! Re-evaluation of a controller in the world of a step, with random numbers that evolution did not use.

use crate::scenario::Step;
use xpuck_automata::cargo::{Arbitration, Outcomes, Trials};

/// Settings of a re-evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Reevaluation<'a> {
    /// Step that provides the world, the weights, the starts and the duration.
    pub step: &'a Step,
    /// Controller to evaluate.
    pub controller: Arbitration<'a>,
    /// Number of runs from each start.
    pub repeats: u32,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Reevaluation<'_> {
    /// Runs the re-evaluation, and returns its outcomes.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes::simulate(self.controller, &Trials { repeats: self.repeats, ..self.step.trials(self.seed) })
    }
}
