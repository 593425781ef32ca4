//! Objectives in words.

use super::bodies::DiscValue;
use super::program::{Binary, Op, Slot, Unary};
use super::quantity::{Among, Quantity};
use super::{Objective, Reduction, ReductionKind};

impl Objective {
    /// Sentences that describe what is scored, and between which values.
    pub fn description(&self) -> String {
        let value = self.value.len().checked_sub(1).map_or(String::new(), |last| self.final_words(last as Slot));
        let end = self
            .end
            .map_or(String::new(), |slot| format!(" The run ends when ({}) is not 0.", self.update_words(slot)));
        let relocation = match self.relocates {
            true => " Disc 1 is put back near the centre when it touches an x wall; this does not count.",
            false => "",
        };
        format!(
            "The value is {value}. A value of {} is fitness 0; a value of {} is fitness 1.{end}{relocation}",
            self.worst, self.best
        )
    }

    /// Names of the latches, and when each is set.
    pub fn latch_descriptions(&self) -> Vec<(&str, String)> {
        let condition = |latch: u16| {
            let set = self.update.iter().find_map(|op| match op {
                Op::Ever(index, slot) if *index == latch => Some(*slot),
                _ => None,
            });
            set.map_or(String::new(), |slot| format!("1 once {}", self.update_words(slot)))
        };
        self.latch_names.iter().map(|(name, latch)| (name.as_str(), condition(*latch))).collect()
    }

    /// Words for a condition.
    pub fn condition_words(&self, condition: u8) -> String {
        self.conditions.get(usize::from(condition)).map_or(String::new(), |slot| self.update_words(*slot))
    }

    fn final_words(&self, slot: Slot) -> String {
        match self.value[usize::from(slot)] {
            Op::Reduced(index) => self.reduction_words(&self.reductions[usize::from(index)]),
            op => self.op_words(op, |slot| self.final_words(slot)),
        }
    }

    fn update_words(&self, slot: Slot) -> String {
        match self.update[usize::from(slot)] {
            // share(REGION), which reads better as such.
            Op::Binary(Binary::Divide, a, b)
                if self.update[usize::from(b)] == Op::Robots && self.counted(a).is_some() =>
            {
                format!("the share of the robots in {}", self.counted(a).unwrap_or_default())
            }
            op => self.op_words(op, |slot| self.update_words(slot)),
        }
    }

    fn counted(&self, slot: Slot) -> Option<&str> {
        let Op::Quantity(index) = self.update[usize::from(slot)] else { return None };
        let Quantity::Count { zone } = self.quantities[usize::from(index)] else { return None };
        Some(&self.zones[usize::from(zone)].name)
    }

    fn op_words(&self, op: Op, words: impl Fn(Slot) -> String) -> String {
        match op {
            Op::Constant(value) => value.to_string(),
            Op::Robots => "the number of robots".into(),
            Op::Time => "the time since the start (s)".into(),
            Op::Quantity(index) => self.quantity_words(&self.quantities[usize::from(index)]),
            Op::Lot(index) => format!("the lot {}", self.lots[usize::from(index)].name),
            Op::Reduced(index) => self.reduction_words(&self.reductions[usize::from(index)]),
            Op::Ever(latch, a) => match self.latch_names.iter().find(|(_, index)| *index == latch) {
                Some((name, _)) => format!("the latch {name}"),
                None => format!("once ({}) was not 0", words(a)),
            },
            Op::Unary(function, a) => {
                let a = words(a);
                match function {
                    Unary::Negate => format!("-({a})"),
                    Unary::Abs => format!("|{a}|"),
                    Unary::Not => format!("(1 if {a} is 0, else 0)"),
                    Unary::Floor => format!("({a}, rounded down)"),
                }
            }
            Op::Binary(function, a, b) => {
                let (a, b) = (words(a), words(b));
                match function {
                    Binary::Add => format!("({a} + {b})"),
                    Binary::Subtract => format!("({a} - {b})"),
                    Binary::Multiply => format!("({a} * {b})"),
                    Binary::Divide => format!("({a} / {b})"),
                    Binary::Min => format!("the smaller of {a} and {b}"),
                    Binary::Max => format!("the larger of {a} and {b}"),
                    Binary::Less => format!("({a} is below {b})"),
                    Binary::AtMost => format!("({a} is at most {b})"),
                    Binary::Greater => format!("({a} is above {b})"),
                    Binary::AtLeast => format!("({a} is at least {b})"),
                    Binary::Equal => format!("({a} is {b})"),
                    Binary::Unequal => format!("({a} is not {b})"),
                    Binary::And => format!("({a} and {b})"),
                    Binary::Or => format!("({a} or {b})"),
                }
            }
            Op::Select(condition, a, b) => {
                format!("[{} if {}, otherwise {}]", words(a), words(condition), words(b))
            }
        }
    }

