//! Facts about each node, derived from the abstract tick of the reduction and prepared for descriptions.

use super::linear::{CellValue, Linear, Pair, computed, is_written, known, sum_of};
use super::words::is_goal;
use crate::analysis::reduce::branch::Branch;
use crate::analysis::reduce::flow::{Visit, analyse};
use crate::analysis::reduce::state::State;
use crate::tree::registers::GOAL;
use crate::tree::{Group, Kind, Status, Tree};
use std::collections::BTreeSet;

/// Facts about the nodes of a tree, by node id.
pub(super) struct Facts {
    visits: Vec<Visit>,
    written: Vec<[CellValue; 2]>,
    /// Index of each node in the preorder of the tree. Nodes inside a subtree leaf have the index of the leaf.
    places: Vec<usize>,
    /// Registers that descriptions must name, because their contents are unknown at a node that reads them.
    named_registers: BTreeSet<u8>,
}

impl Facts {
    /// Analyses a tree. Returns the root of the analysed tree, and the facts about the tree.
    pub fn from_tree(tree: &Tree) -> (Branch, Facts) {
        let (root, nodes) = Branch::from_tree(tree);
        let visits = analyse(&root, nodes);
        let mut facts = Facts {
            visits,
            written: Vec::with_capacity(nodes),
            places: Vec::with_capacity(nodes),
            named_registers: BTreeSet::new(),
        };
        facts.learn(&root, &mut 0, false);
        (root, facts)
    }

    /// Computes the facts of a subtree in preorder. A tick visits nodes in the same order, so the facts of a node that
    /// writes a register are known when a later node reads the register.
    fn learn(&mut self, branch: &Branch, next: &mut usize, inside: bool) {
        self.places.push(if inside { *next - 1 } else { *next });
        *next += if inside { 0 } else { branch.parts.len().max(1) };
        let values = self.computed(branch);
        let known = |value: &Option<Linear>| value.clone().map_or(CellValue::Unwritten, CellValue::Sum);
        self.written.push(match branch.kind() {
            Kind::Attract | Kind::Network => [CellValue::Unsure, CellValue::Unsure],
            _ => values.each_ref().map(known),
        });
        self.named_registers.extend(values.iter().flatten().flat_map(Linear::registers));
        let read = branch.code.s1;
        match branch.kind() {
            Kind::Ifprob => self.name(&[read], branch),
            Kind::Ifquad | Kind::Ifsect => self.name(&[read & !1, read | 1], branch),
            _ => {}
        }
        for kid in &branch.kids {
            self.learn(kid, next, inside || branch.is_subtree_leaf());
        }
    }

    fn name(&mut self, cells: &[u8], at: &Branch) {
        for cell in cells.iter().filter(|cell| is_written(**cell)) {
            if let Some(sum) = self.scalar(*cell, at) {
                self.named_registers.extend(sum.registers());
            }
        }
    }

    pub fn visit(&self, branch: &Branch) -> &Visit {
        &self.visits[branch.id]
    }

    pub fn place(&self, branch: &Branch) -> usize {
        self.places[branch.id]
    }

    /// Returns the state before a node's tick; `None` if the node is never ticked.
    pub fn entry(&self, branch: &Branch) -> Option<&State> {
        self.visit(branch).entry.as_ref()
    }

    /// Returns both components of the vector that a node writes; `None` for each component that is NaN.
    pub fn computed(&self, branch: &Branch) -> [Option<Linear>; 2] {
        match self.entry(branch) {
            Some(state) => computed(&branch.code, state, &self.written),
            None => [None, None],
        }
    }

    /// Returns the value of a cell before a node's tick; `None` if the value is NaN or the node is never ticked.
    pub fn scalar(&self, cell: u8, at: &Branch) -> Option<Linear> {
        sum_of(cell, self.entry(at)?, &self.written)
    }

    /// Returns the vector at `cell` before a node's tick; `None` if a component is NaN or the node is never ticked.
    pub fn vector(&self, cell: u8, at: &Branch) -> Option<Pair> {
        Some([self.scalar(cell & !1, at)?, self.scalar(cell | 1, at)?])
    }

    /// Returns the content of v_goal after a node has succeeded. Each component may be unwritten. Returns `None` if
    /// the node never succeeds.
    pub fn goal_after(&self, branch: &Branch) -> Option<[CellValue; 2]> {
        let state = self.visit(branch).exits[Status::Success as usize].as_ref()?;
        Some([GOAL, GOAL + 1].map(|cell| known(cell as u8, state, &self.written)))
    }

    /// Returns whether a node is ticked and `status` is its only possible result.
    pub fn only(&self, branch: &Branch, status: Status) -> bool {
        self.visit(branch).reached() && self.visit(branch).results().all(|(s, _)| s == status)
    }

