//! What the abstract tick of the reduction tells about each node, made ready for words.

use super::super::nodes::Kind;
use super::super::reduce::branch::Branch;
use super::super::reduce::flow::{Visit, analyse};
use super::super::reduce::state::State;
use super::super::registers::GOAL;
use super::super::tick::Status;
use super::super::{Group, Tree};
use super::linear::{Known, Linear, Pair, computed, is_written, known, sum_of};
use std::collections::BTreeSet;

/// Facts about a tree, by the ids of its nodes.
pub(super) struct Facts {
    visits: Vec<Visit>,
    written: Vec<[Known; 2]>,
    /// Place in the tree's preorder of each node; nodes inside a subtree leaf have that of the leaf.
    places: Vec<usize>,
    /// Registers that have to be named because what they hold is not known where they are read.
    named: BTreeSet<u8>,
}

impl Facts {
    /// Analyses a tree.
    pub fn of(tree: &Tree) -> (Branch, Facts) {
        let (root, nodes) = Branch::of(tree);
        let visits = analyse(&root, nodes);
        let mut facts = Facts {
            visits,
            written: Vec::with_capacity(nodes),
            places: Vec::with_capacity(nodes),
            named: BTreeSet::new(),
        };
        facts.learn(&root, &mut 0, false);
        (root, facts)
    }

    /// Preorder is the order of a tick, so what a node reads has been learnt before.
    fn learn(&mut self, branch: &Branch, next: &mut usize, inside: bool) {
        self.places.push(if inside { *next - 1 } else { *next });
        *next += usize::from(!inside);
        let values = self.computed(branch);
        let known = |value: &Option<Linear>| value.clone().map_or(Known::Unwritten, Known::Sum);
        self.written.push(match branch.kind() {
            Kind::Attract => [Known::Unsure, Known::Unsure],
            _ => values.each_ref().map(known),
        });
        self.named.extend(values.iter().flatten().flat_map(Linear::registers));
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
                self.named.extend(sum.registers());
            }
        }
    }

    pub fn visit(&self, branch: &Branch) -> &Visit {
        &self.visits[branch.id]
    }

    pub fn place(&self, branch: &Branch) -> usize {
        self.places[branch.id]
    }

    /// What is known when a node is ticked; nothing if it never is.
    pub fn entry(&self, branch: &Branch) -> Option<&State> {
        self.visit(branch).entry.as_ref()
    }

    /// What a node computes from what it finds; a component that is NaN is missing.
    pub fn computed(&self, branch: &Branch) -> [Option<Linear>; 2] {
        match self.entry(branch) {
            Some(state) => computed(&branch.code, state, &self.written),
            None => [None, None],
        }
    }

    /// What a node finds in a cell; nothing if that is NaN.
    pub fn scalar(&self, cell: u8, at: &Branch) -> Option<Linear> {
        sum_of(cell, self.entry(at)?, &self.written)
    }

    /// What a node finds in the vector at `cell`; nothing if a component is NaN.
    pub fn vector(&self, cell: u8, at: &Branch) -> Option<Pair> {
        Some([self.scalar(cell & !1, at)?, self.scalar(cell | 1, at)?])
    }

    /// What v_goal holds after a node has succeeded: each component may be unwritten.
    pub fn goal_after(&self, branch: &Branch) -> Option<[Known; 2]> {
        let state = self.visit(branch).exits[Status::Success as usize].as_ref()?;
        Some([GOAL, GOAL + 1].map(|cell| known(cell as u8, state, &self.written)))
    }

    /// True if a node is ticked and can only return `status`.
    pub fn only(&self, branch: &Branch, status: Status) -> bool {
        self.visit(branch).reached() && self.visit(branch).results().all(|(s, _)| s == status)
    }

    /// True for a write to a scratch register that every reader is told in full, so that it need not be told itself.
    pub fn is_told_elsewhere(&self, branch: &Branch) -> bool {
        let cell = branch.code.d;
        let scratch = |cell: u8| is_written(cell) && !super::words::is_goal(cell);
        let cells = match branch.kind() {
            Kind::Movcs | Kind::Mulas => vec![cell],
            Kind::Movcv | Kind::Mulav | Kind::Rotav => vec![cell & !1, cell | 1],
            _ => return false,
        };
        cells.iter().any(|c| scratch(*c)) && cells.iter().all(|c| !super::words::is_goal(*c) && !self.named.contains(c))
    }

    /// True if an update may end with v_goal unwritten.
    pub fn may_stand(&self, root: &Branch) -> bool {
        self.visit(root).results().any(|(_, end)| end.value(GOAL as u8).nan && end.value(GOAL as u8 + 1).nan)
    }

    /// True if some formula names a scratch register.
    pub fn names_registers(&self) -> bool {
        self.named.iter().any(|cell| !super::words::is_goal(*cell))
    }
}

/// True for leaves that write v_goal alone.
pub(super) fn drives(branch: &Branch) -> bool {
    let to_goal = branch.kind().spec().group == Group::Action && super::words::is_goal(branch.code.d);
    to_goal || matches!(branch.kind(), Kind::Upfield | Kind::Attract)
}
