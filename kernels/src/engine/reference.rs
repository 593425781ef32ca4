//! The definition: one world after another in plain scalar arithmetic, worlds spread over threads.

use super::{Engine, Job, Outcome};
use crate::tree::{Memory, Program};
use crate::world::World;
use rayon::prelude::*;

/// The reference engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Engine for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn run(&self, programs: &[Program], jobs: &[Job]) -> Vec<Outcome> {
        jobs.par_iter().map(|job| simulate(&programs[job.program], job)).collect()
    }
}

fn simulate(program: &Program, job: &Job) -> Outcome {
    let mut world = World::new(job.scenario, job.robots, job.seed, job.world);
    let mut memories = vec![Memory::new(program); job.robots];
    for _ in 0..job.updates {
        world.update(&[program], &mut memories);
    }
    Outcome { moved_x: world.moved(), hash: hash(&world) }
}

/// FNV-1a over the bits of positions and headings.
fn hash(world: &World) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    for body in &world.bodies {
        for value in [body.pose.at.x, body.pose.at.y, body.pose.heading] {
            for byte in value.to_bits().to_le_bytes() {
                h = (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    h
}
