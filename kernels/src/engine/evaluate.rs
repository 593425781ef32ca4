//! Fitness of evolved trees.

use super::{Engine, Job};
use crate::tree::{Program, Tree};

/// The fitness that evolution maximises (Eq. 8.3 for transport) of each job; crews are indices into `trees`, each of
/// which runs under `sel2(avoiding, tree)`. A mixed crew is derated by its largest tree.
///
/// A crew with a tree that does not fit a robot's memory is not run and scores 0: the derating of a full memory.
pub fn evaluate(engine: &dyn Engine, trees: &[&Tree], jobs: &[Job<'_>]) -> Vec<f32> {
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
    let runnable: Vec<Option<Job<'_>>> = jobs
        .iter()
        .map(|job| job.crew.renumbered(job.spec.robots, |tree| places[tree]).map(|crew| Job { crew, ..*job }))
        .collect();
    let mut outcomes = engine.run(&programs, &runnable.iter().flatten().copied().collect::<Vec<_>>()).into_iter();
    let score = |job: &Option<Job<'_>>| {
        let Some(job) = job else { return 0.0 };
        let outcome = outcomes.next().expect("an outcome for every runnable job");
        let parsimony = (0..job.spec.robots).map(|i| programs[job.crew.program(i)].parsimony()).fold(1.0, f32::min);
        job.spec.task.evolution_fitness(outcome.fitness, parsimony)
    };
    runnable.iter().map(score).collect()
}
