//! Forward analysis of one abstract tick: reachable nodes with their possible results and states.

use super::branch::{Branch, scratch_bits};
use super::state::State;
use super::value::Value;
use crate::tree::registers::{ATTR, GOAL, PROX, UP};
use crate::tree::{Kind, PROX_GAIN, Status, decorate};

/// Results in the order of [`Exits`].
pub(super) const STATUSES: [Status; 3] = [Status::Success, Status::Failure, Status::Running];

/// State after each result (success, failure, running); `None` for an impossible result.
pub(in crate::analysis) type Exits = [Option<State>; 3];

/// Results of an abstract tick for one node.
#[derive(Clone, Debug, Default)]
pub(in crate::analysis) struct Visit {
    /// State before the node's tick; `None` if the node is never ticked.
    pub entry: Option<State>,
    pub exits: Exits,
    /// Bit mask of the scratch cells that the node writes. Bit 0 is s_scr; bits 1 and 2 are v_scr.
    pub writes: u8,
    /// Whether the cells of `writes` already contain the written values before the node's tick.
    pub redundant: bool,
    /// Whether the node may write v_goal.
    pub drives: bool,
}

impl Visit {
    pub fn reached(&self) -> bool {
        self.exits.iter().any(Option::is_some)
    }

    pub fn can(&self, status: Status) -> bool {
        self.exits[status as usize].is_some()
    }

    /// Returns the possible results with their states.
    pub fn results(&self) -> impl Iterator<Item = (Status, &State)> {
        STATUSES.into_iter().zip(&self.exits).filter_map(|(status, state)| Some((status, state.as_ref()?)))
    }
}

/// Abstract execution of a tree or subtree, which computes with sets of possible values.
#[derive(Default)]
pub(super) struct AbstractTick {
    /// Visits by node id; empty if visits are not recorded.
    pub visits: Vec<Visit>,
    /// Whether any side effect may have occurred: a write, a draw, a signal, or a tick of a node with memory.
    pub side_effects: bool,
    /// Whether the execution stops at the first side effect.
    pub stop_at_side_effects: bool,
}

/// Repeats abstract ticks until the possible values of the scratch registers converge. Returns the visits of a tick
/// that starts with these values.
pub(in crate::analysis) fn analyse(root: &Branch, nodes: usize) -> Vec<Visit> {
    let mut start = State::first();
    for round in 0.. {
        let mut flow = AbstractTick::default();
        let exits = flow.run(root, &start);
        let next = exits.iter().flatten().fold(start.clone(), |next, end| next.next_tick(end, round > 2));
        if next == start {
            break;
        }
        start = next;
    }
    let mut flow = AbstractTick { visits: vec![Visit::default(); nodes], ..AbstractTick::default() };
    flow.run(root, &start);
    flow.visits
}

fn merge(into: &mut Option<State>, state: Option<State>) {
    *into = match (into.take(), state) {
        (Some(a), Some(b)) => Some(a.join(&b)),
        (a, b) => a.or(b),
    };
}

impl AbstractTick {
    /// Ticks a subtree in state `entry`. Returns the state after each possible result.
    pub fn run(&mut self, branch: &Branch, entry: &State) -> Exits {
        let mut visit = Visit::default();
        if !(self.stop_at_side_effects && self.side_effects) {
            visit.exits = self.tick(branch, entry, &mut visit);
        }
        let exits = visit.exits.clone();
        if let Some(slot) = self.visits.get_mut(branch.id) {
            visit.entry = Some(entry.clone());
            *slot = visit;
        }
        exits
    }

