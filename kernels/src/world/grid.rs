//! Uniform grid over the arena, which finds the bodies near a position without a search of all bodies.
//!
//! The grid returns bodies in ascending order of their numbers, independent of the cells. Sums and contacts therefore
//! have the same order as in a search of all pairs.

use crate::math::{Vec2, max, min, vec2};
use serde::{Deserialize, Serialize};

/// Maximum number of cells along x and along y.
const MOST_CELLS: f32 = 64.0;
/// Minimum ratio of the cell size to the search radius. It exceeds 1, so that despite rounding, positions within the
/// search radius are in the same cell or in adjacent cells.
const MARGIN: f32 = 1.001;

/// Grid of bodies. Each body belongs to the cell that contains its centre. Bodies outside the arena belong to the
/// outermost cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Grid {
    low: Vec2,
    /// Number of cells per metre along x and along y.
    density: Vec2,
    columns: usize,
    rows: usize,
    /// Index in `bodies` of the first body of each cell, row by row. `bodies` contains the bodies in the order of their
    /// cells. The last element is the number of bodies.
    first: Vec<u16>,
    bodies: Vec<u16>,
    /// Cell of each body.
    cells: Vec<u16>,
}

impl Grid {
    /// Creates a grid for the given number of bodies. [`Grid::candidates`] then finds all bodies within `reach` (m)
    /// of a position.
    pub fn new((hx, hy): (f32, f32), reach: f32, bodies: usize) -> Grid {
        let cells = |half: f32| max(min((2.0 * half / (reach * MARGIN)).floor(), MOST_CELLS), 1.0);
        let (columns, rows) = (cells(hx), cells(hy));
        let mut grid = Grid {
            low: vec2(-hx, -hy),
            density: vec2(columns / (2.0 * hx), rows / (2.0 * hy)),
            columns: columns as usize,
            rows: rows as usize,
            ..Grid::default()
        };
        grid.first.resize(grid.columns * grid.rows + 1, 0);
        grid.bodies.resize(bodies, 0);
        grid.cells.resize(bodies, 0);
        grid
    }

    /// Sorts bodies with these centres into the cells. Bodies beyond the number given to [`Grid::new`] are ignored.
    /// The number of bodies is at most 65535.
    pub fn fill(&mut self, centres: impl Iterator<Item = Vec2>) {
        self.first.fill(0);
        let mut filled = 0;
        for (cell, at) in self.cells.iter_mut().zip(centres) {
            let column = cell_index(at.x, self.low.x, self.density.x, self.columns);
            let row = cell_index(at.y, self.low.y, self.density.y, self.rows);
            let number = row * self.columns + column;
            *cell = number as u16;
            filled += 1;
            self.first[number] += 1;
        }
        let mut end = 0;
        for first in &mut self.first {
            end += *first;
            *first = end;
        }
        // Backward iteration keeps the bodies of a cell in ascending order.
        for (body, cell) in self.cells[..filled].iter().enumerate().rev() {
            let first = &mut self.first[*cell as usize];
            *first -= 1;
            self.bodies[*first as usize] = body as u16;
        }
    }

    /// Calls `each` with the bodies of the cells around a position, in any order. The bodies include all bodies within
    /// the search radius, and possibly more distant bodies.
    pub fn for_each_candidate(&self, at: Vec2, mut each: impl FnMut(&[u16])) {
        let column = cell_index(at.x, self.low.x, self.density.x, self.columns);
        let row = cell_index(at.y, self.low.y, self.density.y, self.rows);
        let (left, right) = (column.saturating_sub(1), (column + 1).min(self.columns - 1));
        for row in row.saturating_sub(1)..=(row + 1).min(self.rows - 1) {
            let from = self.first[row * self.columns + left] as usize;
            let to = self.first[row * self.columns + right + 1] as usize;
            each(&self.bodies[from..to]);
        }
    }

