//! A controller tried again in a step's world, with random numbers that evolution has not seen.

use xpuck_evolve::scenario::Step;
use xpuck_kernels::cargo::{Automata, COUNTED_SCRIPTS, Trials, Weights, try_one};

/// A controller, where and how often it is tried, and with what luck.
#[derive(Clone, Copy, Debug)]
pub struct Again<'a> {
    /// The step whose world, starts and time are taken.
    pub step: &'a Step,
    /// The controller.
    pub controller: &'a Automata,
    /// Runs from each start.
    pub repeats: u32,
    /// Of all random numbers.
    pub seed: u64,
}

/// How often a script ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScriptTimes {
    /// In a run, on average.
    pub times: f64,
    /// Runs in which it did not run at all.
    pub without: usize,
}

impl Again<'_> {
    /// Scores by other weights, those of a start together.
    pub fn scores(&self, weights: &Weights) -> Vec<Vec<f64>> {
        let trials = Trials { weights, repeats: self.repeats, checkpoints: &[], ..self.step.trials(self.seed) };
        try_one(self.controller, &trials).scores
    }

    /// How often a script ran, the first at 0.
    pub fn script_times(&self, script: usize) -> ScriptTimes {
        let mut scripts = [0.0; COUNTED_SCRIPTS];
        scripts[script] = 1.0;
        let counts = self.scores(&Weights { scripts, ..Weights::default() }).concat();
        ScriptTimes { times: mean(&counts), without: counts.iter().filter(|&&count| count == 0.0).count() }
    }
}

/// The mean of some values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
