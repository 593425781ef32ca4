//! Objectives: tasks that a world file states as a formula over quantities of the robots.
//!
//! A formula such as `last(max(n(left), n(right))) / N` is compiled into two programs without branches or loops. The
//! first runs on the quantities of an update; reductions such as `last` combine its results over time. The second
//! computes the value of the run from the reductions.

mod arguments;
mod bodies;
mod builder;
pub mod cost;
mod language;
pub mod lots;
mod parse;
pub mod program;
pub mod quantity;
mod score;
mod seen;
mod token;
mod words;

pub use bodies::DiscValue;
pub use builder::{ObjectiveBuilder, check_names, parse};
pub use language::{QUANTITIES, REDUCTIONS};
pub use score::ObjectiveScore;
pub(crate) use score::{Accumulator, FinalState};
pub use token::FormulaError;
pub(crate) use token::MAX_NUMBER;

use crate::model::CONTROL_PERIOD;
use crate::world::conditions::holds;
use crate::world::zone::{ARENA, Zone};
use lots::Lot;
use program::{Op, Slot};
use quantity::Quantity;
use serde::{Deserialize, Serialize};

/// Maximum number of regions.
pub const MAX_ZONES: usize = 32;
/// Maximum number of operations of a formula.
pub const MAX_OPS: usize = 128;
/// Maximum number of reductions of a formula.
pub const MAX_REDUCTIONS: usize = 16;
/// Maximum number of conditions of a world.
pub const MAX_CONDITIONS: usize = 32;
/// Maximum number of latches of a world.
pub const MAX_LATCHES: usize = 16;

/// A task that is stated as a formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// The formula as written.
    pub formula: String,
    /// Regions.
    pub zones: Vec<Zone>,
    /// Value that counts as fitness 0: about that of robots which do nothing.
    pub worst: f32,
    /// Value that counts as fitness 1.
    pub best: f32,
    /// Quantities.
    pub quantities: Vec<Quantity>,
    /// Program of an update.
    pub update: Vec<Op>,
    /// Reductions of results of an update over time.
    pub reductions: Vec<Reduction>,
    /// Program of the value; its last operation is the value.
    pub value: Vec<Op>,
    /// Number of latches.
    pub latches: u16,
    /// Latches with a name, and their indices.
    pub latch_names: Vec<(String, u16)>,
    /// Lots.
    pub lots: Vec<Lot>,
    /// Conditions: operations of the update program. Bit i of the active conditions states whether condition i holds.
    pub conditions: Vec<Slot>,
    /// Condition of each region, by its index; a region without condition always exists.
    pub zone_conditions: Vec<Option<u8>>,
    /// Operation of the update program that ends the run when its result is not 0.
    pub end: Option<Slot>,
    /// Whether the first disc is moved back near the centre when it touches an x wall.
    #[serde(default)]
    pub relocates: bool,
}

/// Combination of the values of all updates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reduction {
    /// Kind of the combination.
    pub kind: ReductionKind,
    /// Operation of the update program whose results are combined.
    pub of: Slot,
    /// First and last time of the updates that count (s).
    pub window: Option<[f32; 2]>,
}

/// Kind of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReductionKind {
    /// Value of the last update.
    Last,
    /// Mean of all updates.
    Mean,
    /// Sum of all updates.
    Sum,
    /// Highest value.
    Highest,
    /// Lowest value.
    Lowest,
    /// Time of the first update with a true value (s); the time so far if there was none.
    First,
}

impl ReductionKind {
    /// Name in formulas.
    pub fn name(self) -> &'static str {
        match self {
            ReductionKind::Last => "last",
            ReductionKind::Mean => "mean",
            ReductionKind::Sum => "sum",
            ReductionKind::Highest => "highest",
            ReductionKind::Lowest => "lowest",
            ReductionKind::First => "first",
        }
    }
}

impl Reduction {
    /// True if the update with this number, from 1, counts.
    pub fn counts(&self, update: u32) -> bool {
        let time = update as f32 * CONTROL_PERIOD;
        // The tolerance absorbs rounding errors of times.
        let [from, to] = self.window.unwrap_or([0.0, f32::INFINITY]);
        time > from - 1e-3 * CONTROL_PERIOD && time < to + 1e-3 * CONTROL_PERIOD
    }

