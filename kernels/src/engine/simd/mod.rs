//! The SIMD engine: blocks of sixteen worlds, with one world per lane of vector registers. The blocks are distributed
//! over threads.
//!
//! Every stage is a loop over lanes that calls the functions of `reference`. These functions do not branch, so the
//! compiler vectorises the loops for the registers of the processor. A separate interpreter (`tree::lanes`) ticks the
//! trees in lanes. Rare operations (contacts, relocations and scores) run separately for each world, with the code of
//! `reference`.

#![allow(clippy::needless_range_loop, reason = "a lane's number selects from several arrays at once")]

mod block;
mod crowd;
mod driven;
mod ground;
mod lanes;
mod light;
mod messages;
mod motion;
mod pairs;
mod patches;
mod program_groups;
mod rays;
mod scene;
mod senses;
mod suspended;
mod tags;
mod trajectories;
mod views;

use super::reference::Reference;
use super::{Engine, Job, Outcome, Piece, Suspended, alike};
use crate::tree::Program;
use crate::world::Sensing;
use block::Block;
pub use driven::{ActionKind, BatchSimulation};
use lanes::LANES;
use multiversion::multiversion;
use program_groups::ProgramGroups;
use rayon::prelude::*;
pub(super) use scene::{Scene, SceneBody};
pub use trajectories::POSE_FIELDS;

/// Engine on the CPU. Its results are identical to those of `reference`, but it is several times as fast.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simd {
    /// Senses to compute. `None` selects the senses that the trees of a block read, which is faster than all senses and
    /// yields the same results.
    pub sensing: Option<Sensing>,
}

