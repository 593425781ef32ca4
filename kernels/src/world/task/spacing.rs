//! Aggregation and dispersion: how near to each other the robots are.

use crate::math::{Vec2, min};
use serde::{Deserialize, Serialize};

/// The mean of what was counted after each controller update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Mean {
    sum: f64,
    updates: u32,
}

impl Mean {
    fn add(&mut self, value: f32) {
        self.sum += f64::from(value);
        self.updates += 1;
    }

    fn value(&self) -> f32 {
        (self.sum / f64::from(self.updates.max(1))) as f32
    }
}

/// Counts which share of the robots is in the largest cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aggregation {
    range: f32,
    mean: Mean,
}

impl Aggregation {
    /// A chain of robots whose centres are at most `range` apart, m, is a cluster.
    pub fn new(range: f32) -> Aggregation {
        Aggregation { range, mean: Mean::default() }
    }

    /// Counts after a controller update.
    pub fn update(&mut self, robots: &[Vec2]) {
        self.mean.add(largest_cluster(robots, self.range) as f32 / robots.len() as f32);
    }

    /// The mean share, 1/n to 1.
    pub fn fitness(&self) -> f32 {
        self.mean.value()
    }
}

/// Number of robots in the largest cluster.
fn largest_cluster(robots: &[Vec2], range: f32) -> u32 {
    let near = |a: Vec2, b: Vec2| (b - a).length_squared() <= range * range;
    let mut unvisited = (1u32 << robots.len()) - 1;
    let mut largest = 0;
    while unvisited != 0 {
        // Grows from one robot by whoever is near a member, until the members' neighbours are all members.
        let mut members = 0u32;
        let mut reached = 1u32 << unvisited.trailing_zeros();
        while reached != 0 {
            let at = robots[reached.trailing_zeros() as usize];
            members |= reached & reached.wrapping_neg();
            for (i, other) in robots.iter().enumerate() {
                reached |= u32::from(near(at, *other)) << i;
            }
            reached &= !members;
        }
        unvisited &= !members;
        largest = largest.max(members.count_ones());
    }
    largest
}

/// Counts how far apart neighbours are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dispersion {
    /// Distance that counts as 1, m.
    widest: f32,
    mean: Mean,
}

impl Dispersion {
    /// For so many robots in an arena: as far apart as they could all be is their distance in a hexagonal packing.
    pub fn new(robots: usize, (hx, hy): (f32, f32)) -> Dispersion {
        let share = 4.0 * hx * hy / robots as f32;
        Dispersion { widest: (share * (2.0 / 3f32.sqrt())).sqrt(), mean: Mean::default() }
    }

    /// Counts after a controller update.
    pub fn update(&mut self, robots: &[Vec2]) {
        let mut sum = 0.0;
        for (i, a) in robots.iter().enumerate() {
            let mut nearest = f32::INFINITY;
            for (_, b) in robots.iter().enumerate().filter(|(j, _)| *j != i) {
                nearest = min((*b - *a).length_squared(), nearest);
            }
            sum += min(nearest.sqrt() / self.widest, 1.0);
        }
        self.mean.add(sum / robots.len() as f32);
    }

    /// The mean over robots and updates of the distance to the nearest other robot, over the widest; 0 to 1.
    pub fn fitness(&self) -> f32 {
        self.mean.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;

    #[test]
    fn chains_are_clusters() {
        let row: Vec<Vec2> = [0.0, 0.1, 0.2, 0.5, 0.6, 0.9].into_iter().map(|x| vec2(x, 0.0)).collect();
        assert_eq!(largest_cluster(&row, 0.11), 3);
        assert_eq!(largest_cluster(&row, 0.31), 6);
        assert_eq!(largest_cluster(&row, 0.05), 1);
        let shuffled = [row[5], row[1], row[4], row[0], row[3], row[2]];
        assert_eq!(largest_cluster(&shuffled, 0.11), 3, "the order of robots does not matter");
        assert_eq!(largest_cluster(&[Vec2::ZERO; 16], 0.1), 16);
    }

    #[test]
    fn shares_are_averaged_over_updates() {
        let mut aggregation = Aggregation::new(0.1);
        aggregation.update(&[Vec2::ZERO, vec2(0.05, 0.0)]);
        aggregation.update(&[Vec2::ZERO, vec2(0.5, 0.0)]);
        assert_eq!(aggregation.fitness(), 0.75);
    }

    #[test]
    fn dispersion_is_the_nearest_distance_over_the_widest() {
        // Four robots in 2 m x 1.5 m: 0.75 m^2 each, 0.9306 m apart in a hexagonal packing.
        let mut dispersion = Dispersion::new(4, (1.0, 0.75));
        dispersion.update(&[vec2(-0.3, 0.0), vec2(0.0, 0.0), vec2(0.0, 0.2), vec2(1.0, -0.75)]);
        let nearest = [0.3f32, 0.2, 0.2, 0.9306];
        assert!((dispersion.fitness() - nearest.iter().sum::<f32>() / 4.0 / 0.9306).abs() < 1e-4);
    }
}
