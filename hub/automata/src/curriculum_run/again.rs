//! A controller tried again in a step's world, with random numbers that evolution has not seen.

use crate::scenario::Step;
use xpuck_automata::cargo::{Arbitration, Outcomes, Trials};

/// A controller, where and how often it is tried, and with what luck.
#[derive(Clone, Copy, Debug)]
pub struct Again<'a> {
    /// The step whose world, weights, starts and time are taken.
    pub step: &'a Step,
    /// The controller.
    pub controller: Arbitration<'a>,
    /// Runs from each start.
    pub repeats: u32,
    /// Of all random numbers.
    pub seed: u64,
}

impl Again<'_> {
    /// What came of it.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes::of(self.controller, &Trials { repeats: self.repeats, ..self.step.trials(self.seed) })
    }
}
