//! Fitness of evolved trees on the benchmark task.

use super::{Engine, Job};
use crate::tree::{Program, Tree};
use crate::world::model::CONTROL_PERIOD;
use crate::world::transport::evolution_fitness;

/// f_evo (Eq. 8.3) of each job; `Job::program` is an index into `trees`, each of which runs under `sel2(avoiding, tree)`.
///
/// A tree that does not fit a robot's memory is not run and scores 0: the derating of a full memory.
pub fn evaluate(engine: &dyn Engine, trees: &[&Tree], jobs: &[Job]) -> Vec<f32> {
    let mut programs = Vec::with_capacity(trees.len());
    let mut places = Vec::with_capacity(trees.len());
    for tree in trees {
        match Program::compile(&tree.under_avoiding()) {
            Ok(program) => {
                places.push(Some(programs.len()));
                programs.push(program);
            }
            Err(_) => places.push(None),
        }
    }
    let runnable: Vec<Job> =
        jobs.iter().filter_map(|job| places[job.program].map(|program| Job { program, ..*job })).collect();
    let mut outcomes = engine.run(&programs, &runnable).into_iter();
    let score = |job: &Job| {
        let Some(place) = places[job.program] else { return 0.0 };
        let outcome = outcomes.next().expect("an outcome for every runnable job");
        evolution_fitness(outcome.moved_x, job.updates as f32 * CONTROL_PERIOD, programs[place].parsimony())
    };
    jobs.iter().map(score).collect()
}
