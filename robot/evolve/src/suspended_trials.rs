//! Worlds of trials that the next round of a generation may continue.

use crate::deme::Trial;
use std::collections::BTreeMap;
use xpuck_kernels::engine::{Engine, Evaluator, Job, Piece, Suspended};

/// Suspended worlds, by island, individual and world of the trial. A trial whose world is missing is simulated from its
/// start, with the same result.
#[derive(Clone, Debug, Default)]
pub struct SuspendedTrials(BTreeMap<(usize, usize, u32), Suspended>);

impl SuspendedTrials {
    /// Discards all worlds. The caller must do so before each generation, because individuals then have other indices.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the fitness of each trial, and keeps the worlds of trials that may continue. Each trial comes with the
    /// index of its island and with its job up to the end of the trial.
    pub fn fitness(
        &mut self,
        evaluator: &Evaluator,
        engine: &dyn Engine,
        trials: &[(usize, Trial)],
        jobs: &[Job<'_>],
    ) -> Vec<f32> {
        // Whole trials need no suspended worlds, which take a little time to keep.
        if trials.iter().all(|(_, trial)| trial.begin == 0 && !trial.may_continue) {
            return evaluator.fitness(engine, jobs);
        }
        let key = |(island, trial): &(usize, Trial)| (*island, trial.individual, trial.world);
        let pieces = trials.iter().zip(jobs).map(|(trial, job)| {
            let from = if trial.1.begin > 0 { self.0.remove(&key(trial)) } else { None };
            Piece { job: job.clone(), from }
        });
        let pieces: Vec<Piece<'_>> = pieces.collect();
        let results = evaluator.advance(engine, &pieces);
        let keep = |(trial, (fitness, world)): (&(usize, Trial), (f32, Option<Suspended>))| {
            self.0.extend(world.filter(|_| trial.1.may_continue).map(|world| (key(trial), world)));
            fitness
        };
        trials.iter().zip(results).map(keep).collect()
    }
}
