//! Runs of worlds. The reference implementation and the vectorised implementation give equal outcomes for equal jobs.

use super::foraging::Foraging;
use super::job::{Job, Outcome, hash};
use super::lanes;
use super::program::Program;
use super::world::World;
use rayon::prelude::*;
use xpuck_kernels::tree::Tree;

/// Runs jobs with the reference implementation, in parallel on all threads. `foraging` must be valid.
pub fn run_reference(foraging: &Foraging, jobs: &[Job<'_>]) -> Vec<Outcome> {
    let run = |job: &Job<'_>| {
        let mut world = World::new(foraging, job.program, job.seed, job.world);
        for _ in 0..foraging.updates() {
            world.update();
        }
        let [picked, delivered] = world.food();
        let poses = world.views().map(|view| [view.at.x, view.at.y, view.heading]);
        Outcome { picked, delivered, hash: hash(poses) }
    };
    jobs.par_iter().map(run).collect()
}

/// Runs jobs with sixteen worlds side by side. Results are bit-identical to those of [`run_reference`].
pub fn run(foraging: &Foraging, jobs: &[Job<'_>]) -> Vec<Outcome> {
    jobs.par_chunks(lanes::LANES).flat_map_iter(|jobs| lanes::run(foraging, jobs)).collect()
}

/// Returns the fitness of each trial (Eq. 4.2), derated by memory usage. A trial is a pair of a tree index and a world
/// number.
///
/// A tree that a Kilobot cannot run is not simulated. Its fitness is 0, as for a tree that uses the full memory.
pub fn evaluate(foraging: &Foraging, trees: &[&Tree], trials: &[(usize, u32)], seed: u64) -> Vec<f32> {
    let programs: Vec<Option<Program>> = trees.iter().map(|tree| Program::compile(tree).ok()).collect();
    let job =
        |(tree, world): &(usize, u32)| programs[*tree].as_ref().map(|program| Job { program, seed, world: *world });
    let jobs: Vec<Job<'_>> = trials.iter().filter_map(job).collect();
    let mut outcomes = run(foraging, &jobs).into_iter();
    let score = |(tree, _): &(usize, u32)| {
        let program = programs[*tree].as_ref();
        program.and_then(|program| Some(program.usage().derating() * outcomes.next()?.fitness(foraging))).unwrap_or(0.0)
    };
    trials.iter().map(score).collect()
}

/// Returns the mean fitness of a program over runs (Eq. 4.2), derated by memory usage.
pub fn fitness(foraging: &Foraging, program: &Program, outcomes: &[Outcome]) -> f32 {
    let sum: f32 = outcomes.iter().map(|outcome| outcome.fitness(foraging)).sum();
    program.usage().derating() * sum / outcomes.len().max(1) as f32
}
