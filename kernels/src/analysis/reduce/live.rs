//! Backward analysis (liveness): determines which register values are read later in the same tick or in later ticks.

use super::branch::{Branch, DRAW, DRIVE, scratch_bits};
use super::flow::Visit;
use crate::tree::Kind;
use crate::tree::registers::GOAL;

/// Results of the backward analysis for one node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use {
    /// Whether the node draws a random number that other draws may follow in the same tick.
    pub draws: bool,
    /// Whether the node or a descendant has an effect that is visible later.
    pub effect: bool,
}

pub(super) struct Live<'a> {
    visits: &'a [Visit],
    pub uses: Vec<Use>,
}

/// Determines the [`Use`] of each node, by node id.
pub(super) fn analyse(root: &Branch, visits: &[Visit]) -> Vec<Use> {
    let mut live = Live { visits, uses: vec![Use::default(); visits.len()] };
    let mut end = 0;
    loop {
        // Registers that the next tick reads are live at the end of this tick. [`DRAW`] is excluded, because draws of
        // different ticks are independent.
        let start = live.enter(root, [end; 3], true) & !DRAW;
        if start | end == end {
            return live.uses;
        }
        end |= start;
    }
}

impl Live<'_> {
    /// Returns the mask of live registers at a node's entry, given the masks after each of its results. `ignored` is
    /// true if no result of the node has any influence.
    fn enter(&mut self, branch: &Branch, after: [u8; 3], ignored: bool) -> u8 {
        let entry = self.enter_node(branch, after, ignored);
        let any_result = after[0] | after[1] | after[2];
        // A subtree that changes neither a live register nor v_goal has no effect, so the registers that it reads are
        // not live. An example is a register that serves only to compute itself. `touches` includes unreachable
        // nodes, because they may become reachable after the removal of a write.
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
            // A network stores its inputs in its neurons even if it does not write v_goal.
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
