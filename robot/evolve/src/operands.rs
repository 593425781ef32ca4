//! Allowed operands of nodes: registers by role, and ranges of numbers (thesis 7.4.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{Node, Operand};

/// Allowed values of all operands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Operands {
    pub(crate) registers: Registers,
    pub(crate) ranges: Ranges,
}

/// Cells of the full register map that operands may refer to, by role. In a Kilobot's set, scalars are entries of the
/// Kilobot's blackboard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Registers {
    pub(crate) scalar_sources: Vec<u8>,
    pub(crate) vector_sources: Vec<u8>,
    pub(crate) scalar_destinations: Vec<u8>,
    pub(crate) vector_destinations: Vec<u8>,
}

impl Registers {
    /// Returns the cells that an operand may refer to; `None` if the operand is a number.
    fn cells(&self, operand: Operand) -> Option<&[u8]> {
        match operand {
            Operand::ScalarDest | Operand::EntryDest => Some(&self.scalar_destinations),
            Operand::VectorDest => Some(&self.vector_destinations),
            Operand::Scalar | Operand::Entry => Some(&self.scalar_sources),
            Operand::Vector => Some(&self.vector_sources),
            _ => None,
        }
    }
}

/// Minimum and maximum of random values, for each number type (Table 7.5). Mutation by small steps may leave this
/// range, up to the limits of the operand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Ranges {
    int8: [f32; 2],
    angle: [f32; 2],
    width: [f32; 2],
    fixed: [f32; 2],
    float: [f32; 2],
    gain: [f32; 2],
    count: [f32; 2],
    quadrant: [f32; 2],
    threshold: [f32; 2],
}

impl Default for Ranges {
    fn default() -> Ranges {
        Ranges {
            int8: [-128.0, 127.0],
            angle: [-128.0, 127.0],
            width: [0.0, 255.0],
            fixed: [-16.0, 15.875],
            float: [-32.0, 32.0],
            gain: [-5.0, 5.0],
            count: [1.0, 100.0],
            quadrant: [-4.0, 4.0],
            threshold: [1.0, 4.0],
        }
    }
}

/// Allowed values of one operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Values<'a> {
    /// One of these cells of the register map.
    Cells(&'a [u8]),
    /// One of `count` values: `low`, `low` + `step` and so on.
    Steps { low: f32, step: f32, count: u32 },
    /// Any number from `low` to `high`.
    Range { low: f32, high: f32 },
}

impl Values<'_> {
    /// Returns the first allowed value.
    pub(crate) fn first(self) -> f32 {
        match self {
            Values::Cells(cells) => f32::from(cells[0]),
            Values::Steps { low, .. } | Values::Range { low, .. } => low,
        }
    }
}

impl Operands {
    /// Returns the allowed values of an operand.
    pub(crate) fn values(&self, operand: Operand) -> Values<'_> {
        if let Some(cells) = self.registers.cells(operand) {
            return Values::Cells(cells);
        }
        let [low, high] = self.ranges.range(operand);
        match step_size(operand) {
            Some(step) => Values::Steps { low, step, count: ((high - low) / step) as u32 + 1 },
            None => Values::Range { low, high },
        }
    }

    /// Draws a random value for an operand (Table 7.5).
    pub(crate) fn draw(&self, operand: Operand, draws: &mut Draws) -> f32 {
        match self.values(operand) {
            Values::Cells(cells) => f32::from(cells[draws.below(cells.len() as u32) as usize]),
            Values::Steps { low, step, count } => low + step * draws.below(count) as f32,
            Values::Range { low, high } => draws.range(low, high),
        }
    }

    /// Returns whether every register operand of a node refers to an allowed cell.
    pub(crate) fn allow(&self, node: &Node) -> bool {
        node.operands
            .iter()
            .zip(node.kind.spec().operands)
            .all(|(value, spec)| self.registers.cells(spec.operand).is_none_or(|cells| cells.contains(&(*value as u8))))
    }
}

/// Keys of the number types in a primitive set file.
const NUMBERS: [(&str, Operand); 9] = [
    ("int8", Operand::Int8),
    ("angle", Operand::Angle),
    ("width", Operand::Width),
    ("fixed", Operand::Fixed),
    ("float", Operand::Float),
    ("gain", Operand::Gain),
    ("count", Operand::Count),
    ("quadrant", Operand::Quadrant),
    ("threshold", Operand::Threshold),
];

impl Ranges {
    /// Returns the minimum and maximum of a numeric operand.
    fn range(&self, operand: Operand) -> [f32; 2] {
        match operand {
            Operand::Int8 => self.int8,
            Operand::Angle => self.angle,
            Operand::Width => self.width,
            Operand::Fixed => self.fixed,
            Operand::Gain => self.gain,
            Operand::Count => self.count,
            Operand::Quadrant => self.quadrant,
            Operand::Threshold => self.threshold,
            // Probabilities always have the full range.
            Operand::Share => [0.0, 1.0],
            _ => self.float,
        }
    }

    /// Validates the ranges.
    ///
    /// # Errors
    /// Returns one line that names a range outside the limits of its operand type, or a reversed range. Also returns an
    /// error if the minimum or maximum of a range is not a multiple of the type's step.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (key, operand) in NUMBERS {
            let ([low, high], (least, most)) = (self.range(operand), operand.range());
            let on_grid = step_size(operand).is_none_or(|step| low % step == 0.0 && high % step == 0.0);
            if !(low <= high && low >= least && high <= most && (high - low).is_finite()) {
                return Err(format!("ranges.{key} = [{low}, {high}] is outside {least} to {most}, or reversed"));
            }
            if !on_grid {
                return Err(format!(
                    "ranges.{key} = [{low}, {high}]: both ends must be multiples of {}",
                    step_size(operand).unwrap_or(0.0)
                ));
            }
        }
        Ok(())
    }
}

/// Returns the step between two values of an operand; `None` for a continuous operand.
pub(crate) fn step_size(operand: Operand) -> Option<f32> {
    match operand {
        Operand::Float | Operand::Gain | Operand::Share => None,
        Operand::Fixed => Some(0.125),
        _ => Some(1.0),
    }
}
