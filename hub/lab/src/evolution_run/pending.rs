//! Generations whose fitness is computed by the caller, for example by a Python function.

use super::generation::{EvolutionRun, Generation, State};
use super::rounds::Rounds;
use std::time::Instant;
use xpuck_kernels::engine::Job;
use xpuck_kernels::tree::Program;

/// Generation between [`EvolutionRun::begin`] and [`EvolutionRun::end`].
pub struct Pending {
    /// State of the run before this generation.
    before: State,
    /// Rounds of this generation.
    rounds: Rounds,
}

impl EvolutionRun {
    /// Creates the next population of each island, except before the first generation. [`EvolutionRun::evaluate_with`]
    /// evaluates its first round, and [`EvolutionRun::end`] or [`EvolutionRun::cancel`] ends the round.
    pub fn begin(&mut self) -> Pending {
        let before = self.state.clone();
        self.breed();
        Pending { before, rounds: self.begin_rounds() }
    }

    /// Returns the fitness of each trial of the round. Trials that continue an earlier round are run from their start.
    /// `run` computes a fitness for each of the jobs that it receives.
    ///
    /// # Errors
    /// The error of `run`.
    pub fn evaluate_with<E>(
        &self,
        pending: &Pending,
        run: impl FnOnce(&[Program], &[Job<'_>]) -> Result<Vec<f32>, E>,
    ) -> Result<Vec<f32>, E> {
        let jobs = self.jobs(pending.rounds.trials());
        let began = Instant::now();
        let fitness = self.evaluator.fitness_with(&jobs, run)?;
        self.engine.note_run(&jobs, began.elapsed());
        Ok(fitness)
    }

    /// Passes the fitness of each trial of the round to the islands. Returns the generation if this was its last round.
    /// Otherwise, the caller evaluates the next round.
    pub fn end(&mut self, pending: &mut Pending, fitness: &[f32]) -> Option<Generation> {
        self.end_round(&mut pending.rounds, fitness)
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
        ["racing", "median-stopping"].into_iter().for_each(caller_gives_same_run);
    }

    fn caller_gives_same_run(algorithm: &str) {
        let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/worlds/dispersion.toml");
        let settings = format!(
            "world = {world:?}\nislands = 2\nseconds = 3.0\nalgorithm = {algorithm:?}\n[settings]\npopulation = 12\n"
        );
        let config = file::load(None, settings.parse().unwrap()).unwrap();
        let mut expected = EvolutionRun::new(config.clone());
        let mut own = EvolutionRun::new(config);
        let score = |programs: &[Program], jobs: &[Job<'_>]| {
            Ok::<_, String>(Simd::default().run(programs, jobs).iter().map(|outcome| outcome.fitness).collect())
        };
        for _ in 0..4 {
            expected.step();
            let failed = own.begin();
            assert_eq!(own.evaluate_with(&failed, |_, _| Err("why")), Err("why"));
            own.cancel(failed);
            let mut pending = own.begin();
            loop {
                let fitness = own.evaluate_with(&pending, score).unwrap();
                if own.end(&mut pending, &fitness).is_some() {
                    break;
                }
            }
            assert!(bytes(&own) == bytes(&expected), "generation {}", own.state().generation);
        }
        assert!(own.engine().status().r_acc > 0.0);
    }
}
