//! Simulation of sixteen worlds of Kilobots side by side, one world per lane of the vector registers.
//!
//! Loops over lanes call the same functions for motion and senses as [`World`](super::World), so results are
//! bit-identical. The distance of a pair of robots, and the random word that decides whether their messages are
//! received, are computed only once per pair. Contacts are checked only for pairs of robots that are close enough in
//! any world to touch before the next update. Trees are ticked robot by robot.

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

/// Runs up to [`LANES`] jobs and returns their outcomes.
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

/// Runs all updates of a block. The function is compiled for several vector register widths. The widest available one
/// is chosen at run time.
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
