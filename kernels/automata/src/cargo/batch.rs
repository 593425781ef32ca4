//! Evaluation of many controllers in many runs, on all threads.

use super::controller::{Arbitration, Usages};
use super::plant::PreparedScene;
use super::run::{Checkpoints, Outcome, Setup, run};
use super::tally::{COUNTED_SCRIPTS, Weights};
use rayon::prelude::*;
use xpuck_kernels::hash::fnv1a;

/// Evaluation settings shared by all controllers.
#[derive(Clone, Copy, Debug)]
pub struct Trials<'a> {
    /// World in which the robots run.
    pub world: &'a PreparedScene,
    /// Score weights.
    pub weights: &'a Weights,
    /// Number of start poses. The start poses of the world are used in turn.
    pub starts: usize,
    /// Number of runs from each start pose.
    pub repeats: u32,
    /// Duration of a run (ms).
    pub time: u32,
    /// Seed of all random numbers, combined with a hash of the controller.
    pub seed: u64,
    /// Times at which the score of a run is compared with a minimum score. A run with a lower score is aborted.
    pub checkpoints: Checkpoints<'a>,
}

/// Evaluation of one controller.
#[derive(Clone, Debug)]
pub struct ControllerScores {
    /// Scores of all runs, grouped by start.
    pub scores: Vec<Vec<f64>>,
    /// States and transitions that the automata used in any run; empty for a tree.
    pub usages: Usages,
    /// Number of executions of each script in the run with the fewest executions of this script.
    pub scripts: [u32; COUNTED_SCRIPTS],
}

/// Outcomes of all runs of one controller.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// Outcomes of all runs, grouped by start.
    pub starts: Vec<Vec<Outcome>>,
}

/// Execution statistics of a script over all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScriptTimes {
    /// Mean count per run; 0 without runs.
    pub times: f64,
    /// Number of runs without an execution.
    pub without: usize,
}

impl Outcomes {
    /// Simulates all runs of one controller.
    pub fn simulate<'a>(controller: impl Into<Arbitration<'a>>, trials: &Trials) -> Outcomes {
        let controller = controller.into();
        let Trials { world, weights, time, repeats, .. } = *trials;
        let seed = trials.seed ^ fnv1a(controller.text().bytes());
        let run =
            |start, repeat| run(controller, &Setup { world, weights, start, repeat, time, seed }, trials.checkpoints);
        let starts = (0..trials.starts).map(|start| (0..repeats).map(|repeat| run(start, repeat)).collect());
        Outcomes { starts: starts.collect() }
    }

    /// Returns the outcomes of all runs, ordered by start.
    pub fn runs(&self) -> impl Iterator<Item = &Outcome> {
        self.starts.iter().flatten()
    }

    /// Returns the scores of all runs, grouped by start.
    pub fn scores(&self) -> Vec<Vec<f64>> {
        self.starts.iter().map(|of_start| of_start.iter().map(|outcome| outcome.score).collect()).collect()
    }

    /// Returns the execution statistics of a script. Index 0 is script 1, and the index must be below
    /// [`COUNTED_SCRIPTS`].
    pub fn script_times(&self, script: usize) -> ScriptTimes {
        let counts = || self.runs().map(|outcome| outcome.tally.scripts[script]);
        let sum: f64 = counts().map(f64::from).sum();
        let runs = counts().count();
        ScriptTimes { times: sum / runs.max(1) as f64, without: counts().filter(|&count| count == 0).count() }
    }
}

/// Evaluates one controller.
pub fn evaluate<'a>(controller: impl Into<Arbitration<'a>>, trials: &Trials) -> ControllerScores {
    let outcomes = Outcomes::simulate(controller, trials);
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
    ControllerScores { scores: outcomes.scores(), usages, scripts }
}

/// Evaluates many controllers. The results are in the order of the controllers, and do not depend on the number of
/// threads.
pub fn evaluate_all<C>(controllers: &[C], trials: &Trials) -> Vec<ControllerScores>
where
    C: Sync,
    for<'a> &'a C: Into<Arbitration<'a>>,
{
    controllers.par_iter().map(|controller| evaluate(controller, trials)).collect()
}

/// Returns the scores of single runs. Each run is given by a controller index and a run number. The run number selects
/// the start pose (modulo the number of start poses) and the random numbers. Runs with equal run numbers therefore have
/// equal start poses and random numbers. The results are in the order of `runs`, and do not depend on the number of
/// threads.
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