    fn reduction_words(&self, reduction: &Reduction) -> String {
        let of = self.update_words(reduction.of);
        let words = match reduction.kind {
            ReductionKind::Last if reduction.window.is_none() => return format!("{of} at the end"),
            ReductionKind::First => {
                let window = reduction.window.map_or(String::new(), |[from, to]| format!(", from {from} s to {to} s,"));
                return format!("the time (s) of the first update{window} in which {of} is not 0");
            }
            ReductionKind::Last => format!("{of} in the last counted update"),
            ReductionKind::Mean => format!("the mean over time of {of}"),
            ReductionKind::Sum => format!("the sum over all updates (10 per second) of {of}"),
            ReductionKind::Highest => format!("the highest value over time of {of}"),
            ReductionKind::Lowest => format!("the lowest value over time of {of}"),
        };
        match reduction.window {
            None => words,
            Some([from, to]) => format!("{words}, from {from} s to {to} s"),
        }
    }

    pub(super) fn quantity_words(&self, quantity: &Quantity) -> String {
        let zone = |index: u16| self.zones[usize::from(index)].name.as_str();
        match *quantity {
            Quantity::Count { zone: index } => format!("the number of robots in {}", zone(index)),
            Quantity::Delivered { source, nest, lost } => {
                let lost = lost.map_or(String::new(), |lost| format!(" (items are lost in {})", zone(lost)));
                format!("the number of items carried from {} to {}{lost}", zone(source), zone(nest))
            }
            Quantity::Hops { range } => format!(
                "the longest of the shortest paths in the largest cluster (in hops between neighbours within {range} m)"
            ),
            Quantity::Age { cell } => {
                format!("the mean time since a robot was last in a cell of the arena (s, cells of {cell} m)")
            }
            Quantity::Cluster { range } => {
                format!("the number of robots in the largest cluster (neighbours within {range} m)")
            }
            Quantity::Clusters { range } => format!("the number of clusters (neighbours within {range} m)"),
            Quantity::Nearest => "the mean distance of a robot to the nearest other robot (m)".into(),
            Quantity::NearestUpTo { cap } => {
                format!("the mean distance of a robot to the nearest other robot (m, at most {cap})")
            }
            Quantity::Disc { disc, value } => {
                let disc = u32::from(disc) + 1;
                match value {
                    DiscValue::X => format!("x of disc {disc} (m)"),
                    DiscValue::Y => format!("y of disc {disc} (m)"),
                    DiscValue::MovedX => format!("the displacement of disc {disc} along x so far (m)"),
                    DiscValue::MovedY => format!("the displacement of disc {disc} along y so far (m)"),
                    DiscValue::Moved => format!("the length of the displacement of disc {disc} so far (m)"),
                }
            }
            Quantity::Discs { zone: index } => format!("the number of discs in {}", zone(index)),
            Quantity::Alignment => "the alignment of the robots' headings (0 to 1)".into(),
            Quantity::Pairs => "the mean distance of two robots (m)".into(),
            Quantity::Visited { cell } => {
                format!("the share of the arena that robots have visited (in cells of {cell} m)")
            }
            Quantity::Moving { speed } => format!("the number of robots faster than {speed} m/s"),
            Quantity::Speed => "the mean speed of the robots (m/s)".into(),
            Quantity::Crossed { from, to } => format!(
                "the number of crossings, minus those in the other direction, of the line from ({}, {}) to ({}, {}) \
                 from its left to its right side",
                from.x, from.y, to.x, to.y
            ),
            Quantity::Distance { zone: index, among, cap } => {
                let robots = match among {
                    Among::All => "the nearest robot".into(),
                    Among::Inside(set) => format!("the nearest robot in {}", zone(set)),
                    Among::Outside(set) => format!("the nearest robot outside {}", zone(set)),
                };
                format!("the mean distance from a point of {} to {robots} (m, at most {cap})", zone(index))
            }
            Quantity::Covered { zone: index, radius, range } => {
                let robots = match range {
                    None => "a robot".into(),
                    Some(range) => format!("a robot of the largest cluster (neighbours within {range} m)"),
                };
                format!("the share of {} within {radius} m of {robots}", zone(index))
            }
            Quantity::Area { zone: index } => format!("the area of {} (m^2)", zone(index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn windows_are_in_the_description() {
        let words = |formula: &str| parse(formula, &[], 0.0, 60.0).unwrap().description();
        let first = "The value is the time (s) of the first update in which the number of robots in arena is not 0.";
        assert!(words("first(n(arena))").starts_with(first), "{}", words("first(n(arena))"));
        let windowed = "The value is the time (s) of the first update, from 10 s to 20 s, in which";
        assert!(words("first(n(arena), 10, 20)").starts_with(windowed), "{}", words("first(n(arena), 10, 20)"));
        for reduction in ["last", "mean", "sum", "highest", "lowest"] {
            let words = words(&format!("{reduction}(n(arena), 10, 20)"));
            assert!(words.contains("from 10 s to 20 s"), "{words}");
        }
    }
}