    /// Returns whether a node writes a scratch register whose value is described in full at every node that reads it.
    /// The description of such a node is omitted.
    pub fn is_described_by_readers(&self, branch: &Branch) -> bool {
        let cell = branch.code.d;
        let scratch = |cell: u8| is_written(cell) && !is_goal(cell);
        let cells = match branch.kind() {
            Kind::Movcs | Kind::Mulas => vec![cell],
            Kind::Movcv | Kind::Mulav | Kind::Rotav => vec![cell & !1, cell | 1],
            _ => return false,
        };
        cells.iter().any(|c| scratch(*c)) && cells.iter().all(|c| !is_goal(*c) && !self.named_registers.contains(c))
    }

    /// Returns whether an update may end with v_goal unwritten.
    pub fn may_end_unwritten(&self, root: &Branch) -> bool {
        self.visit(root).results().any(|(_, end)| end.value(GOAL as u8).nan && end.value(GOAL as u8 + 1).nan)
    }

    /// Returns whether any formula contains a scratch register.
    pub fn names_registers(&self) -> bool {
        self.named_registers.iter().any(|cell| !is_goal(*cell))
    }
}

/// Returns whether a node is a leaf that writes only v_goal.
pub(super) fn drives(branch: &Branch) -> bool {
    let to_goal = branch.kind().spec().group == Group::Action && is_goal(branch.code.d);
    to_goal || matches!(branch.kind(), Kind::Upfield | Kind::Attract)
}

#[cfg(test)]
mod tests {
    use super::super::cases::velocity;
    use super::*;
    use crate::math::Vec2;
    use crate::random::{Draws, Stream};
    use crate::tree::registers::{ATTR, BLUE, PROX, UP};
    use crate::tree::{Memory, Program, Senses};

    /// Returns a random node that writes a scratch register from any register. If `to_goal` is set, the node writes
    /// v_goal instead.
    fn write(to_goal: bool, draws: &mut Draws) -> Tree {
        let mut pick = |of: &[f32]| of[draws.below(of.len() as u32) as usize];
        let vectors = [0.0, 4.0, 6.0, 8.0, 14.0, 18.0];
        let scalars = [4.0, 5.0, 7.0, 9.0, 15.0, 17.0, 18.0, 19.0];
        let (steps, factor) = (pick(&[-100.0, -28.0, 0.0, 28.0, 64.0]), pick(&[-5.0, 0.25, 1.0, 2.0]));
        let vector = if to_goal { 2.0 } else { 18.0 };
        match pick(&[0.0, 1.0, 2.0, 3.0]) {
            0.0 => Tree::leaf(Kind::Movcv, &[vector, steps]),
            1.0 => Tree::leaf(Kind::Mulav, &[vector, pick(&vectors), factor, pick(&vectors)]),
            2.0 if !to_goal => {
                Tree::leaf(Kind::Mulas, &[pick(&[17.0, 18.0, 19.0]), pick(&scalars), factor, pick(&scalars)])
            }
            _ => Tree::leaf(Kind::Rotav, &[vector, pick(&vectors), steps, pick(&vectors)]),
        }
    }

    #[test]
    fn formulas_give_what_the_interpreter_computes() {
        let mut checked = 0;
        for i in 0..3000 {
            let draws = &mut Draws::new(9, 0, 0, i, Stream::Evolution);
            let writes: Vec<Tree> = (0..5).map(|n| write(n == 4, draws)).collect();
            let tree = Tree::inner(Kind::Seq, &[], &writes);
            let (root, facts) = Facts::from_tree(&tree);
            let [Some(x), Some(y)] = facts.computed(&root.kids[4]) else { panic!("v_goal is not read:\n{tree}") };
            let goal = [x, y];
            if goal.iter().any(|c| c.registers().next().is_some()) {
                continue;
            }
            let mut vector = || Vec2::unit(draws.range(-3.0, 3.0)) * draws.range(0.1, 2.0);
            let mut senses = Senses { prox: vector(), up: vector(), attr: vector(), ..Senses::default() };
            senses.colours[2] = vector();
            let program = Program::compile(&tree).unwrap();
            let mut memory = Memory::new(&program);
            // The registers of a previous update must not affect the result.
            memory.tick(&program, &Senses { up: vector(), attr: vector(), ..senses }, draws);
            let (_, done) = memory.tick(&program, &senses, draws);
            let cells = [(PROX, senses.prox), (UP, senses.up), (ATTR, senses.attr), (BLUE, senses.colours[2])];
            let told = velocity(&goal, &cells.map(|(cell, v)| (cell as u8, v)));
            let error = (told - done).length() / (1.0 + done.length());
            assert!(error < 1e-4, "told {told:?}, done {done:?} by\n{tree}");
            checked += 1;
        }
        assert!(checked > 1000, "only {checked} formulas without registers");
    }
}
