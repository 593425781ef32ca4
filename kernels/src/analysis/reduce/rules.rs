//! Rewriting rules. Each rule uses the results of the analysis and preserves the value of v_goal after every tick.

use super::branch::Branch;
use super::context::{Frame, Place, goes_on, is_ignored, same};
use super::flow::Visit;
use super::live::Use;
use super::{Options, Rule, Step};
use crate::tree::{Group, Kind, Node, Status, decorate};
use std::ops::Range;

/// One pass over a tree. At most one rule is applied on each path from the root to a leaf, so that no rule relies on
/// analysis results that another rule has invalidated.
pub(super) struct Pass<'a> {
    pub visits: &'a [Visit],
    pub uses: &'a [Use],
    pub options: Options,
    pub steps: &'a mut Vec<Step>,
}

impl Pass<'_> {
    /// Returns the subtree after the pass.
    pub fn rewrite(&mut self, branch: &Branch, place: Place) -> Branch {
        if let Some((rule, after)) = self.constant(branch, place) {
            self.note(rule, branch, after.node.to_string());
            return after;
        }
        if let Some((rule, range)) = self.droppable(branch, place) {
            let mut after = branch.clone();
            for gone in after.kids.drain(range) {
                self.note(rule, &gone, String::new());
                if branch.kind() == Kind::Par && self.only(&gone, Status::Success) && after.node.operands[0] > 1.0 {
                    after.node.operands[0] -= 1.0;
                }
            }
            return after;
        }
        if let Some((rule, after)) = self.simpler(branch, place) {
            self.note(rule, branch, after.node.to_string());
            return after;
        }
        if branch.is_subtree_leaf() || branch.kids.is_empty() {
            return branch.clone();
        }
        let kids = branch.kids.iter().enumerate();
        let kids = kids.map(|(index, kid)| self.rewrite(kid, Some(&Frame { parent: branch, index, up: place })));
        let kids = kids.collect();
        branch.with(kids)
    }

    fn note(&mut self, rule: Rule, before: &Branch, after: String) {
        self.steps.push(Step { rule, before: before.node.to_string(), after });
    }

    fn visit(&self, branch: &Branch) -> &Visit {
        &self.visits[branch.id]
    }

    fn has_effect(&self, branch: &Branch) -> bool {
        self.uses[branch.id].effect
    }

    /// Returns true if `branch` has no possible result other than `status`.
    fn only(&self, branch: &Branch, status: Status) -> bool {
        self.visit(branch).results().all(|(s, _)| s == status)
    }

    /// Returns true if every result of `branch` at `place` may be replaced by `by(result)`.
    fn may_return(&self, branch: &Branch, place: Place, by: impl Fn(Status) -> Status) -> bool {
        self.visit(branch).results().all(|(status, state)| same(place, state, status, by(status)))
    }

    /// Returns a simpler replacement for a node, with its rule; `None` if no rule applies.
    fn simpler(&self, branch: &Branch, place: Place) -> Option<(Rule, Branch)> {
        match branch.kind() {
            Kind::Successd | Kind::Failed | Kind::Invert => {
                let kid = &branch.kids[0];
                let states = self.visit(kid).results();
                let mut states = states.map(|(s, state)| same(place, state, decorate(branch.kind(), s), s));
                states.all(|same| same).then(|| (Rule::Decorator, kid.clone()))
            }
            Kind::Repeati | Kind::Repeatr => self.repeat(branch, place),
            Kind::Seq | Kind::Sel | Kind::Seqm | Kind::Selm | Kind::Par => self.composite(branch),
            _ => self.leaf(branch, place),
        }
    }

    /// Returns `successl` or `failurel` as replacement for a subtree without effect whose result is known or
    /// irrelevant. Returns `None` for other subtrees.
    fn constant(&self, branch: &Branch, place: Place) -> Option<(Rule, Branch)> {
        if matches!(branch.kind(), Kind::Successl | Kind::Failurel) || self.has_effect(branch) {
            return None;
        }
        let in_selector = place.is_some_and(|f| matches!(f.parent.kind(), Kind::Sel | Kind::Selm));
        let both = [(Kind::Successl, Status::Success), (Kind::Failurel, Status::Failure)];
        let [first, second] = if in_selector { [both[1], both[0]] } else { both };
        let (kind, _) = [first, second].into_iter().find(|(_, s)| self.may_return(branch, place, |_| *s))?;
        let rule = match branch.kind().spec().group {
            Group::Action => Rule::UselessAction,
            Group::Query => Rule::KnownQuery,
            _ => Rule::KnownResult,
        };
        Some((rule, Branch::constant(kind)))
    }

    fn repeat(&self, branch: &Branch, place: Place) -> Option<(Rule, Branch)> {
        let kid = &branch.kids[0];
        if self.uses[branch.id].draws {
            return None;
        }
        let counted = self.visit(kid).exits[Status::Success as usize].as_ref();
        let counts = branch.code.a > 1.0;
        let idle = !counts || counted.is_none_or(|state| same(place, state, Status::Running, Status::Success));
        idle.then(|| (Rule::Repeat, kid.clone()))
    }

    fn composite(&self, branch: &Branch) -> Option<(Rule, Branch)> {
        let kind = branch.kind();
        let kids = &branch.kids;
        if kids.len() == 1 && (kind != Kind::Par || branch.code.a == 1.0) {
            return Some((Rule::SingleChild, kids[0].clone()));
        }
        let plain = match kind {
            Kind::Seqm => Kind::Seq,
            Kind::Selm => Kind::Sel,
            _ => kind,
        };
        let never_resumed = |kids: &[Branch]| kids.iter().skip(1).all(|kid| !self.visit(kid).can(Status::Running));
        if kind != plain && never_resumed(kids) {
            let node = Node { kind: plain, ..branch.node };
            return Some((Rule::Memoryless, Branch::over(node, kids.clone())));
        }
        if kids.len() == 2 && !self.has_effect(&kids[1]) {
            let decorator = match (plain, kids[1].kind()) {
                (Kind::Seq, Kind::Failurel) => Some(Kind::Failed),
                (Kind::Sel, Kind::Successl) => Some(Kind::Successd),
                _ => None,
            };
            if let (Some(decorator), true) = (decorator, kind == plain) {
                let after = Branch::over(Node::new(decorator, 1, &[]), vec![kids[0].clone()]);
                return Some((Rule::AsDecorator, after));
            }
        }
        let flattens = |kid: &Branch| {
            let room = !self.options.executable || kids.len() + kid.kids.len() - 1 <= 4;
            let fits = kid.kind() == kind || (kid.kind() == plain && never_resumed(&kid.kids));
            room && fits && kind != Kind::Par
        };
        let index = kids.iter().position(flattens)?;
        let mut wide = kids.clone();
        let inner = wide.remove(index).kids;
        wide.splice(index..index, inner);
        Some((Rule::Flatten, branch.with(wide)))
    }

    fn leaf(&self, branch: &Branch, place: Place) -> Option<(Rule, Branch)> {
        let kind = branch.kind();
        let as_red = || self.only(&branch.kids[0].kids[0], Status::Success);
        match kind {
            Kind::Bsearch if !self.has_effect(branch) => {
                let same = |s: Status| if s == Status::Success { s } else { Status::Failure };
                let bfront = Branch::constant(Kind::Bfront);
                self.may_return(branch, place, same).then_some((Rule::SubtreeLeaf, bfront))
            }
            Kind::Red | Kind::Green | Kind::Blue if as_red() => {
                let node = Node { kind: Kind::Fixedprob, ..branch.node };
                Some((Rule::SubtreeLeaf, Branch::over(node, Vec::new())))
            }
            _ => None,
        }
    }

    /// Returns a range of children that can be removed, with the rule; `None` if no rule applies.
    fn droppable(&self, branch: &Branch, place: Place) -> Option<(Rule, Range<usize>)> {
        let kind = branch.kind();
        if branch.kids.len() < 2 || kind.spec().group != Group::Composite {
            return None;
        }
        for (index, kid) in branch.kids.iter().enumerate() {
            if !self.visit(kid).reached() {
                return Some((Rule::Unreachable, index..branch.kids.len()));
            }
            if self.has_effect(kid) {
                continue;
            }
            let without = if kind == Kind::Par {
                let counted = self.only(kid, Status::Success) && branch.code.a > 1.0;
                counted || self.only(kid, Status::Failure) || is_ignored(place)
            } else {
                let frame = Frame { parent: branch, index, up: place };
                self.may_return(kid, Some(&frame), |_| goes_on(kind))
            };
            if without {
                return Some((Rule::NoEffect, index..index + 1));
            }
        }
        None
    }
}
