//! Which leaf of a tree drives the robot: the first that writes v_goal in a tick (thesis 8.6.3 colours trajectories
//! by it).

use super::{Memory, Program, Senses};
use crate::math::Vec2;
use crate::random::Draws;

impl Memory {
    /// As [`Memory::tick`], and names the leaf that drives: it gives the goal velocity, and the place in
    /// [`Tree::nodes`](super::Tree::nodes) of the first leaf that wrote to v_goal, or `None` when none did.
    ///
    /// A write of NaN leaves v_goal unwritten and does not count. A subtree used as a leaf (thesis 6.5) is named as one
    /// node, whichever of its parts wrote and whatever it returned.
    ///
    /// # Panics
    /// If the memory was made for a program of another shape.
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
    /// The node of the tree whose instruction wrote to v_goal first.
    pub(super) fn leaf(&self, writer: Option<usize>) -> Option<usize> {
        // Within a subtree only the first instruction has a source: the subtree's own node.
        let leaf = writer.and_then(|at| self.sources[..=at].iter().rev().find_map(|source| *source));
        leaf.map(usize::from)
    }
}
