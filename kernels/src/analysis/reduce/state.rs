//! Facts about the blackboard at one point of an abstract tick.

use super::value::Value;
use crate::math::{Vec2, vec2};
use crate::tree::registers::{BLUE, CELLS, GOAL, RED, SCRATCH};
use crate::tree::{Instruction, Kind, Node, decode, holds};
use crate::world::Colour;
use crate::world::senses::Blobs;
use std::sync::LazyLock;

/// Cell of s_scr.
const S_SCR: usize = SCRATCH - 1;
/// First cell after v_scr.
const SCRATCH_END: usize = SCRATCH + 2;
/// Bit masks of the vector regions that `ifquad` distinguishes: short vectors, long vectors in the four quadrants,
/// and vectors with a NaN component.
const SHORT: u8 = 1;
const LONG: u8 = 0b1_1110;
const WITH_NAN: u8 = 0b10_0000;
/// Maximum number of stored sectors, which limits the cost of very long sequences.
const MAX_SECTORS: usize = 32;

/// The eight possible vectors of the camera for one colour (thesis Table 6.4).
static PATTERNS: LazyLock<[Vec2; 8]> = LazyLock::new(|| {
    std::array::from_fn(|bits| {
        let seen = [bits & 4 != 0, bits & 2 != 0, bits & 1 != 0];
        Blobs([seen; 3]).vector(Colour::Blue)
    })
});

/// An `ifsect` query: the cell of its vector, and the bits of its two decoded operands.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sector(u8, u32, u32);

/// Facts that hold whenever a tick reaches a given point of the tree.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analysis) struct State {
    /// Possible values of v_goal.x, v_goal.y, s_scr, v_scr.x and v_scr.y.
    cells: [Value; 5],
    /// For each element of `cells`, the id of the node that certainly wrote it last in this tick. `None` if this node
    /// is unknown, or if no node wrote the cell.
    writers: [Option<usize>; 5],
    /// Bit masks of the possible patterns of each colour's vector (see [`PATTERNS`]).
    colours: [u8; 3],
    /// Bit masks of the possible regions of each vector.
    regions: [u8; CELLS / 2],
    sectors: Vec<(Sector, bool)>,
}

fn slot(cell: usize) -> Option<usize> {
    match cell {
        GOAL | 3 => Some(cell - GOAL),
        S_SCR..SCRATCH_END => Some(cell - S_SCR + 2),
        _ => None,
    }
}

impl State {
    /// Returns the state at the start of a robot's first tick, when the scratch registers are 0.
    pub fn first() -> State {
        let zero = Value::only(0.0);
        let cells = [Value::UNWRITTEN, Value::UNWRITTEN, zero, zero, zero];
        let mut regions = [SHORT | LONG; CELLS / 2];
        for cell in [GOAL, S_SCR, SCRATCH] {
            regions[cell / 2] |= WITH_NAN;
        }
        State { cells, writers: [None; 5], colours: [0xff; 3], regions, sectors: Vec::new() }
    }

    /// Returns the state at the start of a tick if the scratch registers have the values of either `self` or `end`.
    /// `widen` drops the bounds on magnitudes, so that repeated calls converge.
    pub fn next_tick(&self, end: &State, widen: bool) -> State {
        let mut next = self.clone();
        for (cell, left) in next.cells.iter_mut().zip(&end.cells).skip(2) {
            *cell = if widen { cell.widen(*left) } else { cell.join(*left) };
        }
        next
    }

    /// Returns the state without facts about scratch registers.
    pub fn without_scratch(&self) -> State {
        let mut state = self.clone();
        for cell in S_SCR..SCRATCH_END {
            state.write(cell, Value::ANY, None);
        }
        state
    }

    pub fn value(&self, cell: u8) -> Value {
        let cell = usize::from(cell);
        if let Some(slot) = slot(cell) {
            return self.cells[slot];
        }
        match cell {
            0 | 1 => Value::only(0.0),
            RED..=15 => {
                let patterns = (0..8).filter(|p| self.colours[(cell - RED) / 2] & (1 << p) != 0);
                let component = |p: usize| if cell.is_multiple_of(2) { PATTERNS[p].x } else { PATTERNS[p].y };
                patterns.map(|p| Value::only(component(p))).reduce(Value::join).unwrap_or(Value::SENSED)
            }
            _ => Value::SENSED,
        }
    }

    /// Returns the id of the node that certainly wrote a cell last in this tick. Returns `None` if this node is
    /// unknown, or if no node wrote the cell.
    pub fn writer(&self, cell: u8) -> Option<usize> {
        self.writers[slot(usize::from(cell))?]
    }

