//! Register values as linear combinations of senses, derived from the nodes that write the registers.

use super::words::number;
use crate::analysis::reduce::state::State;
use crate::tree::registers::{ATTR, GOAL, PROX, SCRATCH, UP, scalar_name};
use crate::tree::{Instruction, Kind, PROX_GAIN};
use std::collections::BTreeMap;

/// Linear combination: a constant plus multiples of register cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Linear {
    pub constant: f64,
    /// Factor of each cell of the full register map. Factors are never 0.
    pub factors: BTreeMap<u8, f64>,
}

/// Knowledge about the content of a cell at one point of a tick.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CellValue {
    /// The cell has not been written in this tick, so its content is NaN.
    Unwritten,
    /// The content is a linear combination of senses.
    Sum(Linear),
    /// The content is unknown, because it depends on the path to this point or on earlier ticks.
    Unsure,
}

/// Both components of a vector.
pub(super) type Pair = [Linear; 2];

/// Returns whether nodes may write a cell.
pub(super) fn is_written(cell: u8) -> bool {
    usize::from(cell) & !1 == GOAL || (SCRATCH - 1..SCRATCH + 2).contains(&usize::from(cell))
}

impl Linear {
    fn only(constant: f64) -> Linear {
        Linear { constant, factors: BTreeMap::new() }
    }

    /// Returns the linear combination of a single cell with factor 1.
    pub fn cell(cell: u8) -> Linear {
        Linear { constant: 0.0, factors: BTreeMap::from([(cell, 1.0)]) }
    }

    /// Returns `self + k * other`.
    pub fn plus(&self, k: f64, other: &Linear) -> Linear {
        let mut sum = self.clone();
        sum.constant += k * other.constant;
        for (cell, factor) in &other.factors {
            *sum.factors.entry(*cell).or_insert(0.0) += k * factor;
        }
        sum.factors.retain(|_, factor| *factor != 0.0);
        sum
    }

    pub fn factor(&self, cell: u8) -> f64 {
        self.factors.get(&cell).copied().unwrap_or(0.0)
    }

    /// Returns the value for the given cell contents.
    pub fn value(&self, cells: impl Fn(u8) -> f64) -> f64 {
        self.factors.iter().fold(self.constant, |sum, (cell, factor)| sum + factor * cells(*cell))
    }

    /// Returns all cells of the combination that nodes may write. The combination refers to the contents that these
    /// cells had at the time of computation.
    pub fn registers(&self) -> impl Iterator<Item = u8> {
        self.factors.keys().copied().filter(|cell| is_written(*cell))
    }

    /// Formats the combination. Example: "v_prox.x + 6.55 v_up.y".
    pub fn formula(&self) -> String {
        let mut sum = Sum::default();
        if self.constant != 0.0 || self.factors.is_empty() {
            sum.add(self.constant, "");
        }
        self.factors.iter().for_each(|(cell, factor)| sum.add(*factor, &scalar_name(*cell)));
        sum.text
    }
}

/// Builder of the text of a sum.
#[derive(Default)]
pub(super) struct Sum {
    pub text: String,
}

impl Sum {
    /// Adds `factor` times `name`. If `name` is empty, adds the number itself.
    pub fn add(&mut self, factor: f64, name: &str) {
        let sign = match (self.text.is_empty(), factor < 0.0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let size = number(factor.abs());
        self.text.push_str(sign);
        match (name, size.as_str()) {
            ("", _) => self.text.push_str(&size),
            (_, "1") => self.text.push_str(name),
            _ => self.text.push_str(&format!("{size} {name}")),
        }
    }
}

/// Returns the knowledge about a cell in `state`. `written` holds both components of the value that each node writes,
/// indexed by node id.
pub(super) fn known(cell: u8, state: &State, written: &[[CellValue; 2]]) -> CellValue {
    if cell < 2 {
        return CellValue::Sum(Linear::default());
    }
    if !is_written(cell) {
        return CellValue::Sum(Linear::cell(cell));
    }
    let value = state.value(cell);
    if value.is_nan() {
        return CellValue::Unwritten;
    }
    if let Some(only) = value.only.filter(|only| only.is_finite()) {
        return CellValue::Sum(Linear::only(f64::from(only)));
    }
    // The first component of a vector has an even cell, and the second component has an odd cell. For a scalar, both
    // components are equal.
    let sum = state.writer(cell).map(|id| written[id][usize::from(cell & 1)].clone());
    match sum {
        // A value that was computed from registers may be invalid, because the registers may have changed since.
        Some(CellValue::Sum(sum)) if sum.registers().next().is_some() => CellValue::Unsure,
        Some(known) => known,
        None => CellValue::Unsure,
    }
}

/// Returns the content of a cell as a sum. If the content is unknown, the sum is the cell itself. Returns `None` for
/// NaN.
pub(super) fn sum_of(cell: u8, state: &State, written: &[[CellValue; 2]]) -> Option<Linear> {
    match known(cell, state, written) {
        CellValue::Sum(sum) => Some(sum),
        CellValue::Unsure => Some(Linear::cell(cell)),
        CellValue::Unwritten => None,
    }
}

/// Returns both components of the value that a node writes; `None` for each component that is NaN. Both components of a
/// scalar value are equal.
pub(super) fn computed(code: &Instruction, state: &State, written: &[[CellValue; 2]]) -> [Option<Linear>; 2] {
    let scalar = |cell: u8| sum_of(cell, state, written);
    let vector = |cell: u8| [scalar(cell & !1), scalar(cell | 1)];
    let (a, b) = (f64::from(code.a), f64::from(code.b));
    let add = |x: &Option<Linear>, k: f64, y: &Option<Linear>| Some(x.as_ref()?.plus(k, y.as_ref()?));
    match code.kind {
        Kind::Movcs => [Some(Linear::only(a)), Some(Linear::only(a))],
        Kind::Movcv => [Some(Linear::only(a)), Some(Linear::only(b))],
        Kind::Mulas => {
            let sum = add(&scalar(code.s1), a, &scalar(code.s2));
            [sum.clone(), sum]
        }
        Kind::Mulav => {
            let ([x, y], [u, v]) = (vector(code.s1), vector(code.s2));
            [add(&x, a, &u), add(&y, a, &v)]
        }
        Kind::Rotav => {
            let ([x, y], [u, v]) = (vector(code.s1), vector(code.s2));
            [add(&add(&x, a, &u), -b, &v), add(&add(&y, b, &u), a, &v)]
        }
        Kind::Upfield => [UP, UP + 1].map(|cell| gain(cell, a)),
        // This sum is valid only if there are neighbours. Without neighbours, v_attr is (1, 0).
        Kind::Attract => [ATTR, ATTR + 1].map(|cell| gain(cell, a)),
        _ => [None, None],
    }
}

fn gain(cell: usize, g: f64) -> Option<Linear> {
    let prox = Linear::cell((PROX + cell % 2) as u8);
    Some(Linear::default().plus(g, &Linear::cell(cell as u8)).plus(-f64::from(PROX_GAIN), &prox))
}
