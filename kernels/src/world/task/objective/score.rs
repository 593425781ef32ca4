//! Score of an objective in one world: state of quantities, reductions and latches.

use super::bodies::Bodies;
use super::lots::draw;
use super::program::{Inputs, execute};
use super::quantity::{FIELD_PERIOD, Members, Memory, View};
use super::{Objective, ReductionKind};
use crate::math::{Vec2, max, min, vec2};
use crate::model::CONTROL_PERIOD;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Place of a robot that is not seen.
const MISSING: Vec2 = vec2(f32::NAN, f32::NAN);

/// State of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Accumulator {
    pub sum: f64,
    pub count: u32,
    /// Highest, lowest or last value, or the time of the first true value.
    pub value: Option<f32>,
}

/// State of a score after a run on another processor.
pub(crate) struct FinalState<'a> {
    pub updates: u32,
    pub ended: bool,
    /// Bit mask of the conditions that hold, and of the latches that are set.
    pub active: u32,
    pub latches: u32,
    /// Centres of the robots in the last two updates (m).
    pub now: Vec<Vec2>,
    pub before: Vec<Vec2>,
    pub accumulators: Vec<Accumulator>,
    /// Sets the state of the quantity with an index.
    pub memory: &'a dyn Fn(usize, &mut Memory),
}

/// Score of an objective so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectiveScore {
    objective: Arc<Objective>,
    pub(super) robots: usize,
    updates: u32,
    /// Centres of the robots in the current and the previous update; NaN for robots that are not seen (m).
    #[serde(with = "places")]
    now: Vec<Vec2>,
    #[serde(with = "places")]
    before: Vec<Vec2>,
    memories: Vec<Memory>,
    #[serde(default)]
    pub(super) bodies: Box<Bodies>,
    latches: Vec<bool>,
    /// Values of the lots.
    lots: Vec<f32>,
    /// Bit mask of the conditions that hold.
    active: u32,
    /// Whether the run has ended, so that further updates do not count.
    ended: bool,
    /// Whether time has passed since the last update that does not count.
    #[serde(default)]
    interrupted: bool,
    accumulators: Vec<Accumulator>,
    /// Values of the quantities in the last update.
    quantities: Vec<f32>,
    /// Points of the regions that fields use.
    points: Vec<Vec<Vec2>>,
    /// Operations and quantities that every update computes.
    needed: (Vec<bool>, Vec<bool>),
    /// Regions whose members are counted, and the robots in each region in the last update.
    counted: Vec<u16>,
    #[serde(skip)]
    members: Vec<Members>,
    #[serde(skip)]
    results: Vec<f32>,
}

/// Places as options, because JSON has no NaN.
mod places {
    use super::{MISSING, Vec2};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(places: &[Vec2], serializer: S) -> Result<S::Ok, S::Error> {
        let places: Vec<Option<Vec2>> = places.iter().map(|at| (!at.x.is_nan()).then_some(*at)).collect();
        places.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec2>, D::Error> {
        let places: Vec<Option<Vec2>> = Vec::deserialize(deserializer)?;
        Ok(places.into_iter().map(|at| at.unwrap_or(MISSING)).collect())
    }
}

/// Inputs of both programs.
struct Values<'a> {
    score: &'a ObjectiveScore,
    quantities: &'a [f32],
    reduced: &'a [f32],
}

impl Inputs for Values<'_> {
    fn robots(&self) -> f32 {
        self.score.robots as f32
    }

    fn time(&self) -> f32 {
        self.score.updates as f32 * CONTROL_PERIOD
    }

    fn quantity(&self, index: u16) -> f32 {
        self.quantities[usize::from(index)]
    }

    fn reduced(&self, index: u16) -> f32 {
        self.reduced[usize::from(index)]
    }

    fn lot(&self, index: u16) -> f32 {
        self.score.lots[usize::from(index)]
    }

    fn latched(&self, index: u16) -> bool {
        self.score.latches[usize::from(index)]
    }
}