    /// Returns the possible camera vectors of the colour at `cell`, with their pattern numbers.
    pub fn patterns(&self, cell: u8) -> impl Iterator<Item = (usize, Vec2)> {
        let possible = self.colours[(usize::from(cell) - RED) / 2];
        PATTERNS.iter().copied().enumerate().filter(move |(p, _)| possible & (1 << p) != 0)
    }

    /// Returns whether the vector at the even cell `cell` may be `v`, given the results of the preceding queries.
    pub fn allows(&self, cell: u8, v: Vec2) -> bool {
        let query = |kind, a, b| holds(&Instruction { a, b, ..decode(&Node::new(kind, 0, &[])) }, v);
        let region = (0..5).find(|i| query(Kind::Ifquad, *i as f32, 0.0)).unwrap_or(0);
        let sectors = self.sectors.iter().filter(|(sector, _)| sector.0 == cell);
        self.regions[usize::from(cell) / 2] & (1 << region) != 0
            && sectors.into_iter().all(|(s, yes)| query(Kind::Ifsect, f32::from_bits(s.1), f32::from_bits(s.2)) == *yes)
    }

    /// Stores the value that node `writer` writes to a cell of v_goal or of a scratch register. Removes the facts
    /// about the vector that contains the cell.
    pub fn write(&mut self, cell: usize, value: Value, writer: Option<usize>) {
        if let Some(slot) = slot(cell) {
            self.cells[slot] = value;
            self.writers[slot] = writer;
            self.regions[cell / 2] = SHORT | LONG | WITH_NAN;
            self.sectors.retain(|(s, _)| usize::from(s.0) != cell & !1);
        }
    }

    /// Records that a component of v_goal has been written, so it is not NaN.
    pub fn goal_is_written(&mut self, cell: usize) {
        if let Some(slot) = slot(cell) {
            self.cells[slot] = self.cells[slot].not_nan();
        }
    }

    pub fn join(mut self, other: &State) -> State {
        for (a, b) in self.cells.iter_mut().zip(&other.cells) {
            *a = a.join(*b);
        }
        for (a, b) in self.writers.iter_mut().zip(&other.writers) {
            *a = if a == b { *a } else { None };
        }
        for (a, b) in self.colours.iter_mut().zip(&other.colours) {
            *a |= b;
        }
        for (a, b) in self.regions.iter_mut().zip(&other.regions) {
            *a |= b;
        }
        self.sectors.retain(|fact| other.sectors.contains(fact));
        self
    }

    /// Returns the states after success and after failure of an `ifquad` or `ifsect`; `None` for an impossible
    /// result.
    pub fn ask(&self, query: &Instruction) -> [Option<State>; 2] {
        let cell = query.s1 & !1;
        let known = |holds: bool| if holds { [Some(self.clone()), None] } else { [None, Some(self.clone())] };
        if (RED..BLUE + 2).contains(&usize::from(cell)) {
            return self.ask_colour(query, (usize::from(cell) - RED) / 2);
        }
        let (x, y) = (self.value(cell), self.value(cell + 1));
        if x.is_nan() || y.is_nan() {
            return known(false);
        }
        if let (Some(x), Some(y)) = (x.only, y.only) {
            return known(holds(query, vec2(x, y)));
        }
        let at = usize::from(cell) / 2;
        let within = |mask: u8| {
            let regions = self.regions[at] & mask;
            (regions != 0).then(|| {
                let mut state = self.clone();
                state.regions[at] = regions;
                state
            })
        };
        if query.kind == Kind::Ifquad {
            let i = query.a as i32;
            let mask = 1u8 << if i < 0 { 5 + i } else { i };
            return [within(mask), within(!mask)];
        }
        let sector = Sector(cell, query.a.to_bits(), query.b.to_bits());
        if let Some((_, holds)) = self.sectors.iter().find(|(s, _)| *s == sector) {
            return known(*holds);
        }
        let note = |mut state: State, holds: bool| {
            if state.sectors.len() < MAX_SECTORS {
                state.sectors.push((sector, holds));
            }
            state
        };
        let inside = within(if query.b == 0.0 { SHORT } else { LONG });
        [inside.map(|state| note(state, true)), Some(note(self.clone(), false))]
    }

    fn ask_colour(&self, query: &Instruction, colour: usize) -> [Option<State>; 2] {
        let inside = (0..8).filter(|p| holds(query, PATTERNS[*p])).fold(0u8, |mask, p| mask | 1 << p);
        [inside, !inside].map(|mask| {
            let patterns = self.colours[colour] & mask;
            (patterns != 0).then(|| {
                let mut state = self.clone();
                state.colours[colour] = patterns;
                state
            })
        })
    }
}
