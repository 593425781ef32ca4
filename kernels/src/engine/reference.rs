//! The definition: one world after another in plain scalar arithmetic, worlds spread over threads.

use super::{Engine, Job, Outcome, Sensing, hash};
use crate::tree::{Memory, Program};
use crate::world::World;
use rayon::prelude::*;

/// The reference engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    /// The senses to compute; `None` for all.
    pub sensing: Option<Sensing>,
}

impl Engine for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn run(&self, programs: &[Program], jobs: &[Job]) -> Vec<Outcome> {
        let sensing = self.sensing.unwrap_or(Sensing::ALL);
        jobs.par_iter().map(|job| simulate(&programs[job.program], job, sensing)).collect()
    }
}

fn simulate(program: &Program, job: &Job, sensing: Sensing) -> Outcome {
    let mut world = World::new(job.scenario, job.robots, job.seed, job.world);
    world.sensing = sensing;
    let mut memories = vec![Memory::new(program); job.robots];
    for _ in 0..job.updates {
        world.update(&[program], &mut memories);
    }
    Outcome { moved_x: world.moved(), hash: hash(world.bodies.iter().map(|b| b.pose)) }
}