    /// First and last update that must be added to the reduction. There are none for the value at the end, which is
    /// computed when it is asked for: then the first is above the last.
    pub(crate) fn updates(&self) -> [u32; 2] {
        match self.window {
            None if self.kind == ReductionKind::Last => [1, 0],
            None => [1, u32::MAX],
            Some(limits) => {
                let [from, to] = limits.map(|limit| (limit / CONTROL_PERIOD) as u32);
                // The window contains all updates between two that count.
                let first =
                    (from.saturating_sub(2)..=from.saturating_add(2)).find(|update| self.counts(*update)).unwrap_or(1);
                let last = (to.saturating_sub(2)..=to.saturating_add(2))
                    .rev()
                    .find(|update| self.counts(*update))
                    .unwrap_or(0);
                [first, last]
            }
        }
    }
}

impl Objective {
    /// Fitness of a value: 0 at `worst`, 1 at `best`.
    pub fn fitness(&self, value: f32) -> f32 {
        (value - self.worst) / (self.best - self.worst)
    }

    /// Value of a fitness: the inverse of [`Objective::fitness`]. The value of a mean fitness is the mean value.
    pub fn value_of(&self, fitness: f64) -> f64 {
        f64::from(self.worst) + fitness * self.span()
    }

    /// Standard deviation of the value for a standard deviation of the fitness.
    pub fn value_sd(&self, sd: f64) -> f64 {
        sd * self.span().abs()
    }

    fn span(&self) -> f64 {
        f64::from(self.best) - f64::from(self.worst)
    }

    /// Notes on reductions with a window of which a run of this duration (s) has no update, or only the last one.
    pub fn window_notes(&self, seconds: f32) -> Vec<String> {
        let updates = (seconds / CONTROL_PERIOD).round() as u32;
        let note = |reduction: &Reduction| {
            let [from, to] = reduction.window?;
            let counted = (1..=updates).rev().find(|update| reduction.counts(*update));
            let effect = match (counted, reduction.kind) {
                (Some(_), _) if from < seconds || from == to => return None,
                (Some(_), _) => "it counts only the last update",
                (None, ReductionKind::First) => "it counts no update and is the length of the run",
                (None, _) => "it counts no update and is 0",
            };
            Some(format!("the formula has `{}` from {from} s to {to} s, but {effect}", reduction.kind.name()))
        };
        self.reductions.iter().filter_map(note).collect()
    }

    /// Operations of the update program and quantities that must be computed in every update. Values that only `last`
    /// uses are computed when they are asked for.
    pub(crate) fn needed(&self) -> (Vec<bool>, Vec<bool>) {
        let mut ops = vec![false; self.update.len()];
        for reduction in self.reductions.iter().filter(|r| r.kind != ReductionKind::Last || r.window.is_some()) {
            ops[usize::from(reduction.of)] = true;
        }
        for (index, op) in self.update.iter().enumerate() {
            if matches!(op, Op::Ever(..)) {
                ops[index] = true;
            }
        }
        for slot in self.conditions.iter().chain(&self.end) {
            ops[usize::from(*slot)] = true;
        }
        for index in (0..ops.len()).rev().filter(|index| ops[*index]).collect::<Vec<_>>() {
            mark(&self.update, index, &mut ops);
        }
        let mut quantities = vec![false; self.quantities.len()];
        for (op, _) in self.update.iter().zip(&ops).filter(|(_, needed)| **needed) {
            if let Op::Quantity(index) = op {
                quantities[usize::from(*index)] = true;
            }
        }
        (ops, quantities)
    }

    /// Indices of the regions whose members are counted in every update.
    pub(crate) fn counted_zones(&self) -> Vec<u16> {
        let mut zones: Vec<u16> = Vec::new();
        for quantity in &self.quantities {
            match *quantity {
                Quantity::Count { zone } => zones.push(zone),
                Quantity::Delivered { source, nest, lost } => zones.extend([source, nest].into_iter().chain(lost)),
                _ => {}
            }
        }
        zones.sort_unstable();
        zones.dedup();
        zones
    }

    /// True if a quantity needs the places of discs.
    pub fn reads_discs(&self) -> bool {
        self.quantities.iter().any(|quantity| matches!(quantity, Quantity::Disc { .. } | Quantity::Discs { .. }))
    }

