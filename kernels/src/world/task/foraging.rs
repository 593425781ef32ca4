//! Foraging between two regions. Items are virtual: a robot picks up an item when it enters the food region, and
//! delivers the item when it enters the nest (thesis 4.2).

use crate::math::{Vec2, max, vec2};
use crate::model::V_MAX;
use serde::{Deserialize, Serialize};
use std::f32::consts::FRAC_1_SQRT_2;

/// A region of the floor: an axis-aligned rectangle, a disc, or the outside of a disc.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Region {
    /// A rectangle.
    Rectangle {
        /// Centre (m).
        at: Vec2,
        /// Half the length along x and along y (m).
        half: Vec2,
    },
    /// A disc.
    Disc {
        /// Centre (m).
        at: Vec2,
        /// Radius (m).
        radius: f32,
    },
    /// All points at a distance of at least `radius` from a point.
    Beyond {
        /// The point (m).
        at: Vec2,
        /// Minimum distance (m).
        radius: f32,
    },
}

impl Region {
    /// Returns true if a point (m) is in the region.
    pub fn contains(&self, place: Vec2) -> bool {
        let (at, half, radius) = self.rounded();
        let inside = outside_of(place - at, half).length() <= radius;
        inside != matches!(self, Region::Beyond { .. })
    }

    /// Returns the shortest distance between two regions (m). It is 0 or less if the regions touch. Two `Beyond`
    /// regions always touch.
    pub fn gap(&self, other: &Region) -> f32 {
        let ((a, half_a, radius_a), (b, half_b, radius_b)) = (self.rounded(), other.rounded());
        match (self, other) {
            (Region::Beyond { .. }, Region::Beyond { .. }) => 0.0,
            (_, Region::Beyond { .. }) => radius_b - farthest(a - b, half_a) - radius_a,
            (Region::Beyond { .. }, _) => radius_a - farthest(b - a, half_b) - radius_b,
            _ => outside_of(b - a, half_a + half_b).length() - (radius_a + radius_b),
        }
    }

    /// Returns the region as a rectangle that is enlarged by a radius on all sides: its centre, half side lengths and
    /// radius (m). `Beyond` is returned as the disc that it excludes.
    pub fn rounded(&self) -> (Vec2, Vec2, f32) {
        match *self {
            Region::Rectangle { at, half } => (at, half, 0.0),
            Region::Disc { at, radius } | Region::Beyond { at, radius } => (at, Vec2::ZERO, radius),
        }
    }
}

/// Returns the distances along x and along y from a rectangle to a point (m). A distance is 0 if the point is within
/// the rectangle's range on that axis. The rectangle is centred at the origin.
fn outside_of(place: Vec2, half: Vec2) -> Vec2 {
    vec2(max(place.x.abs() - half.x, 0.0), max(place.y.abs() - half.y, 0.0))
}

/// Returns the distance from the origin to the farthest corner of a rectangle (m).
fn farthest(centre: Vec2, half: Vec2) -> f32 {
    vec2(centre.x.abs() + half.x, centre.y.abs() + half.y).length()
}

/// Returns the maximum number of items that the robots can deliver in `seconds` (Eq. 4.2). The regions must not touch.
pub(crate) fn food_max(nest: &Region, food: &Region, robots: usize, seconds: f32) -> f32 {
    robots as f32 * (V_MAX * FRAC_1_SQRT_2) * seconds / (2.0 * nest.gap(food))
}

/// Counter of delivered items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Foraging {
    nest: Region,
    food: Region,
    /// Whether each robot carries an item.
    carrying: Vec<bool>,
    delivered: u32,
}

impl Foraging {
    /// Creates a counter for the given number of robots, which carry no items.
    pub fn new(nest: Region, food: Region, robots: usize) -> Foraging {
        Foraging { nest, food, carrying: vec![false; robots], delivered: 0 }
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
        self.delivered as f32 / food_max(&self.nest, &self.food, robots, seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEST: Region = Region::Rectangle { at: vec2(-0.8, 0.0), half: vec2(0.2, 0.75) };
    const FOOD: Region = Region::Disc { at: vec2(0.8, 0.0), radius: 0.3 };

    #[test]
    fn round_trip_delivers_one_item() {
        let mut foraging = Foraging::new(NEST, FOOD, 2);
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
