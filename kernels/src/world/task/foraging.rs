//! Foraging between two regions. Items are virtual: a robot picks up an item when it enters the food region, and
//! delivers the item when it enters the nest (thesis 4.2).

use super::Region;
use crate::math::Vec2;
use crate::world::robot::Wheels;
use serde::{Deserialize, Serialize};

/// Returns the maximum number of items that the robots can deliver in `seconds` (Eq. 4.2). The regions must not touch.
/// `straight` is the robots' maximum speed straight ahead (m/s).
pub(crate) fn food_max(nest: &Region, food: &Region, robots: usize, seconds: f32, straight: f32) -> f32 {
    robots as f32 * straight * seconds / (2.0 * nest.gap(food))
}

/// Counter of delivered items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Foraging {
    nest: Region,
    food: Region,
    /// Whether each robot carries an item.
    carrying: Vec<bool>,
    delivered: u32,
    /// Maximum speed of a robot straight ahead (m/s).
    #[serde(default = "usual_speed")]
    straight: f32,
}

fn usual_speed() -> f32 {
    Wheels::default().straight_speed()
}

impl Foraging {
    /// Creates a counter for the given number of robots, which carry no items. `straight` is their maximum speed straight
    /// ahead (m/s).
    pub fn new(nest: Region, food: Region, robots: usize, straight: f32) -> Foraging {
        Foraging { nest, food, carrying: vec![false; robots], delivered: 0, straight }
    }

    /// Updates the count after a controller update. `robots` contains the robots' centres (m).
    pub fn update(&mut self, robots: &[Vec2]) {
        for (at, carries) in robots.iter().zip(&mut self.carrying) {
            if self.food.contains(*at) {
                *carries = true;
            } else if self.nest.contains(*at) {
                self.delivered += u32::from(*carries);
                *carries = false;
            }
        }
    }

    /// Returns the number of delivered items divided by the maximum number (Eq. 4.1 and 4.2). The maximum assumes that
    /// robots start at the edge of the nest and drive back and forth in straight lines at full speed.
    pub fn fitness(&self, robots: usize, seconds: f32) -> f32 {
        self.delivered as f32 / food_max(&self.nest, &self.food, robots, seconds, self.straight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;

    const NEST: Region = Region::Rectangle { at: vec2(-0.8, 0.0), half: vec2(0.2, 0.75) };
    const FOOD: Region = Region::Disc { at: vec2(0.8, 0.0), radius: 0.3 };

    #[test]
    fn round_trip_delivers_one_item() {
        let mut foraging = Foraging::new(NEST, FOOD, 2, Wheels::default().straight_speed());
        let mut visit = |x: f32| {
            foraging.update(&[vec2(0.0, 0.0), vec2(x, 0.0)]);
            foraging.delivered
        };
        assert_eq!(
            [-0.7, 0.6, 0.7, 0.0, -0.65, -0.7, 0.0, -0.7, 0.6, -0.7].map(&mut visit),
            [0, 0, 0, 0, 1, 1, 1, 1, 1, 2]
        );
        // Two robots at 0.0919 m/s deliver at most 2.507 items in 30 s if the regions are 1.1 m apart.
        assert!((foraging.fitness(2, 30.0) - 2.0 / 2.507).abs() < 1e-3, "{}", foraging.fitness(2, 30.0));
    }

    #[test]
    fn gaps_are_the_shortest_ways() {
        let near = |a: &Region, b: &Region, expected: f32| {
            assert!((a.gap(b) - expected).abs() < 1e-6 && (b.gap(a) - expected).abs() < 1e-6, "{a:?} {b:?}");
        };
        near(&NEST, &FOOD, 1.1);
        near(&NEST, &Region::Disc { at: vec2(-0.3, 1.15), radius: 0.1 }, 0.4);
        // The Kilobots' arena: a nest in the middle, surrounded by food.
        let (nest, food) =
            (Region::Disc { at: vec2(0.1, 0.0), radius: 0.2 }, Region::Beyond { at: Vec2::ZERO, radius: 0.5 });
        near(&nest, &food, 0.2);
        near(&Region::Rectangle { at: Vec2::ZERO, half: vec2(0.3, 0.4) }, &food, 0.0);
        assert!(food.contains(vec2(0.4, 0.4)) && !food.contains(vec2(0.3, 0.3)) && nest.contains(vec2(0.1, 0.1)));
        near(&food, &food, 0.0);
    }
}
