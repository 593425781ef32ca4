//! Identifies the leaf that drives the robot, which is the first leaf that writes v_goal in a tick. Thesis 8.6.3
//! colours trajectories by this leaf.

use super::{Memory, Program, Senses};
use crate::math::Vec2;
use crate::random::Draws;

impl Memory {
    /// Ticks like [`Memory::tick`] and also identifies the driving leaf. Returns the goal velocity and the index in
    /// [`Tree::nodes`](super::Tree::nodes) of the first leaf that wrote v_goal, or `None` if no leaf wrote it.
    ///
    /// A write of NaN does not count as a write. A subtree used as a leaf (thesis 6.5) counts as one node, whichever of
    /// its nodes wrote v_goal.
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
    /// Returns the index of the tree node to which the instruction `writer` belongs. `writer` is the index of the first
    /// instruction that wrote v_goal; `None` if no instruction wrote it.
    pub(super) fn leaf(&self, writer: Option<usize>) -> Option<usize> {
        // In an expanded subtree, only the first instruction has the index of a tree node. The search therefore goes
        // backwards from the writer.
        let leaf = writer.and_then(|at| self.node_indices[..=at].iter().rev().find_map(|source| *source));
        leaf.map(usize::from)
    }
}
