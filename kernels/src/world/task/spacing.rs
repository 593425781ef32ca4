//! Aggregation and dispersion: tasks that score the distances between robots.

use crate::math::{Vec2, min};
use crate::world::grid::Grid;
use serde::{Deserialize, Serialize};

/// Mean of a value over controller updates.
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

/// Measurement of the mean fraction of the robots in the largest cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aggregation {
    range: f32,
    mean: Mean,
    grid: Grid,
    visited: Vec<bool>,
    /// Members of the current cluster whose neighbours have not been examined yet.
    reached: Vec<u16>,
}

impl Aggregation {
    /// Creates the score. A cluster is a chain of robots whose centres are at most `range` (m) apart.
    pub fn new(range: f32, robots: usize, half_arena: (f32, f32)) -> Aggregation {
        Aggregation {
            range,
            mean: Mean::default(),
            grid: Grid::new(half_arena, range, robots),
            visited: vec![false; robots],
            reached: Vec::with_capacity(robots),
        }
    }

    /// Updates the mean with the current fraction of the robots in the largest cluster. Must be called after each
    /// controller update. `robots` contains the robots' centres (m).
    pub fn update(&mut self, robots: &[Vec2]) {
        let largest = self.largest_cluster(robots);
        self.mean.add(largest as f32 / robots.len() as f32);
    }

    /// Returns the mean fraction of the robots in the largest cluster, 1/n to 1 for n robots; 0 before any update.
    pub fn fitness(&self) -> f32 {
        self.mean.value()
    }

    /// Returns the number of robots in the largest cluster.
    fn largest_cluster(&mut self, robots: &[Vec2]) -> usize {
        let Aggregation { range, grid, visited, reached, .. } = self;
        let near = |a: Vec2, b: Vec2| (b - a).length_squared() <= *range * *range;
        grid.fill(robots.iter().copied());
        visited.fill(false);
        let mut largest = 0;
        for first in 0..robots.len() {
            if visited[first] {
                continue;
            }
            // A cluster starts with one robot and grows by the neighbours of its members.
            visited[first] = true;
            reached.push(first as u16);
            let mut members = 0;
            while let Some(member) = reached.pop() {
                members += 1;
                let at = robots[usize::from(member)];
                grid.for_each_candidate(at, |others| {
                    for other in others {
                        let visited = &mut visited[usize::from(*other)];
                        if !*visited && near(at, robots[usize::from(*other)]) {
                            *visited = true;
                            reached.push(*other);
                        }
                    }
                });
            }
            largest = largest.max(members);
        }
        largest
    }
}

/// Measurement of the mean distance between neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dispersion {
    /// Distance to the nearest other robot at which the score of a robot reaches 1, its maximum (m).
    widest: f32,
    mean: Mean,
    grid: Grid,
}

impl Dispersion {
    /// Creates the score for the given number of robots and the half side lengths of the arena (m). A robot's score
    /// reaches 1 at the distance between neighbours in a hexagonal packing of all robots.
    pub fn new(robots: usize, (hx, hy): (f32, f32)) -> Dispersion {
        let share = 4.0 * hx * hy / robots as f32;
        let widest = (share * (2.0 / 3f32.sqrt())).sqrt();
        Dispersion { widest, mean: Mean::default(), grid: Grid::new((hx, hy), widest, robots) }
    }

    /// Returns the distance to the nearest other robot at which the score of a robot reaches 1, its maximum (m).
    pub(crate) fn max_distance(&self) -> f32 {
        self.widest
    }

    /// Updates the mean with the robots' current distances to their nearest neighbours. Must be called after each
    /// controller update. `robots` contains the robots' centres (m).
    pub fn update(&mut self, robots: &[Vec2]) {
        self.grid.fill(robots.iter().copied());
        let mut sum = 0.0;
        for (i, a) in robots.iter().enumerate() {
            // Robots that the grid does not find are farther away than `widest`, so they need no measurement.
            let mut nearest = f32::INFINITY;
            self.grid.for_each_candidate(*a, |near| {
                for j in near.iter().map(|j| usize::from(*j)).filter(|j| *j != i) {
                    nearest = min((robots[j] - *a).length_squared(), nearest);
                }
            });
            sum += min(nearest.sqrt() / self.widest, 1.0);
        }
        self.mean.add(sum / robots.len() as f32);
    }

    /// Returns the distance to the nearest other robot, divided by `max_distance` and averaged over robots and updates;
    /// 0 to 1.
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
        let largest_cluster =
            |robots: &[Vec2], range: f32| Aggregation::new(range, robots.len(), (1.0, 0.75)).largest_cluster(robots);
        assert_eq!(largest_cluster(&row, 0.11), 3);
        assert_eq!(largest_cluster(&row, 0.31), 6);
        assert_eq!(largest_cluster(&row, 0.05), 1);
        let shuffled = [row[5], row[1], row[4], row[0], row[3], row[2]];
        assert_eq!(largest_cluster(&shuffled, 0.11), 3, "the order of robots does not matter");
        assert_eq!(largest_cluster(&[Vec2::ZERO; 256], 0.1), 256);
        // A winding chain through the arena crosses many grid cells.
        let snake: Vec<Vec2> =
            (0..200).map(|i| vec2(-0.95 + 0.0095 * i as f32, 0.5 * (i as f32 * 0.1).sin())).collect();
        assert_eq!(largest_cluster(&snake, 0.06), 200);
    }

    #[test]
    fn shares_are_averaged_over_updates() {
        let mut aggregation = Aggregation::new(0.1, 2, (1.0, 0.75));
        aggregation.update(&[Vec2::ZERO, vec2(0.05, 0.0)]);
        aggregation.update(&[Vec2::ZERO, vec2(0.5, 0.0)]);
        assert_eq!(aggregation.fitness(), 0.75);
    }

    #[test]
    fn dispersion_is_the_nearest_distance_over_the_widest() {
        // Four robots in 2 m x 1.5 m have 0.75 m^2 each, and are 0.9306 m apart in a hexagonal packing.
        let mut dispersion = Dispersion::new(4, (1.0, 0.75));
        dispersion.update(&[vec2(-0.3, 0.0), vec2(0.0, 0.0), vec2(0.0, 0.2), vec2(1.0, -0.75)]);
        let nearest = [0.3f32, 0.2, 0.2, 0.9306];
        assert!((dispersion.fitness() - nearest.iter().sum::<f32>() / 4.0 / 0.9306).abs() < 1e-4);
    }
}
