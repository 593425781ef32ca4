//! Straight-line programs of formulas: operations without branches or loops, each on the results of earlier ones.

use serde::{Deserialize, Serialize};

/// Index of an operation, whose result later operations use.
pub type Slot = u16;

/// Operation of a program. Truth values are 1 and 0; every value other than 0 is true.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// A number.
    Constant(f32),
    /// Number of robots of the world.
    Robots,
    /// Time since the start (s).
    Time,
    /// Value of the quantity with this index.
    Quantity(u16),
    /// Value of the lot with this index.
    Lot(u16),
    /// Value of the reduction with this index.
    Reduced(u16),
    /// 1 from the first update in which the operand is true; the first index is that of the latch.
    Ever(u16, Slot),
    /// Function of one operand.
    Unary(Unary, Slot),
    /// Function of two operands.
    Binary(Binary, Slot, Slot),
    /// Second operand if the first is true, else the third.
    Select(Slot, Slot, Slot),
}

/// Function of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unary {
    /// -a
    Negate,
    /// Absolute value.
    Abs,
    /// 1 if a is 0, else 0.
    Not,
    /// Largest integer that is not above a.
    Floor,
}

/// Function of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Binary {
    /// a + b
    Add,
    /// a - b
    Subtract,
    /// a * b
    Multiply,
    /// a / b; 0 if b is 0.
    Divide,
    /// Smaller operand.
    Min,
    /// Larger operand.
    Max,
    /// Whether a < b.
    Less,
    /// Whether a <= b.
    AtMost,
    /// Whether a > b.
    Greater,
    /// Whether a >= b.
    AtLeast,
    /// Whether a = b.
    Equal,
    /// Whether a differs from b.
    Unequal,
    /// Whether both are true.
    And,
    /// Whether at least one is true.
    Or,
}

impl Unary {
    /// Returns the result.
    pub fn apply(self, a: f32) -> f32 {
        match self {
            Unary::Negate => -a,
            Unary::Abs => a.abs(),
            Unary::Not => truth(a == 0.0),
            Unary::Floor => a.floor(),
        }
    }
}

impl Binary {
    /// Returns the result.
    pub fn apply(self, a: f32, b: f32) -> f32 {
        match self {
            Binary::Add => a + b,
            Binary::Subtract => a - b,
            Binary::Multiply => a * b,
            Binary::Divide => {
                if b == 0.0 {
                    0.0
                } else {
                    a / b
                }
            }
            Binary::Min => crate::math::min(a, b),
            Binary::Max => crate::math::max(a, b),
            Binary::Less => truth(a < b),
            Binary::AtMost => truth(a <= b),
            Binary::Greater => truth(a > b),
            Binary::AtLeast => truth(a >= b),
            Binary::Equal => truth(a == b),
            Binary::Unequal => truth(a != b),
            Binary::And => truth(a != 0.0 && b != 0.0),
            Binary::Or => truth(a != 0.0 || b != 0.0),
        }
    }
}

fn truth(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

/// Values that the operations of a program read.
pub trait Inputs {
    /// Number of robots.
    fn robots(&self) -> f32;
    /// Time since the start (s).
    fn time(&self) -> f32;
    /// Value of a quantity.
    fn quantity(&self, index: u16) -> f32;
    /// Value of a lot.
    fn lot(&self, index: u16) -> f32;
    /// Value of a reduction.
    fn reduced(&self, index: u16) -> f32;
    /// Whether a latch was set before.
    fn latched(&self, index: u16) -> bool;
}

/// Executes the operations for which `needed` is true, and stores their results in `results`. Needed operations must
/// not use others.
pub fn execute(ops: &[Op], needed: impl Fn(usize) -> bool, inputs: &impl Inputs, results: &mut Vec<f32>) {
    results.clear();
    results.resize(ops.len(), 0.0);
    for (index, op) in ops.iter().enumerate().filter(|(index, _)| needed(*index)) {
        let get = |slot: Slot| results[usize::from(slot)];
        results[index] = match *op {
            Op::Constant(value) => value,
            Op::Robots => inputs.robots(),
            Op::Time => inputs.time(),
            Op::Quantity(index) => inputs.quantity(index),
            Op::Lot(index) => inputs.lot(index),
            Op::Reduced(index) => inputs.reduced(index),
            Op::Ever(latch, a) => truth(inputs.latched(latch) || get(a) != 0.0),
            Op::Unary(function, a) => function.apply(get(a)),
            Op::Binary(function, a, b) => function.apply(get(a), get(b)),
            Op::Select(condition, a, b) => get(if get(condition) != 0.0 { a } else { b }),
        };
    }
}

impl Op {
    /// Operands of the operation.
    pub fn operands(&self) -> impl Iterator<Item = Slot> {
        let slots = match *self {
            Op::Ever(_, a) | Op::Unary(_, a) => [Some(a), None, None],
            Op::Binary(_, a, b) => [Some(a), Some(b), None],
            Op::Select(a, b, c) => [Some(a), Some(b), Some(c)],
            _ => [None; 3],
        };
        slots.into_iter().flatten()
    }
}