    fn tick(&mut self, branch: &Branch, entry: &State, visit: &mut Visit) -> Exits {
        match branch.kind() {
            Kind::Seq | Kind::Sel | Kind::Seqm | Kind::Selm => self.chain(branch, 0, entry),
            Kind::Par => self.par(branch, entry),
            Kind::Successd | Kind::Failed | Kind::Invert => {
                let mut exits = Exits::default();
                for (status, state) in STATUSES.into_iter().zip(self.run(&branch.kids[0], entry)) {
                    merge(&mut exits[decorate(branch.kind(), status) as usize], state);
                }
                exits
            }
            Kind::Repeati | Kind::Repeatr => {
                self.side_effects = true;
                let mut exits = self.run(&branch.kids[0], entry);
                if branch.code.a > 1.0 {
                    let counted = exits[0].clone();
                    merge(&mut exits[2], counted);
                }
                exits
            }
            Kind::Ifquad | Kind::Ifsect => {
                let [yes, no] = entry.ask(&branch.code);
                [yes, no, None]
            }
            Kind::Ifprob => {
                self.side_effects = true;
                // If the operand is NaN, the probability is NaN, and no draw is below NaN.
                let never = entry.value(branch.code.s1).is_nan();
                [(!never).then(|| entry.clone()), Some(entry.clone()), None]
            }
            Kind::Successl => [Some(entry.clone()), None, None],
            // A signal is visible outside the robot, so its tick is a side effect.
            Kind::Signal => {
                self.side_effects = true;
                [Some(entry.clone()), None, None]
            }
            Kind::Failurel => [None, Some(entry.clone()), None],
            Kind::Movcs | Kind::Mulas => self.write_scalar(branch, entry, visit),
            Kind::Movcv | Kind::Mulav | Kind::Rotav | Kind::Upfield | Kind::Attract => {
                self.write_vector(branch, entry, visit)
            }
            Kind::Network => {
                // The neurons keep state between ticks, so the tick is a side effect.
                self.side_effects = true;
                self.write_vector(branch, entry, visit)
            }
            _ => self.run(&branch.kids[0], entry),
        }
    }

    /// Ticks the children of a composite in order, from child `first` on, starting in state `entry`.
    pub fn chain(&mut self, branch: &Branch, first: usize, entry: &State) -> Exits {
        let go_on = if matches!(branch.kind(), Kind::Seq | Kind::Seqm) { 0 } else { 1 };
        let with_memory = matches!(branch.kind(), Kind::Seqm | Kind::Selm);
        self.side_effects |= with_memory && first == 0;
        let mut exits = Exits::default();
        let mut here = Some(entry.clone());
        for (i, kid) in branch.kids.iter().enumerate().skip(first) {
            let Some(mut state) = here.take() else { break };
            // A child that was running in the last tick is resumed directly from the composite's entry.
            if with_memory && i > 0 && kid.may_run {
                state = state.join(entry);
            }
            for (status, state) in self.run(kid, &state).into_iter().enumerate() {
                if status == go_on && i + 1 < branch.kids.len() {
                    here = state;
                } else {
                    merge(&mut exits[status], state);
                }
            }
        }
        exits
    }

    fn par(&mut self, branch: &Branch, entry: &State) -> Exits {
        let mut state = entry.clone();
        let (mut surely, mut maybe, mut not_failing, mut reachable, mut running) = (0, 0, 0, 0, false);
        for kid in &branch.kids {
            let exits = self.run(kid, &state);
            let [yes, no, busy] = exits.each_ref().map(Option::is_some);
            surely += u32::from(yes && !no && !busy);
            maybe += u32::from(yes);
            not_failing += u32::from(!no);
            reachable += u32::from(yes || busy);
            running |= busy;
            let Some(next) = exits.into_iter().flatten().reduce(|a, b| a.join(&b)) else { break };
            state = next;
        }
        let wanted = branch.code.a as u32;
        let possible = [maybe >= wanted, not_failing < wanted, running && surely < wanted && reachable >= wanted];
        possible.map(|p| p.then(|| state.clone()))
    }