impl ObjectiveScore {
    /// Creates the score. `start` contains the start positions of the robots, or is empty if they are not known yet. The
    /// lots are those of run `world` of `seed`.
    pub fn new(
        objective: Arc<Objective>,
        half_arena: (f32, f32),
        robots: usize,
        start: impl Iterator<Item = Vec2>,
        (seed, world): (u64, u32),
    ) -> ObjectiveScore {
        let mut before: Vec<Vec2> = start.take(robots).collect();
        before.resize(robots, MISSING);
        let mut used = vec![false; objective.zones.len()];
        for quantity in &objective.quantities {
            use super::quantity::Quantity::{Covered, Distance};
            if let Covered { zone, .. } | Distance { zone, .. } = quantity {
                used[usize::from(*zone)] = true;
            }
        }
        let points = |(zone, used): (&super::Zone, bool)| if used { zone.points(half_arena) } else { Vec::new() };
        let mut score = ObjectiveScore {
            robots,
            bodies: Box::default(),
            updates: 0,
            lots: draw(&objective.lots, seed, world),
            active: 0,
            ended: false,
            interrupted: false,
            now: before.clone(),
            before,
            memories: objective.quantities.iter().map(|q| Memory::new(q, &objective.zones, half_arena)).collect(),
            latches: vec![false; usize::from(objective.latches)],
            accumulators: vec![Accumulator { sum: 0.0, count: 0, value: None }; objective.reductions.len()],
            quantities: vec![0.0; objective.quantities.len()],
            points: objective.zones.iter().zip(used).map(points).collect(),
            needed: objective.needed(),
            counted: objective.counted_zones(),
            members: Vec::new(),
            results: Vec::new(),
            objective,
        };
        score.start();
        score
    }

    /// Determines the conditions that hold at the start.
    pub(super) fn start(&mut self) {
        let objective = self.objective.clone();
        if objective.conditions.is_empty() {
            return;
        }
        let view = self.view(None);
        let current: Vec<f32> = objective
            .quantities
            .iter()
            .zip(&self.memories)
            .map(|(quantity, memory)| view.value(quantity, memory))
            .collect();
        let mut results = std::mem::take(&mut self.results);
        let values = Values { score: self, quantities: &current, reduced: &[] };
        execute(&objective.update, |op| self.needed.0[op], &values, &mut results);
        self.active = active_conditions(&objective, &results);
        self.results = results;
    }

    /// Updates the score after a controller update. Centres of robots that are not seen are NaN.
    pub fn update(&mut self, centres: &[Vec2]) {
        let ObjectiveScore { objective, counted, members, robots, .. } = self;
        members.clear();
        members.resize(objective.zones.len(), Members::default());
        for zone in counted.iter().map(|zone| usize::from(*zone)) {
            for (robot, at) in centres.iter().take(*robots).enumerate() {
                members[zone][robot / 64] |= u64::from(objective.zones[zone].contains(*at)) << (robot % 64);
            }
        }
        self.advance(centres);
    }

    /// Performs [`ObjectiveScore::update`] with the robots in each region of [`Objective::counted_zones`], in its order.
    pub(crate) fn update_counted(&mut self, centres: &[Vec2], members: impl Iterator<Item = Members>) {
        self.members.resize(self.objective.zones.len(), Members::default());
        for (zone, members) in self.counted.iter().zip(members) {
            self.members[usize::from(*zone)] = members;
        }
        self.advance(centres);
    }