impl Engine for Simd {
    fn name(&self) -> &'static str {
        "simd"
    }

    fn run(&self, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome> {
        let changes = |job: &Job<'_>| job.spec.conditions.change_scenery();
        if jobs.iter().any(changes) {
            let reference = Reference { sensing: self.sensing };
            return split(jobs, changes, |slow| reference.run(programs, slow), |fast| self.run(programs, fast));
        }
        self.in_blocks(programs, jobs, alike(jobs), |indices, sensing| {
            let jobs: Vec<Job<'_>> = indices.iter().map(|i| jobs[*i].clone()).collect();
            simulate(programs, &jobs, sensing)
        })
    }

    fn advance(&self, programs: &[Program], pieces: &[Piece<'_>]) -> Vec<(Outcome, Suspended)> {
        let changes = |piece: &Piece<'_>| piece.job.spec.conditions.change_scenery();
        if pieces.iter().any(changes) {
            let reference = Reference { sensing: self.sensing };
            return split(
                pieces,
                changes,
                |slow| reference.advance(programs, slow),
                |fast| self.advance(programs, fast),
            );
        }
        pieces.iter().for_each(Piece::check);
        let jobs: Vec<Job<'_>> = pieces.iter().map(|piece| piece.job.clone()).collect();
        // A block has one update, so its pieces begin at the same update.
        let done = |i: usize| if suspended::of(&pieces[i]).is_some() { pieces[i].done() } else { 0 };
        let mut groups = Vec::new();
        for mut group in alike(&jobs) {
            group.sort_by_key(|i| done(*i));
            groups.extend(group.chunk_by(|a, b| done(*a) == done(*b)).map(<[usize]>::to_vec));
        }
        self.in_blocks(programs, &jobs, groups, |indices, sensing| {
            let pieces: Vec<&Piece<'_>> = indices.iter().map(|i| &pieces[*i]).collect();
            suspended::advance(programs, &pieces, sensing)
        })
    }
}

impl Simd {
    /// Runs groups of alike jobs in blocks. `run` gets the indices of the jobs of a block and the senses to compute, and
    /// returns a result for each job. The results are in the order of the jobs.
    fn in_blocks<T: Send>(
        &self,
        programs: &[Program],
        jobs: &[Job<'_>],
        mut groups: Vec<Vec<usize>>,
        run: impl Fn(&[usize], Sensing) -> Vec<T> + Sync,
    ) -> Vec<T> {
        // Jobs with the same senses share blocks, so that a block does not compute senses that only a few of its
        // trees read.
        let wanted = |job: &Job<'_>| self.sensing.unwrap_or_else(|| job.sensing(programs));
        let sensing: Vec<Sensing> = jobs.iter().map(wanted).collect();
        groups.iter_mut().for_each(|group| group.sort_by_key(|i| sensing[*i]));
        let blocks: Vec<&[usize]> = groups.iter().flat_map(|group| group.chunks(LANES)).collect();
        let of_block =
            |indices: &&[usize]| run(indices, indices.iter().map(|i| sensing[*i]).fold(Sensing::NONE, Sensing::union));
        let results: Vec<Vec<T>> = blocks.par_iter().map(of_block).collect();
        in_order(blocks.iter().copied().flatten().copied().zip(results.into_iter().flatten()))
    }
}

/// Runs the jobs whose scenery changes with `slow`, and the others with `fast`. The results are in the order of the jobs.
/// Walls, patches and lights that change differ between the worlds of a block. Such worlds are rare, so they run with the
/// code of `reference`.
fn split<J: Clone, T>(
    jobs: &[J],
    changes: impl Fn(&J) -> bool,
    slow: impl FnOnce(&[J]) -> Vec<T>,
    fast: impl FnOnce(&[J]) -> Vec<T>,
) -> Vec<T> {
    let (changing, fixed): (Vec<usize>, Vec<usize>) = (0..jobs.len()).partition(|i| changes(&jobs[*i]));
    let of = |indices: &[usize]| indices.iter().map(|i| jobs[*i].clone()).collect::<Vec<J>>();
    let results = slow(&of(&changing)).into_iter().chain(fast(&of(&fixed)));
    in_order(changing.iter().chain(&fixed).copied().zip(results))
}

/// Sorts results by the index of their job.
fn in_order<T>(results: impl Iterator<Item = (usize, T)>) -> Vec<T> {
    let mut sorted: Vec<(usize, T)> = results.collect();
    sorted.sort_by_key(|(index, _)| *index);
    sorted.into_iter().map(|(_, result)| result).collect()
}

/// Runs up to [`LANES`] jobs with equal world specifications and numbers of updates.
fn simulate(programs: &[Program], jobs: &[Job<'_>], sensing: Sensing) -> Vec<Outcome> {
    let (mut block, scene) = Block::new(jobs);
    let mut crews = ProgramGroups::new(programs, jobs, scene.robots);
    advance(&mut block, &mut crews, &scene, sensing, jobs[0].updates);
    block.outcomes(&scene)
}

/// Performs all updates of a block. Each stage is compiled for several kinds of vector registers. At run time, the
/// widest registers that the processor supports are selected. [`driven`] worlds use the same stages.
fn advance(block: &mut Block, crews: &mut ProgramGroups<'_>, scene: &Scene, sensing: Sensing, updates: u32) {
    for _ in 0..updates {
        sense(block, scene, sensing);
        tick(block, crews);
        step(block, scene, true);
    }
}

/// Computes the senses of all robots.
#[multiversion(targets(
    "x86_64+avx+avx2+avx512f+avx512bw+avx512cd+avx512dq+avx512vl",
    "x86_64+avx+avx2",
    "aarch64+neon",
))]
fn sense(block: &mut Block, scene: &Scene, sensing: Sensing) {
    senses::sense(block, scene, sensing);
}

/// Ticks the trees of all robots.
#[multiversion(targets(
    "x86_64+avx+avx2+avx512f+avx512bw+avx512cd+avx512dq+avx512vl",
    "x86_64+avx+avx2",
    "aarch64+neon",
))]
fn tick(block: &mut Block, crews: &mut ProgramGroups<'_>) {
    crews.tick(&mut block.senses, block.update);
}

/// Performs the physics of one controller update. If `drive` is true, the wheels are first set from the robots'
/// goals.
#[multiversion(targets(
    "x86_64+avx+avx2+avx512f+avx512bw+avx512cd+avx512dq+avx512vl",
    "x86_64+avx+avx2",
    "aarch64+neon",
))]
fn step(block: &mut Block, scene: &Scene, drive: bool) {
    if drive {
        motion::drive(block, scene);
    }
    if scene.physics.robot.wheels.noise > 0.0 {
        motion::add_wheel_errors(block, scene);
    }
    advance_physics(block, scene);
}

/// Performs the physics of one controller update and updates the scores.
#[inline(always)]
fn advance_physics(block: &mut Block, scene: &Scene) {
    for _ in 0..crate::model::STEPS_PER_UPDATE {
        motion::step(block, scene);
        block.note();
    }
    block.update += 1;
    block.score(scene);
}