    /// Replaces the contents of `found` by the bodies of [`Grid::for_each_candidate`], in ascending order.
    pub fn candidates(&self, at: Vec2, found: &mut Vec<u16>) {
        found.clear();
        self.for_each_candidate(at, |bodies| found.extend_from_slice(bodies));
        found.sort_unstable();
    }
}

/// Returns the cell index of a coordinate along one axis. NaN results in the first cell.
fn cell_index(x: f32, low: f32, density: f32, cells: usize) -> usize {
    (((x - low) * density) as usize).min(cells - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Draws, Stream};

    /// Returns test positions. `kind` selects random positions inside the arena, random positions inside and outside
    /// the arena, or special arrangements such as positions on cell borders.
    fn places(kind: u32, number: usize, half: (f32, f32), reach: f32, draws: &mut Draws) -> Vec<Vec2> {
        let mut random = |x: f32| vec2(draws.range(-x * half.0, x * half.0), draws.range(-x * half.1, x * half.1));
        let step = |i: usize| -half.0 + (i / 4) as f32 * reach * [1.0, MARGIN][i % 2];
        let place = |i: usize| match kind {
            0 => random(1.0),
            1 => random(1.4),
            2 => vec2(step(i), step(i / 3)),
            3 => vec2(0.1, -0.2),
            _ => vec2(step(i), 0.0) + random(1e-6),
        };
        (0..number).map(place).collect()
    }

    #[test]
    fn grid_finds_same_neighbours_as_all_pairs() {
        let mut draws = Draws::new(7, 0, 0, 0, Stream::Start);
        let mut pairs = 0;
        for (number, half, reach) in [
            (2, (1.0, 0.75), 0.5),
            (1, (1.0, 0.75), 0.5),
            (25, (1.0, 0.75), 0.075),
            (64, (2.0, 1.5), 0.5),
            (256, (4.0, 3.0), 0.5),
            (256, (10.0, 0.15), 0.105),
            (100, (0.7, 0.9), 3.0),
            (256, (10.0, 10.0), 0.01),
            (40, (1.0, 1.0), 0.0),
        ] {
            for kind in 0..5 {
                let places = places(kind, number, half, reach, &mut draws);
                let mut grid = Grid::new(half, reach, number);
                let mut found = Vec::new();
                // The second call of `fill` must discard the results of the first call.
                grid.fill(places.iter().rev().copied());
                grid.fill(places.iter().copied());
                for at in &places {
                    grid.candidates(*at, &mut found);
                    assert!(found.is_sorted_by(|a, b| a < b), "ascending, and nobody twice");
                    let close = |j: &usize| (places[*j] - *at).length_squared() <= reach * reach;
                    let all: Vec<usize> = (0..number).filter(close).collect();
                    let gridded: Vec<usize> = found.iter().map(|j| usize::from(*j)).filter(close).collect();
                    assert_eq!(gridded, all, "{number} places of kind {kind} within {reach} of {at:?}");
                    pairs += all.len() - 1;
                }
            }
        }
        assert!(pairs > 10_000, "{pairs}");
    }

    #[test]
    fn grid_skips_distant_bodies() {
        let half = (4.0, 3.0);
        let mut draws = Draws::new(8, 0, 0, 0, Stream::Start);
        let places = places(0, 256, half, 0.5, &mut draws);
        let mut grid = Grid::new(half, 0.5, 256);
        grid.fill(places.iter().copied());
        let mut looks = 0;
        places.iter().for_each(|at| grid.for_each_candidate(*at, |bodies| looks += bodies.len()));
        assert!(looks < 256 * 20, "{looks}");
    }

    #[test]
    fn grid_accepts_nan_and_infinity() {
        let mut grid = Grid::new((1.0, 1.0), 0.1, 30);
        let strange = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0];
        let at = |i: usize| vec2(strange[i % 5], strange[i / 5 % 5]);
        grid.fill((0..30).map(at));
        let mut all: Vec<u16> = Vec::new();
        (0..30).for_each(|i| grid.for_each_candidate(at(i), |bodies| all.extend(bodies)));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 30, "each is in its own cell");
    }
}