    /// Updates the score. `members` contains the robots in each counted region.
    fn advance(&mut self, centres: &[Vec2]) {
        if self.ended {
            return;
        }
        let ObjectiveScore { objective, robots, active, now, before, memories, members, interrupted, .. } = self;
        std::mem::swap(now, before);
        if std::mem::take(interrupted) {
            before.fill(MISSING);
        }
        now.clear();
        now.extend_from_slice(&centres[..centres.len().min(*robots)]);
        now.resize(*robots, MISSING);
        for (memory, quantity) in memories.iter_mut().zip(&objective.quantities) {
            let members = |zone: u16| match objective.zone_exists(zone, *active) {
                true => members[usize::from(zone)],
                false => Members::default(),
            };
            memory.update(quantity, members, now, before);
        }
        self.updates += 1;
        let is_due = self.updates % FIELD_PERIOD == 1;
        let (mut quantities, mut results) = (std::mem::take(&mut self.quantities), std::mem::take(&mut self.results));
        let view = self.view(Some(&self.members));
        for (index, quantity) in self.objective.quantities.iter().enumerate() {
            if self.needed.1[index] && (is_due || !quantity.is_field()) {
                quantities[index] = view.value(quantity, &self.memories[index]);
            }
        }
        let values = Values { score: self, quantities: &quantities, reduced: &[] };
        execute(&self.objective.update, |op| self.needed.0[op], &values, &mut results);
        let ObjectiveScore { objective, latches, accumulators, updates, .. } = self;
        if !latches.is_empty() {
            for (op, result) in objective.update.iter().zip(&results) {
                if let super::program::Op::Ever(latch, _) = op {
                    latches[usize::from(*latch)] |= *result != 0.0;
                }
            }
        }
        let time = *updates as f32 * CONTROL_PERIOD;
        for (accumulator, reduction) in accumulators.iter_mut().zip(&objective.reductions) {
            if reduction.counts(*updates) {
                accumulator.add(reduction.kind, results[usize::from(reduction.of)], time);
            }
        }
        self.active = active_conditions(objective, &results);
        self.ended = objective.end.is_some_and(|slot| results[usize::from(slot)] != 0.0);
        (self.quantities, self.results) = (quantities, results);
    }

    /// Replaces the state by that of a finished run. The score serves for its value only: further updates would not
    /// know which robots carry items.
    pub(crate) fn finish(&mut self, state: FinalState<'_>) {
        for (index, memory) in self.memories.iter_mut().enumerate() {
            (state.memory)(index, memory);
        }
        self.latches.iter_mut().enumerate().for_each(|(bit, latch)| *latch = state.latches >> bit & 1 == 1);
        let FinalState { updates, ended, active, now, before, accumulators, .. } = state;
        (self.updates, self.ended, self.active) = (updates, ended, active);
        (self.now, self.before, self.accumulators) = (now, before, accumulators);
    }

    /// Marks a gap before the next update: the movements of the robots since the last update are no steps, and cross no
    /// line. Everything else is kept.
    pub fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// Bit mask of the conditions that hold: bit i for condition i.
    pub fn active(&self) -> u32 {
        self.active
    }

    /// Values of the lots, in the order of the objective's lots.
    pub fn lots(&self) -> &[f32] {
        &self.lots
    }

    /// True if the run has ended. Further updates do not change the score.
    pub fn ended(&self) -> bool {
        self.ended
    }

    fn view<'a>(&'a self, members: Option<&'a [Members]>) -> View<'a> {
        View {
            objective: &self.objective,
            active: self.active,
            members,
            points: &self.points,
            now: &self.now,
            before: &self.before,
            bodies: &self.bodies,
        }
    }

    /// Raw value so far, before scaling. Means count in proportion to `part` (0 to 1), so that the value of a whole
    /// run is that of `part` = 1.
    pub fn value(&self, part: f32) -> f32 {
        let objective = &self.objective;
        let view = self.view(None);
        // Values of `last` may use quantities that no update computed.
        let value = |(quantity, memory)| view.value(quantity, memory);
        let current: Vec<f32> = objective.quantities.iter().zip(&self.memories).map(value).collect();
        let mut results = Vec::new();
        execute(&objective.update, |_| true, &Values { score: self, quantities: &current, reduced: &[] }, &mut results);
        let time = self.updates as f32 * CONTROL_PERIOD;
        let reduced = |(accumulator, reduction): (&Accumulator, &super::Reduction)| match reduction.kind {
            ReductionKind::Last if reduction.window.is_none() => results[usize::from(reduction.of)],
            ReductionKind::Sum => accumulator.sum as f32,
            ReductionKind::Mean => part * (accumulator.sum / f64::from(accumulator.count.max(1))) as f32,
            ReductionKind::First => accumulator.value.unwrap_or(time),
            ReductionKind::Last | ReductionKind::Highest | ReductionKind::Lowest => accumulator.value.unwrap_or(0.0),
        };
        let reduced: Vec<f32> = self.accumulators.iter().zip(&objective.reductions).map(reduced).collect();
        execute(
            &objective.value,
            |_| true,
            &Values { score: self, quantities: &current, reduced: &reduced },
            &mut results,
        );
        // Products of large numbers may overflow; such a value counts as the worst.
        results.last().copied().filter(|value| value.is_finite()).unwrap_or(objective.worst)
    }

