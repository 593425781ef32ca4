//! Score of the coverage task, which is the fraction of the arena that the robots have visited.

use crate::math::{Vec2, max, min};
use serde::{Deserialize, Serialize};

/// Grid over the arena that marks the cells which the centre of any robot has visited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    half_arena: (f32, f32),
    columns: usize,
    visited: Vec<bool>,
}

impl Coverage {
    /// Creates a grid whose cells have sides close to `cell` (m). The sides are adjusted so that a whole number of
    /// cells fits along x and along y.
    pub fn new(cell: f32, half_arena: (f32, f32)) -> Coverage {
        let (columns, rows) = (fitting(cell, half_arena.0), fitting(cell, half_arena.1));
        Coverage { half_arena, columns, visited: vec![false; columns * rows] }
    }

    /// Returns the number of cells along x and along y.
    pub(crate) fn cells(&self) -> [usize; 2] {
        [self.columns, self.visited.len() / self.columns]
    }

    /// Marks each cell that contains the centre of a robot as visited. Must be called after each controller update.
    /// `robots` contains the robots' centres (m).
    pub fn update(&mut self, robots: &[Vec2]) {
        for at in robots {
            let cell = self.cell(*at);
            self.visited[cell] = true;
        }
    }

    /// Replaces the marks of all cells.
    pub(crate) fn set(&mut self, visited: impl Fn(usize) -> bool) {
        self.visited.iter_mut().enumerate().for_each(|(cell, mark)| *mark = visited(cell));
    }

    /// Returns the index of the cell that contains a place (m).
    pub(crate) fn cell(&self, at: Vec2) -> usize {
        let rows = self.visited.len() / self.columns;
        let column = place(at.x, self.half_arena.0, self.columns);
        place(at.y, self.half_arena.1, rows) * self.columns + column
    }

    /// Returns the fraction of the cells that were visited, 0 to 1.
    pub fn fitness(&self) -> f32 {
        self.visited.iter().filter(|visited| **visited).count() as f32 / self.visited.len() as f32
    }
}

/// Returns the number of cells of side `cell` (m) that fits best into the length 2 * `half` (m), at least 1.
fn fitting(cell: f32, half: f32) -> usize {
    max((2.0 * half / cell).round(), 1.0) as usize
}

/// Returns the cell index of a coordinate along one axis. Positions beyond a wall belong to the outermost cell.
fn place(x: f32, half: f32, cells: usize) -> usize {
    let place = (x + half) / (2.0 * half) * cells as f32;
    min(max(place, 0.0), cells as f32 - 1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;

    #[test]
    fn visited_cells_count_once() {
        let mut coverage = Coverage::new(0.1, (1.0, 0.75));
        assert_eq!(coverage.visited.len(), 20 * 15);
        for at in [vec2(-0.99, -0.74), vec2(-0.91, -0.66), vec2(0.97, 0.71), vec2(1.2, 0.9), vec2(0.05, 0.0)] {
            coverage.update(&[at]);
        }
        assert!((coverage.fitness() - 3.0 / 300.0).abs() < 1e-7, "{}", coverage.fitness());
    }

    #[test]
    fn cells_are_stretched_to_fit() {
        assert_eq!(Coverage::new(0.4, (0.5, 0.3)).visited.len(), 3 * 2);
        assert_eq!(Coverage::new(2.0, (0.5, 0.3)).visited.len(), 1);
    }
}
