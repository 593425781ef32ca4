//! Sixteen worlds of Kilobots side by side, a world in each lane of the vector registers.
//!
//! Loops over lanes stand around the functions that define a robot's motion and senses, so the bits are those of
//! [`World`](super::World). What every pair of robots needs is computed once for both: their distance and the random
//! word that decides whose message gets through. Robots that are far from each other in all worlds at an update cannot
//! touch before the next, so contacts look only at the others. Trees are ticked robot by robot.

mod block;
mod pairs;
mod robots;

use super::foraging::Foraging;
use super::job::{Job, Outcome, hash};
use block::Block;
pub(super) use block::LANES;
use multiversion::multiversion;
use pairs::{contacts, messages};
use robots::{move_all, sense, think, wrap};

/// Runs up to [`LANES`] jobs.
pub(super) fn run(foraging: &Foraging, jobs: &[Job<'_>]) -> Vec<Outcome> {
    let mut block = Block::new(foraging, jobs);
    advance(&mut block, foraging.updates());
    let outcome = |l: usize| Outcome {
        picked: block.picked[l],
        delivered: block.delivered[l],
        hash: hash(block.robots.iter().map(|robot| [robot.x[l], robot.y[l], robot.heading[l]])),
    };
    (0..jobs.len()).map(outcome).collect()
}

/// All updates of a block; compiled once for each kind of vector registers, the widest present being chosen at run time.
#[multiversion(targets(
    "x86_64+avx+avx2+avx512f+avx512bw+avx512cd+avx512dq+avx512vl",
    "x86_64+avx+avx2",
    "aarch64+neon",
))]
fn advance(block: &mut Block<'_>, updates: u32) {
    for _ in 0..updates {
        messages(block);
        sense(block);
        think(block);
        let steps = block.foraging.robot.steps;
        for step in block.update * steps..(block.update + 1) * steps {
            move_all(block, step);
            contacts(block, step);
        }
        wrap(block);
        block.update += 1;
    }
}