    /// Fitness so far.
    pub fn fitness(&self) -> f32 {
        self.objective.fitness(self.value(1.0))
    }

    /// The objective.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }
}

/// Bit mask of the conditions that hold, from the results of the update program.
fn active_conditions(objective: &Objective, results: &[f32]) -> u32 {
    let holds = |slot: &u16| u32::from(results[usize::from(*slot)] != 0.0);
    objective.conditions.iter().enumerate().fold(0, |all, (bit, slot)| all | holds(slot) << bit)
}

impl Accumulator {
    fn add(&mut self, kind: ReductionKind, value: f32, time: f32) {
        self.sum += f64::from(value);
        self.count += 1;
        self.value = match (kind, self.value) {
            (ReductionKind::Highest, Some(highest)) => Some(max(highest, value)),
            (ReductionKind::Lowest, Some(lowest)) => Some(min(lowest, value)),
            (ReductionKind::First, before) => before.or((value != 0.0).then_some(time)),
            _ => Some(value),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::world::task::Region;
    use crate::world::zone::{Zone, ZoneShape};

    fn score(formula: &str) -> ObjectiveScore {
        let disc = |name: &str, x| Zone {
            name: name.into(),
            shapes: vec![ZoneShape::Simple(Region::Disc { at: vec2(x, 0.0), radius: 0.3 })],
            without: Vec::new(),
        };
        let objective = parse(formula, &[disc("left", -0.5), disc("right", 0.5)], 0.0, 2.0).unwrap();
        let start = [vec2(0.0, 0.0), vec2(0.0, 0.5), vec2(0.0, -0.5)];
        ObjectiveScore::new(objective.into(), (1.0, 0.75), 3, start.into_iter(), (1, 0))
    }

    /// Value after updates with robot 1 at each of the x in turn, and the other robots at their starts.
    fn value(formula: &str, xs: &[f32]) -> f32 {
        let mut score = score(formula);
        for x in xs {
            score.update(&[vec2(*x, 0.0), vec2(0.0, 0.5), vec2(0.0, -0.5)]);
        }
        score.value(1.0)
    }

    #[test]
    fn reductions_combine_updates() {
        let path = [0.0, -0.5, -0.5, 0.5, 0.0];
        for (formula, expected) in [
            ("last(n(left))", 0.0),
            ("sum(n(left))", 2.0),
            ("mean(n(left) + n(right))", 0.6),
            ("mean(share(left))", 2.0 / 15.0),
            ("highest(n(left))", 1.0),
            ("lowest(N - n(right))", 2.0),
            ("first(n(left))", 0.2),
            ("first(n(left) > 1)", 0.5),
            ("sum(n(left), 0.3, 0.5)", 1.0),
            ("last(ever(n(right)))", 1.0),
            ("sum(if(ever(n(left)), n(right), -1))", 0.0),
            ("last(time)", 0.5),
            ("highest(speed())", 1.0 / 3.0 / 0.1),
            ("sum(moving(0.01))", 3.0),
            ("last(delivered(left, right))", 1.0),
            ("last(delivered(right, left))", 0.0),
            ("last(crossed(0, -1, 0, 1))", 0.0),
            ("lowest(crossed(0, -1, 0, 1))", -1.0),
            ("last(pairs())", 2.0 / 3.0),
            ("last(nearest())", 0.5),
            ("last(cluster(0.5))", 3.0),
            ("last(clusters(0.4))", 3.0),
        ] {
            assert!((value(formula, &path) - expected).abs() < 1e-5, "{formula}: {}", value(formula, &path));
        }
    }

    #[test]
    fn fields_are_means_over_points() {
        // Robot 1 stands in the middle of the left disc, where the mean distance of its points is 2/3 of the radius.
        let distance = value("last(distance(left, 2, left))", &[-0.5]);
        assert!((distance - 0.2).abs() < 0.005, "{distance}");
        assert_eq!(value("last(distance(left, 0.25, right))", &[-0.5]), 0.25, "no robot is in the region");
        let covered = value("last(covered(left, 0.15))", &[-0.5]);
        assert!((covered - 0.25).abs() < 0.04, "{covered}");
        let area = value("area(left)", &[]);
        assert!((area - 0.283).abs() < 0.01, "{area}");
    }

    #[test]
    fn robots_that_are_not_seen_count_nowhere() {
        let mut score = score("last(n(arena)) + last(cluster(9)) * 10 + last(delivered(left, right)) * 100");
        score.update(&[MISSING, vec2(0.5, 0.0)]);
        assert_eq!(score.value(1.0), 11.0);
        // A robot that was not seen in the last update has no speed.
        assert_eq!(value("sum(moving(0.01))", &[f32::NAN, -0.5, -0.5]), 0.0);
    }

    #[test]
    fn movements_in_a_gap_are_no_steps_and_cross_nothing() {
        let mut score = score("sum(speed()) + 100 * last(crossed(0, -1, 0, 1)) + 1000 * last(delivered(left, right))");
        score.update(&[vec2(-0.5, 0.0)]);
        let before = score.value(1.0);
        score.interrupt();
        assert_eq!(score.value(1.0), before, "a gap does not change the value");
        score.update(&[vec2(0.5, 0.0)]);
        assert_eq!(score.value(1.0), before + 1000.0, "the robot still carries its item");
        score.update(&[vec2(0.6, 0.0)]);
        assert!((score.value(1.0) - before - 1001.0).abs() < 1e-3, "the gap ends with the next update");
    }

    #[test]
    fn reductions_have_values_at_every_moment() {
        let formulas = [
            ("last(n(left))", [0.0, 1.0]),
            ("sum(n(left))", [0.0, 1.0]),
            ("mean(n(left))", [0.0, 1.0]),
            ("highest(n(left))", [0.0, 1.0]),
            ("lowest(3 - n(left))", [0.0, 2.0]),
            ("first(n(left))", [0.0, 0.1]),
            ("first(n(right))", [0.0, 0.1]),
            ("mean(n(left), 5, 9)", [0.0, 0.0]),
            ("lowest(n(left), 5, 9)", [0.0, 0.0]),
            ("first(n(left), 5, 9)", [0.0, 0.1]),
            ("last(n(left), 5, 9)", [0.0, 0.0]),
            ("last(speed())", [0.0, 0.0]),
            ("last(delivered(left, right))", [0.0, 0.0]),
            ("last(visited(0.5))", [0.0, 1.0 / 12.0]),
            ("last(distance(left, 2, right))", [2.0, 2.0]),
        ];
        for (formula, expected) in formulas {
            let mut score = score(formula);
            score.interrupt();
            score.now.fill(MISSING);
            let first = score.value(0.0);
            score.update(&[vec2(-0.5, 0.0)]);
            let values = [first, score.value(1.0)];
            assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{formula}: {values:?}");
        }
    }

    #[test]
    fn means_count_in_proportion_to_the_part_of_the_run() {
        let mut score = score("mean(n(left)) + 10 * last(n(left)) + 100 * sum(n(left))");
        score.update(&[vec2(-0.5, 0.0)]);
        assert_eq!([0.0, 0.25, 1.0].map(|part| score.value(part)), [110.0, 110.25, 111.0]);
    }

    #[test]
    fn scores_continue_after_serialisation() {
        let mut score = score("sum(n(left)) + last(delivered(left, right)) + last(ever(n(left)))");
        score.update(&[vec2(-0.5, 0.0)]);
        let mut read: ObjectiveScore = serde_json::from_str(&serde_json::to_string(&score).unwrap()).unwrap();
        for both in [&mut score, &mut read] {
            both.update(&[vec2(0.5, 0.0)]);
        }
        assert_eq!((read.value(1.0), read.fitness()), (score.value(1.0), 1.5));
    }
}
