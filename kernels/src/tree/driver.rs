//! Identifies the leaf that drives the robot: the first one that writes v_goal in a tick (thesis 8.6.3 colours
//! trajectories by this leaf).

use super::{Memory, Program, Senses};
use crate::math::Vec2;
use crate::random::Draws;

impl Memory {
    /// Ticks like [`Memory::tick`] and also identifies the driving leaf. Returns the goal velocity and the index in
    /// [`Tree::nodes`](super::Tree::nodes) of the first leaf that wrote v_goal, or `None` if no leaf wrote it.
    ///
    /// A write of NaN leaves v_goal unwritten and does not count. A subtree used as a leaf (thesis 6.5) counts as one
    /// node, independent of its result and of the part that wrote.
    ///
    /// # Panics
    /// If the memory does not match the program.
    pub fn tick_driven(&mut self, program: &Program, senses: &Senses, draws: &mut Draws) -> (Vec2, Option<usize>) {
        let mut writer = None;
        let (_, goal) = self.run(program, senses, draws, |at, _, board| {
            if writer.is_none() && board.driven() {
                writer = Some(at);
            }
        });
        (goal, program.leaf(writer))
    }
}

impl Program {
    /// Returns the tree node of the instruction that first wrote v_goal.
    pub(super) fn leaf(&self, writer: Option<usize>) -> Option<usize> {
        // Only the first instruction of a subtree has a source, which is the subtree's own node.
        let leaf = writer.and_then(|at| self.node_indices[..=at].iter().rev().find_map(|source| *source));
        leaf.map(usize::from)
    }
}
