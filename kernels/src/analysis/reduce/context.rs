//! Influence of a node's result on the rest of the tree.

use super::branch::Branch;
use super::flow::{AbstractTick, STATUSES};
use super::state::State;
use crate::tree::{Kind, Status, decorate};

/// Position of a node below the root: its parent, its index among the parent's children, and the position of the
/// parent. A position of `None` is the root.
pub(super) struct Frame<'a> {
    pub parent: &'a Branch,
    pub index: usize,
    pub up: Place<'a>,
}

pub(super) type Place<'a> = Option<&'a Frame<'a>>;

/// Returns true if a node at `place` may return `b` instead of `a` without an effect in this or any later tick.
/// `state` is the state after the node's tick.
pub(super) fn same(place: Place, state: &State, a: Status, b: Status) -> bool {
    let Some(frame) = place else { return true };
    if a == b {
        return true;
    }
    let parent = frame.parent;
    match parent.kind() {
        Kind::Seq | Kind::Sel | Kind::Seqm | Kind::Selm => same_in_chain(frame, state, a, b),
        Kind::Par => is_ignored(frame.up),
        Kind::Successd | Kind::Failed | Kind::Invert => {
            same(frame.up, state, decorate(parent.kind(), a), decorate(parent.kind(), b))
        }
        _ => false,
    }
}

fn same_in_chain(frame: &Frame, state: &State, a: Status, b: Status) -> bool {
    let parent = frame.parent;
    let with_memory = matches!(parent.kind(), Kind::Seqm | Kind::Selm);
    // If a child is running, its composite stores the child's index and resumes there. This has no effect for the
    // first child, because a composite that resumes at its first child behaves as at its start.
    if with_memory && frame.index > 0 && (a == Status::Running || b == Status::Running) {
        return false;
    }
    let go_on = goes_on(parent.kind());
    let last = frame.index + 1 == parent.kids.len();
    if last || (a != go_on && b != go_on) {
        return same(frame.up, state, a, b);
    }
    let stays = if a == go_on { b } else { a };
    // Either `a` or `b` ends the composite. The other result continues with the next children, so these must have no
    // side effects and must end with an equivalent result. Facts about scratch registers are removed from the state,
    // because registers that only these children read count as unread.
    let mut flow = AbstractTick { stop_at_side_effects: true, ..AbstractTick::default() };
    let exits = flow.chain(parent, frame.index + 1, &state.without_scratch());
    if flow.side_effects || (with_memory && exits[Status::Running as usize].is_some()) {
        return false;
    }
    STATUSES.into_iter().zip(&exits).all(|(status, exit)| match exit {
        Some(state) => same(frame.up, state, status, stays),
        None => true,
    })
}

/// Returns the result of a child after which a composite ticks the next child.
pub(super) fn goes_on(kind: Kind) -> Status {
    if matches!(kind, Kind::Seq | Kind::Seqm) { Status::Success } else { Status::Failure }
}

/// Returns true if no result at this position has any influence on the rest of the tree.
pub(super) fn is_ignored(place: Place) -> bool {
    let Some(frame) = place else { return true };
    match frame.parent.kind() {
        Kind::Seq | Kind::Sel => frame.index + 1 == frame.parent.kids.len() && is_ignored(frame.up),
        Kind::Par | Kind::Successd | Kind::Failed | Kind::Invert => is_ignored(frame.up),
        _ => false,
    }
}
