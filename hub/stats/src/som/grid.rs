//! Grid of a map: positions and neighbours of its units.

use super::pca::Pca;
use super::standardise::standardised;
use serde::Serialize;

/// Maximum number of columns, and of rows.
pub const MOST_SIDE: usize = 100;
/// Distance between adjacent rows of a hexagonal grid, in units of the distance between adjacent columns: sqrt(3) / 2.
pub const HEXAGONAL_ROW: f64 = 0.866_025_403_784_438_6;

/// Arrangement of the units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Topology {
    /// Squares; units that share a side or a corner are neighbours.
    Rectangular,
    /// Hexagons; units that share a side are neighbours. Every second row is shifted to the right by half a unit.
    Hexagonal,
}

/// Grid of units, which are numbered from 0 along the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Grid {
    topology: Topology,
    columns: usize,
    rows: usize,
}

impl Grid {
    /// Creates a grid of 1 to [`MOST_SIDE`] columns and rows.
    ///
    /// # Errors
    /// Returns a message of one line if a side is out of range.
    pub fn new(topology: Topology, columns: usize, rows: usize) -> Result<Grid, String> {
        if [columns, rows].iter().all(|side| (1..=MOST_SIDE).contains(side)) {
            Ok(Grid { topology, columns, rows })
        } else {
            Err(format!("a map must have 1 to {MOST_SIDE} columns and rows, not {columns} x {rows}"))
        }
    }

    /// Creates a grid of about 5 sqrt(n) units for n samples. The ratio of the sides is the square root of the ratio of
    /// the two largest eigenvalues of the standardised data's covariance (Vesanto et al., SOM Toolbox for Matlab 5,
    /// 2000). The longer side is along x. The ratio refers to lengths, so a hexagonal grid has more rows than a
    /// rectangular grid.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Pca::fit`].
    pub fn for_data(topology: Topology, data: &[Vec<f64>]) -> Result<Grid, String> {
        let pca = Pca::fit(&standardised(data)?)?;
        let units = (5.0 * (data.len() as f64).sqrt()).round().min((MOST_SIDE * MOST_SIDE) as f64);
        let first = pca.variances[0];
        let second = pca.variances.get(1).copied().unwrap_or(0.0);
        let most = MOST_SIDE as f64;
        let ratio = if first > 0.0 { (first / second.max(first / (most * most))).sqrt() } else { 1.0 };
        let row = if topology == Topology::Hexagonal { HEXAGONAL_ROW } else { 1.0 };
        let rows = (units / (ratio * row)).sqrt().round().clamp(1.0, most);
        let columns = (units / rows).round().clamp(1.0, most);
        Grid::new(topology, columns as usize, rows as usize)
    }

    /// Returns the arrangement of the units.
    pub fn topology(&self) -> Topology {
        self.topology
    }

    /// Returns the number of units along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of units along y.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of units.
    pub fn units(&self) -> usize {
        self.columns * self.rows
    }

    /// Returns the position (x, y) of a unit, in multiples of the distance between adjacent units of a row. y increases
    /// from row to row.
    pub fn position(&self, unit: usize) -> (f64, f64) {
        let (column, row) = ((unit % self.columns) as f64, unit / self.columns);
        match self.topology {
            Topology::Rectangular => (column, row as f64),
            Topology::Hexagonal => (column + 0.5 * (row % 2) as f64, row as f64 * HEXAGONAL_ROW),
        }
    }

    /// Returns the squared distance of two units.
    pub fn squared_distance(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (self.position(a), self.position(b));
        (a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)
    }

    /// Returns whether two units are neighbours. A unit is not its own neighbour.
    pub fn neighbours(&self, a: usize, b: usize) -> bool {
        // In a rectangular grid, the squared distance is 1 or 2 for neighbours, and at least 4 for other units. In a
        // hexagonal grid, it is 1 for neighbours, and at least 3 for other units.
        let reach = if self.topology == Topology::Rectangular { 2.5 } else { 1.5 };
        a != b && self.squared_distance(a, b) < reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(grid: &Grid, unit: usize) -> Vec<usize> {
        (0..grid.units()).filter(|other| grid.neighbours(unit, *other)).collect()
    }

    #[test]
    fn squares_have_eight_neighbours_and_hexagons_six() {
        let squares = Grid::new(Topology::Rectangular, 4, 3).unwrap();
        assert_eq!(around(&squares, 5), [0, 1, 2, 4, 6, 8, 9, 10]);
        assert_eq!(around(&squares, 3), [2, 6, 7]);
        let hexagons = Grid::new(Topology::Hexagonal, 4, 4).unwrap();
        assert_eq!(around(&hexagons, 5), [1, 2, 4, 6, 9, 10], "an odd row is further right");
        assert_eq!(around(&hexagons, 9), [4, 5, 8, 10, 12, 13]);
    }

    #[test]
    fn sides_are_in_range() {
        for (columns, rows) in [(0, 3), (3, 0), (101, 1)] {
            let error = Grid::new(Topology::Hexagonal, columns, rows).unwrap_err();
            assert_eq!(error, format!("a map must have 1 to 100 columns and rows, not {columns} x {rows}"));
        }
    }

    #[test]
    fn grid_size_follows_data() {
        // For 36 samples on a regular lattice, both principal components have variance 1 after standardisation. The map
        // therefore is nearly square, and has 5 sqrt(36) = 30 units.
        let cross: Vec<Vec<f64>> = (0..36).map(|i| vec![f64::from(i % 6), f64::from(i / 6)]).collect();
        let grid = |topology, data: &[Vec<f64>]| Grid::for_data(topology, data).map(|grid| (grid.columns, grid.rows));
        assert_eq!(grid(Topology::Rectangular, &cross), Ok((6, 5)));
        assert_eq!(grid(Topology::Hexagonal, &cross), Ok((5, 6)));
        // The principal components of two columns with correlation r have the variances 1 + r and 1 - r. Here r is 0.8,
        // so the ratio of the sides is 3.
        let long: Vec<Vec<f64>> = (0..36)
            .map(|i| (f64::from(i % 6) - 2.5, f64::from(i / 6) - 2.5))
            .map(|(a, b)| vec![3.0 * a + b, 3.0 * a - b])
            .collect();
        assert_eq!(grid(Topology::Rectangular, &long), Ok((10, 3)));
        let line: Vec<Vec<f64>> = (0..36).map(|i| vec![f64::from(i), f64::from(2 * i)]).collect();
        assert_eq!(grid(Topology::Rectangular, &line), Ok((30, 1)));
        assert_eq!(grid(Topology::Rectangular, &vec![vec![1.0, 2.0]; 36]), Ok((6, 5)), "nothing varies");
        assert!(grid(Topology::Rectangular, &cross[..3]).is_err());
    }
}
