//! Many controllers in many runs, on all threads.

use super::controller::{Automata, Usages};
use super::plant::Prepared;
use super::run::{Checkpoints, Setup, run};
use super::tally::Weights;
use crate::hash::fnv1a;
use rayon::prelude::*;

/// What each controller is tried in.
#[derive(Clone, Copy, Debug)]
pub struct Trials<'a> {
    /// The world.
    pub world: &'a Prepared,
    /// What counts.
    pub weights: &'a Weights,
    /// How many starts, of those in the world in turn.
    pub starts: usize,
    /// Runs from each start.
    pub repeats: u32,
    /// Length of a run, ms.
    pub time: u32,
    /// Of all random numbers, together with the controller: another one has other luck.
    pub seed: u64,
    /// Least scores below which a run is given up.
    pub checkpoints: Checkpoints<'a>,
}

/// What came of one controller.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Scores, those of a start together.
    pub scores: Vec<Vec<f64>>,
    /// What of its automata was entered in any run.
    pub usages: Usages,
    /// The fewest times that each script ran in any run.
    pub scripts: [u32; super::tally::COUNTED_SCRIPTS],
}

/// Tries one controller.
pub fn try_one(automata: &Automata, trials: &Trials) -> Tried {
    let seed = trials.seed ^ fnv1a(automata.text().bytes());
    let mut tried = Tried { scores: vec![], usages: Usages::default(), scripts: [u32::MAX; _] };
    for start in 0..trials.starts {
        let mut scores = Vec::with_capacity(trials.repeats as usize);
        for repeat in 0..trials.repeats {
            let Trials { world, weights, time, .. } = *trials;
            let outcome = run(automata, &Setup { world, weights, start, repeat, time, seed }, trials.checkpoints);
            scores.push(outcome.score);
            for (all, new) in tried.usages.iter_mut().zip(&outcome.usages) {
                all.merge(new);
            }
            for (fewest, &count) in tried.scripts.iter_mut().zip(&outcome.tally.scripts) {
                *fewest = count.min(*fewest);
            }
        }
        tried.scores.push(scores);
    }
    tried
}

/// Tries many; results are in their order, whatever the threads.
pub fn try_all(controllers: &[Automata], trials: &Trials) -> Vec<Tried> {
    controllers.par_iter().map(|automata| try_one(automata, trials)).collect()
}
