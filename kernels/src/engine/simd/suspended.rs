//! Pieces of jobs in blocks. The worlds of a block may go on in other lanes of other blocks, so that blocks are full even
//! if most worlds have ended.

use super::block::Block;
use super::program_groups::ProgramGroups;
use crate::engine::{Job, Outcome, Piece, Suspended};
use crate::tree::Program;
use crate::tree::lanes::LaneMemory;
use crate::world::Sensing;
use std::sync::Arc;

/// Block whose worlds are suspended.
pub(super) struct Kept {
    block: Block,
    /// Memories of the robots, by lane and robot.
    memories: Vec<Vec<LaneMemory>>,
}

/// Returns the block and the lane of the world with which a piece begins, if this engine has suspended it.
pub(super) fn of<'a>(piece: &'a Piece<'_>) -> Option<(&'a Kept, usize)> {
    piece.from.as_ref()?.state()
}

/// Simulates up to sixteen pieces of alike jobs, which begin at the same update.
pub(super) fn advance(programs: &[Program], pieces: &[&Piece<'_>], sensing: Sensing) -> Vec<(Outcome, Suspended)> {
    let jobs: Vec<Job<'_>> = pieces.iter().map(|piece| piece.job.clone()).collect();
    let (mut block, scene) = Block::new(&jobs);
    let mut crews = ProgramGroups::new(programs, &jobs, scene.robots);
    let earlier: Vec<(&Kept, usize)> = pieces.iter().filter_map(|piece| of(piece)).collect();
    if !earlier.is_empty() {
        let blocks: Vec<(&Block, usize)> = earlier.iter().map(|(kept, lane)| (&kept.block, *lane)).collect();
        let memories: Vec<&[LaneMemory]> = earlier.iter().map(|(kept, lane)| &*kept.memories[*lane]).collect();
        block.restore(&blocks);
        crews.set_memories(&memories);
    }
    let updates = jobs[0].updates - block.update;
    super::advance(&mut block, &mut crews, &scene, sensing, updates);
    let outcomes = block.outcomes(&scene);
    let kept = Arc::new(Kept { memories: crews.memories(scene.robots), block });
    let suspended = |l: usize| Suspended::new(&jobs[l], Some((kept.clone(), l)));
    outcomes.into_iter().enumerate().map(|(l, outcome)| (outcome, suspended(l))).collect()
}
