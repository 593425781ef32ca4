//! Parts of the floor that pictures show: regions with their paint, and lines that robots cross.

use super::conditions::holds;
use super::floor::Floor;
use super::task::Task;
use super::task::objective::quantity::Quantity;
use super::zone::{ARENA, Zone, ZoneShape};
use crate::math::Vec2;

/// Region of the floor.
#[derive(Clone, Debug, PartialEq)]
pub struct FloorArea {
    /// The region.
    pub zone: Zone,
    /// Brightness of its paint, 0 (black) to 1 (white); `None` without paint.
    pub level: Option<f32>,
    /// Condition of the objective under which the region exists; `None`: always.
    pub condition: Option<u8>,
}

/// Conditions of the objective that held in the time that a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Bit mask of the conditions that held at some time.
    pub once: u32,
    /// Bit mask of the conditions that held at all times.
    pub always: u32,
}

impl Held {
    /// Value for a picture of a world without a run: any condition may hold.
    pub const UNKNOWN: Held = Held { once: u32::MAX, always: 0 };

    /// Conditions at one time. Bit i is set if condition i holds.
    pub fn now(active: u32) -> Held {
        Held { once: active, always: active }
    }

    /// Adds another time.
    pub fn add(&mut self, active: u32) {
        self.once |= active;
        self.always &= active;
    }

    /// True if a part with this condition existed at some time.
    pub fn exists(self, condition: Option<u8>) -> bool {
        holds(condition, self.once)
    }

    /// Condition of a part that did not always exist.
    pub fn doubt(self, condition: Option<u8>) -> Option<u8> {
        condition.filter(|_| !holds(condition, self.always))
    }
}

impl Floor {
    /// True if the floor has no paint and the default brightness.
    pub fn is_plain(&self) -> bool {
        self.paint.is_empty() && self.level == Floor::default().level
    }

    /// Regions of a task on this floor, in the order of the world file, and other painted regions. Where painted regions
    /// overlap, the first one is visible. The region `arena` is not included.
    pub fn areas(&self, task: &Task) -> Vec<FloorArea> {
        let mut areas: Vec<FloorArea> = match task {
            Task::Foraging { nest, food } => [("food", food), ("nest", nest)]
                .map(|(name, region)| {
                    let shapes = vec![ZoneShape::Simple(*region)];
                    let zone = Zone { name: name.into(), shapes, without: Vec::new() };
                    FloorArea { zone, level: None, condition: None }
                })
                .to_vec(),
            Task::Objective(objective) => {
                let zones = objective.zones.iter().zip(&objective.zone_conditions);
                let zones = zones.filter(|(zone, _)| zone.name != ARENA);
                zones.map(|(zone, at)| FloorArea { zone: zone.clone(), level: None, condition: *at }).collect()
            }
            _ => Vec::new(),
        };
        for paint in &self.paint {
            match areas.iter_mut().find(|area| area.zone == paint.zone) {
                Some(area) => area.level = Some(paint.level),
                None => areas.push(FloorArea {
                    zone: paint.zone.clone(),
                    level: Some(paint.level),
                    condition: paint.condition,
                }),
            }
        }
        areas
    }
}

impl Task {
    /// Lines whose crossings from the left to the right side the task counts: their first and second end (m).
    pub fn crossed_lines(&self) -> Vec<(Vec2, Vec2)> {
        let Task::Objective(objective) = self else { return Vec::new() };
        let line = |quantity: &Quantity| match quantity {
            Quantity::Crossed { from, to } => Some((*from, *to)),
            _ => None,
        };
        objective.quantities.iter().filter_map(line).collect()
    }

    /// Words for a condition of the objective; empty for other tasks.
    pub fn condition_words(&self, condition: u8) -> String {
        match self {
            Task::Objective(objective) => objective.condition_words(condition),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::floor::Paint;
    use super::super::region::Region;
    use super::super::task::objective;
    use super::*;
    use crate::math::vec2;
    use std::sync::Arc;

    fn zone(name: &str) -> Zone {
        let shapes = vec![ZoneShape::Simple(Region::Disc { at: Vec2::ZERO, radius: 0.3 })];
        Zone { name: name.into(), shapes, without: Vec::new() }
    }

    #[test]
    fn areas_have_the_order_of_the_file() {
        let zones = [zone("home"), zone("spot")];
        let formula = "last(n(home)) + last(crossed(-0.25, 0, 0.25, 0))";
        let task = Task::Objective(Arc::new(objective::parse(formula, &zones, 0.0, 1.0).unwrap()));
        let paint = |name: &str, level| Paint { zone: zone(name), level, condition: None };
        let floor = Floor { paint: vec![paint("spot", 0.0), paint("other", 1.0)], ..Floor::default() };
        let areas = floor.areas(&task);
        let found: Vec<_> = areas.iter().map(|area| (area.zone.name.as_str(), area.level)).collect();
        assert_eq!(found, [("home", None), ("spot", Some(0.0)), ("other", Some(1.0))]);
        assert_eq!(task.crossed_lines(), [(vec2(-0.25, 0.0), vec2(0.25, 0.0))]);
        assert!(Floor::default().is_plain() && !floor.is_plain());
    }

    #[test]
    fn condition_that_held_at_some_times_is_in_doubt() {
        let mut held = Held::now(0b011);
        held.add(0b001);
        assert_eq!([0, 1, 2].map(|condition| held.exists(Some(condition))), [true, true, false]);
        assert_eq!([0, 1].map(|condition| held.doubt(Some(condition))), [None, Some(1)]);
        assert!(held.exists(None) && held.doubt(None).is_none());
        assert_eq!(Held::UNKNOWN.doubt(Some(31)), Some(31));
    }
}
