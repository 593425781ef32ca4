//! Backward analysis (liveness): values that the rest of a tick and later ticks still read.

use super::branch::{Branch, DRAW, DRIVE, scratch_bits};
use super::flow::Visit;
use crate::tree::Kind;
use crate::tree::registers::GOAL;

/// Results of the backward analysis for one node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use {
    /// Whether the node draws a number before other draws in the tick.
    pub draws: bool,
    /// Whether the node or a descendant has an effect that is visible later.
    pub effect: bool,
}

pub(super) struct Live<'a> {
    visits: &'a [Visit],
    pub uses: Vec<Use>,
}

/// Determines whether each node has an effect.
pub(super) fn analyse(root: &Branch, visits: &[Visit]) -> Vec<Use> {
    let mut live = Live { visits, uses: vec![Use::default(); visits.len()] };
    let mut end = 0;
    loop {
        // Values that the next tick reads are live at the end of this tick; the draws of the next tick are
        // independent.
        let start = live.enter(root, [end; 3], true) & !DRAW;
        if start | end == end {
            return live.uses;
        }
        end |= start;
    }
}

impl Live<'_> {
    /// Live values at a node's entry, given the live values after each of its results. `ignored`: no result of the
    /// node has any influence.
    fn enter(&mut self, branch: &Branch, after: [u8; 3], ignored: bool) -> u8 {
        let entry = self.enter_node(branch, after, ignored);
        let any_result = after[0] | after[1] | after[2];
        // A register may serve only to compute itself: values that such a subtree reads are not live. Unreachable
        // parts must have no effect either, because the write on which they depend may be removed first.
        if ignored && branch.touches & (any_result | DRIVE) == 0 { any_result } else { entry }
    }

    fn enter_node(&mut self, branch: &Branch, after: [u8; 3], ignored: bool) -> u8 {
        let visits = self.visits;
        let visit = &visits[branch.id];
        if !visit.reached() {
            return 0;
        }
        let later = visit.results().fold(0, |bits, (status, _)| bits | after[status as usize]);
        let code = &branch.code;
        let mut used = Use::default();
        let entry = match branch.kind() {
            Kind::Seq | Kind::Sel | Kind::Seqm | Kind::Selm => self.enter_chain(branch, after, ignored),
            Kind::Par => branch.kids.iter().rev().fold(later, |after, kid| self.enter(kid, [after; 3], ignored)),
            Kind::Successd => self.enter(&branch.kids[0], [after[0], after[0], after[2]], ignored),
            Kind::Failed => self.enter(&branch.kids[0], [after[1], after[1], after[2]], ignored),
            Kind::Invert => self.enter(&branch.kids[0], [after[1], after[0], after[2]], ignored),
            Kind::Repeati | Kind::Repeatr => {
                let below = self.enter(&branch.kids[0], [after[0] | after[2], after[1], after[2]], false);
                let drawn = if branch.kind() == Kind::Repeatr { DRAW } else { 0 };
                used.draws = below & drawn != 0;
                below | drawn
            }
            Kind::Ifprob => {
                used.draws = later & DRAW != 0;
                later | DRAW | scratch_bits(code.s1, false)
            }
            Kind::Ifquad | Kind::Ifsect => later | scratch_bits(code.s1, true),
            Kind::Successl | Kind::Failurel | Kind::Upfield | Kind::Attract => later,
            // A network stores its inputs in its neurons, whether or not it drives.
            Kind::Network => {
                used.effect = true;
                later
                    | branch
                        .parts
                        .iter()
                        .filter(|part| part.kind == Kind::Synapse)
                        .fold(0, |bits, synapse| bits | scratch_bits(synapse.operands[0] as u8, false))
            }
            // An observer of the robot can see the signal.
            Kind::Signal => {
                used.effect = true;
                later
            }
            Kind::Movcs | Kind::Movcv | Kind::Mulas | Kind::Mulav | Kind::Rotav => {
                let written = visit.writes & later;
                used.effect = written != 0 && !visit.redundant;
                // A redundant write will be removed, so the value that it overwrites must stay live.
                let kept = if visit.redundant { later } else { later & !visit.writes };
                let goal = usize::from(code.d & !1) == GOAL && visit.exits[0].is_some();
                if written != 0 || goal { kept | reads(branch) } else { kept }
            }
            _ => self.enter(&branch.kids[0], after, ignored),
        };
        used.effect |= visit.drives || used.draws || branch.kids.iter().any(|kid| self.uses[kid.id].effect);
        self.uses[branch.id] = used;
        entry
    }

    fn enter_chain(&mut self, branch: &Branch, after: [u8; 3], ignored: bool) -> u8 {
        let go_on = if matches!(branch.kind(), Kind::Seq | Kind::Seqm) { 0 } else { 1 };
        let with_memory = matches!(branch.kind(), Kind::Seqm | Kind::Selm);
        let (mut next, mut resumed, mut entry) = (after[go_on], 0, 0);
        for (i, kid) in branch.kids.iter().enumerate().rev() {
            let mut here = after;
            here[go_on] = next;
            let last = i + 1 == branch.kids.len();
            entry = self.enter(kid, here, ignored && last && !with_memory);
            next = entry;
            if with_memory && i > 0 && self.visits[kid.id].exits[2].is_some() {
                resumed |= entry;
            }
        }
        entry | resumed
    }
}

fn reads(branch: &Branch) -> u8 {
    let code = &branch.code;
    match branch.kind() {
        Kind::Mulas => scratch_bits(code.s1, false) | scratch_bits(code.s2, false),
        Kind::Mulav | Kind::Rotav => scratch_bits(code.s1, true) | scratch_bits(code.s2, true),
        _ => 0,
    }
}