    /// Highest number of a disc that the task needs, in a world with `discs` discs.
    pub fn last_disc(&self, discs: usize) -> usize {
        let number = |quantity: &Quantity| match quantity {
            Quantity::Disc { disc, .. } => usize::from(*disc) + 1,
            Quantity::Discs { .. } => discs,
            _ => 0,
        };
        self.quantities.iter().map(number).chain([usize::from(self.relocates)]).max().unwrap_or(0)
    }

    /// True if a quantity needs the headings of the robots.
    pub fn reads_headings(&self) -> bool {
        self.quantities.contains(&Quantity::Alignment)
    }

    /// Regions of the world file, without the region `arena`, which every formula has.
    pub fn named_zones(&self) -> impl Iterator<Item = &Zone> {
        self.zones.iter().filter(|zone| zone.name != ARENA)
    }

    /// True if a condition depends on lots and numbers only, so that it is known before the start.
    pub fn is_known_at_start(&self, condition: u8) -> bool {
        let mut used = vec![false; self.update.len()];
        mark(&self.update, usize::from(self.conditions[usize::from(condition)]), &mut used);
        let changes = |op: &Op| matches!(op, Op::Quantity(_) | Op::Time | Op::Ever(..));
        !self.update.iter().zip(used).any(|(op, used)| used && changes(op))
    }

    /// True if a zone exists while the conditions of `active` hold.
    pub fn zone_exists(&self, zone: u16, active: u32) -> bool {
        holds(self.zone_conditions[usize::from(zone)], active)
    }

    /// True if the value depends on the state at the end of a run.
    pub fn reads_end(&self) -> bool {
        self.reductions.iter().any(|reduction| reduction.kind == ReductionKind::Last)
    }

    /// True if the value is a mean over time.
    pub fn averages(&self) -> bool {
        self.reductions.iter().any(|reduction| reduction.kind == ReductionKind::Mean)
    }
}

fn mark(ops: &[Op], index: usize, needed: &mut [bool]) {
    needed[index] = true;
    for operand in ops[index].operands() {
        mark(ops, usize::from(operand), needed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_last_reads_the_end_of_a_run() {
        let reads = |formula: &str| parse(formula, &[], 0.0, 1.0).unwrap().reads_end();
        assert!(reads("last(n(arena))") && reads("mean(n(arena)) + last(n(arena))") && !reads("mean(n(arena))"));
    }

    #[test]
    fn value_is_inverse_of_fitness() {
        for (worst, best) in [(0.0, 60.0), (2.5, 0.0), (-1.0, 1.0)] {
            let objective = parse("last(n(arena))", &[], worst, best).unwrap();
            for value in [-3.0, 0.0, 25.25, 1000.0] {
                let found = objective.value_of(objective.fitness(value).into());
                assert!((found - f64::from(value)).abs() < 1e-3, "{worst} {best}: {value} is {found}");
            }
            assert_eq!(objective.value_of(0.0), f64::from(worst));
            assert_eq!(objective.value_of(1.0), f64::from(best));
        }
        let cost = parse("last(n(arena))", &[], 2.5, 0.0).unwrap();
        assert_eq!(cost.value_sd(0.5), 1.25);
        let task = crate::world::Task::Objective(cost.into());
        assert_eq!((task.value_of(0.5), task.value_sd(0.5)), (Some(1.25), Some(1.25)));
        assert_eq!(crate::world::Task::Dispersion.value_of(0.5), None);
    }

    #[test]
    fn windows_outside_the_run_are_noted() {
        let notes = |formula: &str| parse(formula, &[], 0.0, 1.0).unwrap().window_notes(30.0);
        for formula in ["mean(n(arena))", "mean(n(arena), 29, 90)", "last(n(arena), 30, 30)", "first(n(arena), 0, 60)"]
        {
            assert_eq!(notes(formula), [""; 0], "{formula}");
        }
        let mean = "the formula has `mean` from 31 s to 60 s, but it counts no update and is 0";
        let sum = "the formula has `sum` from 30 s to 60 s, but it counts only the last update";
        let first = "the formula has `first` from 40 s to 50 s, but it counts no update and is the length of the run";
        let narrow = "the formula has `last` from 0.02 s to 0.03 s, but it counts no update and is 0";
        assert_eq!(notes("mean(n(arena), 31, 60) + sum(n(arena), 30, 60)"), [mean, sum]);
        assert_eq!(notes("first(n(arena), 40, 50) + last(n(arena), 0.02, 0.03)"), [first, narrow]);
    }
}
