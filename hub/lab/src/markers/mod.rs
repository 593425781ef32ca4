//! Reflector patterns that distinguish robots (thesis 5.2.3). A pattern consists of four markers on a grid of 4 x 4
//! points with a spacing of 10 mm. Patterns are chosen by brute force.
//!
//! Motion capture identifies a pattern by the distances between its markers. Patterns with similar distances can be
//! confused. The thesis does not mention mirror images, which have the same distances as the original. This module
//! therefore never chooses two patterns that are mirror images of each other. It also never chooses a pattern that is
//! symmetric under rotation, because the robot's heading would be ambiguous.

mod search;
mod sheet;

pub use search::{Choice, choose};
pub use sheet::svg;

use std::sync::LazyLock;

/// Number of points along a side of the grid.
pub const SIDE: u8 = 4;
/// Distance between adjacent points of the grid (mm).
pub const SPACING_MM: f64 = 10.0;
/// Difference below which two distances count as equal (mm).
const SAME: f64 = 1e-6;

/// Four points of the grid, as (row, column). Row 0 is at the robot's front, column 0 at its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The points as (row, column), in ascending order.
    pub points: [(u8, u8); 4],
}

impl Pattern {
    /// Returns the marker positions relative to the centre of the grid of 4 x 4 points, with x forward and y to the
    /// left (mm).
    pub fn markers_mm(&self) -> [[f64; 2]; 4] {
        let middle = f64::from(SIDE - 1) / 2.0;
        self.points.map(|(row, column)| [row, column].map(|n| (middle - f64::from(n)) * SPACING_MM))
    }

    /// Returns the difference between two patterns (mm). The markers of the patterns are paired such that the six
    /// distances between markers agree best. The result is the largest difference between corresponding distances. It
    /// is 0 for congruent patterns.
    pub fn separation(&self, other: &Pattern) -> f64 {
        ASSIGNMENTS.iter().map(|taken| self.difference(other, *taken)).fold(f64::INFINITY, f64::min)
    }

    /// Returns the smallest difference between the pattern and itself with permuted markers (mm); 0 means symmetric.
    pub fn asymmetry(&self) -> f64 {
        let others = ASSIGNMENTS.iter().filter(|taken| **taken != [0, 1, 2, 3]);
        others.map(|taken| self.difference(self, *taken)).fold(f64::INFINITY, f64::min)
    }

    fn difference(&self, other: &Pattern, taken: [usize; 4]) -> f64 {
        let pairs = (0..4).flat_map(|i| (0..i).map(move |j| (i, j)));
        let off = |(i, j): (usize, usize)| (self.distance(i, j) - other.distance(taken[i], taken[j])).abs();
        pairs.map(off).fold(0.0, f64::max)
    }

    fn distance(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (self.points[i], self.points[j]);
        f64::from(a.0.abs_diff(b.0)).hypot(f64::from(a.1.abs_diff(b.1))) * SPACING_MM
    }
}

/// All 24 permutations of four markers.
static ASSIGNMENTS: LazyLock<Vec<[usize; 4]>> = LazyLock::new(|| {
    let all = (0..256).map(|n| [n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6]);
    all.filter(|taken| (0..4).all(|marker| taken.contains(&marker))).collect()
});

/// Returns all patterns on a grid with `side` points along a side (2..=4), in a fixed order. Patterns that are
/// symmetric, or congruent to an earlier pattern, are left out.
pub fn all(side: u8) -> Vec<Pattern> {
    let mut found: Vec<Pattern> = Vec::new();
    let grid: Vec<(u8, u8)> = (0..side).flat_map(|row| (0..side).map(move |column| (row, column))).collect();
    for mask in 0u32..1 << grid.len() {
        if mask.count_ones() != 4 {
            continue;
        }
        let mut points = (0..grid.len()).filter(|i| mask >> i & 1 == 1).map(|i| grid[i]);
        let pattern = Pattern { points: std::array::from_fn(|_| points.next().expect("four bits are set")) };
        if pattern.asymmetry() > SAME && found.iter().all(|other| other.separation(&pattern) > SAME) {
            found.push(pattern);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(points: [(u8, u8); 4]) -> Pattern {
        Pattern { points }
    }

    #[test]
    fn turned_moved_and_mirrored_patterns_are_the_same() {
        let hook = pattern([(0, 0), (1, 0), (2, 0), (2, 2)]);
        let turned = pattern([(0, 0), (0, 1), (0, 2), (2, 0)]);
        let moved = pattern([(1, 1), (2, 1), (3, 1), (3, 3)]);
        let mirrored = pattern([(0, 2), (1, 2), (2, 2), (2, 0)]);
        for same in [hook, turned, moved, mirrored] {
            assert!(hook.separation(&same) < SAME, "{same:?}");
        }
        let other = pattern([(0, 0), (1, 0), (2, 0), (2, 3)]);
        // One distance between markers is 30 mm in one pattern and 20 mm in the other.
        assert!((hook.separation(&other) - 10.0).abs() < 1e-9);
        assert!((other.separation(&hook) - 10.0).abs() < 1e-9);
    }

    #[test]
    fn square_is_symmetric_and_hook_is_not() {
        assert_eq!(pattern([(0, 0), (0, 1), (1, 0), (1, 1)]).asymmetry(), 0.0);
        assert!(pattern([(0, 0), (1, 0), (2, 0), (2, 2)]).asymmetry() > 1.0);
    }

    #[test]
    fn grid_has_99_patterns() {
        // Cross-check: the 1820 sets of four points form 147 orbits under the grid's symmetries. 48 of them are
        // orbits of symmetric patterns.
        assert_eq!((all(2).len(), all(4).len()), (0, 99));
    }

    #[test]
    fn markers_lie_around_the_middle() {
        assert_eq!(pattern([(0, 0), (0, 3), (1, 1), (3, 3)]).markers_mm()[..2], [[15.0, 15.0], [15.0, -15.0]]);
    }
}
