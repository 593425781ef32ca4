//! The reference engine: scalar arithmetic, with one world at a time on each thread.

use super::{Engine, Job, Outcome, Piece, Suspended, hash};
use crate::tree::{Memory, Program};
use crate::world::{Sensing, World};
use rayon::prelude::*;
use std::sync::Arc;

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
        jobs.par_iter().map(|job| Kept::new(programs, job, sensing).simulate(programs, job, job.updates)).collect()
    }

    fn advance(&self, programs: &[Program], pieces: &[Piece<'_>]) -> Vec<(Outcome, Suspended)> {
        let sensing = self.sensing.unwrap_or(Sensing::ALL);
        let advance = |piece: &Piece<'_>| {
            piece.check();
            let job = &piece.job;
            let (mut kept, done) = match piece.from.as_ref().and_then(Suspended::state::<Kept>) {
                Some((kept, _)) => (kept.clone(), piece.done()),
                None => (Kept::new(programs, job, sensing), 0),
            };
            let outcome = kept.simulate(programs, job, job.updates - done);
            (outcome, Suspended::new(job, Some((Arc::new(kept), 0))))
        };
        pieces.par_iter().map(advance).collect()
    }
}

/// State of a world between two updates.
#[derive(Clone, Debug)]
struct Kept {
    world: World,
    memories: Vec<Memory>,
}

impl Kept {
    fn new(programs: &[Program], job: &Job<'_>, sensing: Sensing) -> Kept {
        let mut world = World::new(job.spec, job.start, job.seed, job.world);
        world.sensing = sensing;
        let memories = (0..job.spec.robots).map(|i| Memory::new(&programs[job.team.program(i)])).collect();
        Kept { world, memories }
    }

    /// Performs updates, and returns the outcome so far.
    fn simulate(&mut self, programs: &[Program], job: &Job<'_>, updates: u32) -> Outcome {
        let team: Vec<&Program> = (0..job.spec.robots).map(|i| &programs[job.team.program(i)]).collect();
        for _ in 0..updates {
            self.world.update(&team, &mut self.memories);
        }
        Outcome { fitness: self.world.fitness(), hash: hash(self.world.bodies.iter().map(|b| b.pose)) }
    }
}
