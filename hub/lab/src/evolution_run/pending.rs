//! Generations whose fitness is computed by the caller, for example by a Python function.

use super::generation::{EvolutionRun, Generation, State};
use std::time::Instant;
use xpuck_evolve::Trial;
use xpuck_kernels::engine::Job;
use xpuck_kernels::tree::Program;

/// Generation between [`EvolutionRun::begin`] and [`EvolutionRun::end`].
pub struct Pending {
    /// State of the run before this generation.
    before: State,
    /// Trials of each island.
    trials: Vec<Vec<Trial>>,
}

impl EvolutionRun {
    /// Creates the next population of each island, except before the first generation. [`EvolutionRun::evaluate_with`]
    /// evaluates it, and [`EvolutionRun::end`] or [`EvolutionRun::cancel`] ends the generation.
    pub fn begin(&mut self) -> Pending {
        let before = self.state.clone();
        self.breed();
        Pending { before, trials: self.prepare() }
    }

    /// Returns the fitness of each trial. `run` computes a fitness for each of the jobs that it receives.
    ///
    /// # Errors
    /// The error of `run`.
    pub fn evaluate_with<E>(
        &self,
        pending: &Pending,
        run: impl FnOnce(&[Program], &[Job<'_>]) -> Result<Vec<f32>, E>,
    ) -> Result<Vec<f32>, E> {
        let jobs = self.jobs(&pending.trials);
        let began = Instant::now();
        let fitness = self.evaluator.fitness_with(&jobs, run)?;
        self.engine.note_run(&jobs, began.elapsed());
        Ok(fitness)
    }

    /// Passes the fitness of each trial to the islands, and ends the generation.
    pub fn end(&mut self, pending: Pending, fitness: &[f32]) -> Generation {
        self.complete(&pending.trials, fitness)
    }

    /// Returns to the state before [`EvolutionRun::begin`].
    pub fn cancel(&mut self, pending: Pending) {
        self.state = pending.before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution_run::file;
    use xpuck_kernels::engine::{Engine, Simd};

    fn bytes(evolution: &EvolutionRun) -> Vec<u8> {
        serde_json::to_vec(evolution.state()).unwrap()
    }

    #[test]
    fn task_fitness_from_caller_gives_same_run() {
        let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/worlds/dispersion.toml");
        let settings = format!("world = {world:?}\nislands = 2\nseconds = 3.0\n[settings]\npopulation = 12\n");
        let config = file::load(None, settings.parse().unwrap()).unwrap();
        let mut expected = EvolutionRun::new(config.clone());
        let mut own = EvolutionRun::new(config);
        let score = |programs: &[Program], jobs: &[Job<'_>]| {
            Ok::<_, String>(Simd::default().run(programs, jobs).iter().map(|outcome| outcome.fitness).collect())
        };
        for _ in 0..3 {
            expected.step();
            let failed = own.begin();
            assert_eq!(own.evaluate_with(&failed, |_, _| Err("why")), Err("why"));
            own.cancel(failed);
            let pending = own.begin();
            let fitness = own.evaluate_with(&pending, score).unwrap();
            own.end(pending, &fitness);
            assert!(bytes(&own) == bytes(&expected), "generation {}", own.state().generation);
        }
        assert!(own.engine().status().r_acc > 0.0);
    }
}