    fn write_scalar(&mut self, branch: &Branch, entry: &State, visit: &mut Visit) -> Exits {
        let code = &branch.code;
        let value = match code.kind {
            Kind::Movcs => Value::only(code.a),
            _ => entry.value(code.s1).plus(entry.value(code.s2).times(code.a)),
        };
        let cell = usize::from(code.d);
        if cell & !1 != GOAL {
            return self.write_scratch(branch.id, &[(cell, value)], entry, visit);
        }
        let now = entry.value(code.d);
        let mut exits = Exits::default();
        if now.nan {
            let mut written = entry.clone();
            written.write(cell, value, Some(branch.id));
            exits[0] = Some(written);
            visit.drives = !value.is_nan();
        }
        if !now.is_nan() {
            let mut busy = entry.clone();
            busy.goal_is_written(cell);
            exits[2] = Some(busy);
        }
        self.side_effects |= visit.drives;
        exits
    }

    fn write_vector(&mut self, branch: &Branch, entry: &State, visit: &mut Visit) -> Exits {
        let code = &branch.code;
        let cell = match code.kind {
            Kind::Upfield | Kind::Attract | Kind::Network => GOAL,
            _ => usize::from(code.d & !1),
        };
        let [x, y] = vector_value(branch, entry);
        if cell != GOAL {
            return self.write_scratch(branch.id, &[(cell, x), (cell + 1, y)], entry, visit);
        }
        let (now_x, now_y) = (entry.value(GOAL as u8), entry.value(GOAL as u8 + 1));
        let mut exits = Exits::default();
        if now_x.nan && now_y.nan {
            let mut written = entry.clone();
            written.write(cell, x, Some(branch.id));
            written.write(cell + 1, y, Some(branch.id));
            exits[0] = Some(written);
            visit.drives = !(x.is_nan() && y.is_nan());
        }
        if !(now_x.is_nan() && now_y.is_nan()) {
            let mut busy = entry.clone();
            if now_x.is_nan() {
                busy.goal_is_written(cell + 1);
            } else if now_y.is_nan() {
                busy.goal_is_written(cell);
            }
            exits[2] = Some(busy);
        }
        self.side_effects |= visit.drives;
        exits
    }

    fn write_scratch(&mut self, writer: usize, values: &[(usize, Value)], entry: &State, visit: &mut Visit) -> Exits {
        let mut after = entry.clone();
        visit.redundant = true;
        for (cell, value) in values {
            let bit = scratch_bits(*cell as u8, false);
            if bit != 0 {
                visit.writes |= bit;
                visit.redundant &= value.only.is_some() && entry.value(*cell as u8) == *value;
                after.write(*cell, *value, Some(writer));
            }
        }
        self.side_effects |= visit.writes != 0;
        [Some(after), None, None]
    }
}

fn vector_value(branch: &Branch, entry: &State) -> [Value; 2] {
    let code = &branch.code;
    let sensed = |cell: usize, k: f32| [cell, cell + 1].map(|c| entry.value(c as u8).times(k));
    let vector = |cell: u8| [entry.value(cell & !1), entry.value(cell | 1)];
    let sum = |a: [Value; 2], b: [Value; 2]| [a[0].plus(b[0]), a[1].plus(b[1])];
    match code.kind {
        Kind::Movcv => [Value::only(code.a), Value::only(code.b)],
        Kind::Mulav => sum(vector(code.s1), vector(code.s2).map(|v| v.times(code.a))),
        Kind::Rotav => {
            let [x, y] = vector(code.s2);
            let turned = [x.times(code.a).plus(y.times(-code.b)), x.times(code.b).plus(y.times(code.a))];
            sum(vector(code.s1), turned)
        }
        Kind::Network => [Value::only(-1.0).join(Value::only(1.0)); 2],
        Kind::Upfield => sum(sensed(UP, code.a), sensed(PROX, -PROX_GAIN)),
        _ => {
            assert_eq!(code.kind, Kind::Attract);
            let towards = sum(sensed(ATTR, code.a), sensed(PROX, -PROX_GAIN));
            [towards[0].join(Value::only(1.0)), towards[1].join(Value::only(0.0))]
        }
    }
}
