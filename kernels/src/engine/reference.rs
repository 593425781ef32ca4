//! The reference engine: scalar arithmetic, with one world at a time on each thread.

use super::{Engine, Job, Outcome, hash};
use crate::tree::{Memory, Program};
use crate::world::{Sensing, World};
use rayon::prelude::*;

/// Engine with scalar arithmetic, whose results define those of the other engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    /// Senses to compute; `None` selects all senses.
    pub sensing: Option<Sensing>,
}

impl Engine for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn run(&self, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome> {
        let sensing = self.sensing.unwrap_or(Sensing::ALL);
        jobs.par_iter().map(|job| simulate(programs, job, sensing)).collect()
    }
}

fn simulate(programs: &[Program], job: &Job<'_>, sensing: Sensing) -> Outcome {
    let mut world = World::new(job.spec, job.start, job.seed, job.world);
    world.sensing = sensing;
    let team: Vec<&Program> = (0..job.spec.robots).map(|i| &programs[job.team.program(i)]).collect();
    let mut memories: Vec<Memory> = team.iter().map(|program| Memory::new(program)).collect();
    for _ in 0..job.updates {
        world.update(&team, &mut memories);
    }
    Outcome { fitness: world.fitness(), hash: hash(world.bodies.iter().map(|b| b.pose)) }
}
