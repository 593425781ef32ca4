//! Many controllers in many runs, on all threads.

use super::controller::{Arbitration, Usages};
use super::plant::Prepared;
use super::run::{Checkpoints, Outcome, Setup, run};
use super::tally::{COUNTED_SCRIPTS, Weights};
use rayon::prelude::*;
use xpuck_kernels::hash::fnv1a;

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
    /// What of its automata was entered in any run; nothing of a tree.
    pub usages: Usages,
    /// The fewest times that each script ran in any run.
    pub scripts: [u32; COUNTED_SCRIPTS],
}

/// Each run of one controller: what happened and what it is worth.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// Those of a start together.
    pub starts: Vec<Vec<Outcome>>,
}

/// How often a script ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScriptTimes {
    /// In a run, on average; 0 without runs.
    pub times: f64,
    /// Runs in which it did not run at all.
    pub without: usize,
}

impl Outcomes {
    /// Of one controller; each run is simulated once.
    pub fn of<'a>(controller: impl Into<Arbitration<'a>>, trials: &Trials) -> Outcomes {
        let controller = controller.into();
        let Trials { world, weights, time, repeats, .. } = *trials;
        let seed = trials.seed ^ fnv1a(controller.text().bytes());
        let run =
            |start, repeat| run(controller, &Setup { world, weights, start, repeat, time, seed }, trials.checkpoints);
        let starts = (0..trials.starts).map(|start| (0..repeats).map(|repeat| run(start, repeat)).collect());
        Outcomes { starts: starts.collect() }
    }

    /// All runs, those of the first start first.
    pub fn runs(&self) -> impl Iterator<Item = &Outcome> {
        self.starts.iter().flatten()
    }

    /// Scores, those of a start together.
    pub fn scores(&self) -> Vec<Vec<f64>> {
        self.starts.iter().map(|of_start| of_start.iter().map(|outcome| outcome.score).collect()).collect()
    }

    /// How often a script ran, the first at 0, below [`COUNTED_SCRIPTS`].
    pub fn script_times(&self, script: usize) -> ScriptTimes {
        let counts = || self.runs().map(|outcome| outcome.tally.scripts[script]);
        let sum: f64 = counts().map(f64::from).sum();
        let runs = counts().count();
        ScriptTimes { times: sum / runs.max(1) as f64, without: counts().filter(|&count| count == 0).count() }
    }
}

/// Tries one controller.
pub fn try_one<'a>(controller: impl Into<Arbitration<'a>>, trials: &Trials) -> Tried {
    let outcomes = Outcomes::of(controller, trials);
    let mut usages = Usages::default();
    let mut scripts = [u32::MAX; COUNTED_SCRIPTS];
    for outcome in outcomes.runs() {
        for (all, new) in usages.iter_mut().zip(&outcome.usages) {
            all.merge(new);
        }
        for (fewest, &count) in scripts.iter_mut().zip(&outcome.tally.scripts) {
            *fewest = count.min(*fewest);
        }
    }
    Tried { scores: outcomes.scores(), usages, scripts }
}

/// Tries many; results are in their order, whatever the threads.
pub fn try_all<C>(controllers: &[C], trials: &Trials) -> Vec<Tried>
where
    C: Sync,
    for<'a> &'a C: Into<Arbitration<'a>>,
{
    controllers.par_iter().map(|controller| try_one(controller, trials)).collect()
}

/// The scores of single runs: a controller's index, and a number. The run with that number begins at one start, the starts of the
/// trials taking turns, and its random numbers are those of all controllers with that number: who is tried in the same runs has the
/// same luck. Results are in their order, whatever the threads.
pub fn score_runs<C>(controllers: &[C], runs: &[(usize, u32)], trials: &Trials) -> Vec<f64>
where
    C: Sync,
    for<'a> &'a C: Into<Arbitration<'a>>,
{
    let Trials { world, weights, starts, time, seed, checkpoints, .. } = *trials;
    let score = |&(controller, repeat): &(usize, u32)| {
        let start = repeat as usize % starts.max(1);
        let setup = Setup { world, weights, start, repeat, time, seed };
        run(&controllers[controller], &setup, checkpoints).score
    };
    runs.par_iter().map(score).collect()
}
