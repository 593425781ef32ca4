//! Simulation of the trials of a robot's evolution.

use xpuck_evolve::{Island, Trial};
use xpuck_kernels::engine::{Evaluator, Job, Simd, Team};
use xpuck_kernels::world::task::Task;
use xpuck_robot_core::island::{self, IslandPlan};

/// Simulator of one island's trials.
pub struct Trials {
    plan: IslandPlan,
    evaluator: Evaluator,
    engine: Simd,
}

impl std::fmt::Debug for Trials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trials").field("island", &self.plan.island).finish_non_exhaustive()
    }
}

impl Trials {
    /// Creates the simulator for the world of the experiment's first phase.
    pub fn new(plan: IslandPlan) -> Trials {
        Trials { plan, evaluator: Evaluator::default(), engine: Simd::default() }
    }

    /// Returns the task of the trials.
    pub fn task(&self) -> &Task {
        &self.plan.plan.phase(0).world.task
    }

    /// Returns the fitness of each trial of an island.
    pub fn fitness(&mut self, island: &Island) -> Vec<f32> {
        let trials = island.trials();
        let trees: Vec<_> = island.population().iter().map(|individual| &individual.tree).collect();
        self.evaluator.prepare(&trees);
        let plan = &self.plan.plan;
        let at = island::Trials::from_phase(plan, plan.phase(0));
        let job = |trial: &Trial| self.plan.job(trial, &at, Team::all(trial.individual));
        let jobs: Vec<Job<'_>> = trials.iter().map(job).collect();
        self.evaluator.fitness(&self.engine, &jobs)
    }
}
