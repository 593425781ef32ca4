//! Map of named samples with their fitness, and the table of its cells (thesis, Fig. 8.6 and Table 8.5).

use super::grid::Grid;
use super::pca::Pca;
use super::quality::{best, quantisation_error, topographic_error, u_matrix};
use super::standardise::standardised;
use super::train::{Training, start, train};
use std::fmt::Write;

/// Samples of one unit, with their mean values.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Indices of the samples for which this unit is the best match, in ascending order.
    pub samples: Vec<usize>,
    /// Mean of each column over the cell's samples, in the units of the data; `None` for an empty cell.
    pub means: Option<Vec<f64>>,
    /// Mean fitness of the cell's samples; `None` for an empty cell.
    pub fitness: Option<f64>,
}

/// Trained map of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Names of the samples.
    pub names: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Fitness of each sample.
    pub fitness: Vec<f64>,
    /// Grid of the units.
    pub grid: Grid,
    /// Weights of each unit, for standardised samples.
    pub weights: Vec<Vec<f64>>,
    /// Cell of each unit. The number of a cell is its index plus 1.
    pub cells: Vec<Cell>,
    /// Mean distance of the standardised samples from the weights of their best-matching units.
    pub quantisation_error: f64,
    /// Share of the samples whose two best-matching units are not neighbours, 0 to 1; `None` for a map of one unit.
    pub topographic_error: Option<f64>,
    /// For each unit, mean distance of its weights from the weights of its neighbours; 0 without neighbours.
    pub u_matrix: Vec<f64>,
    /// Principal components of the standardised samples.
    pub pca: Pca,
    /// Scores of each sample along the principal components.
    pub scores: Vec<Vec<f64>>,
}

impl Map {
    /// Trains a map of samples, one per row, with a value for each column.
    ///
    /// # Errors
    /// Returns a message of one line if the numbers of names, rows and fitness values differ, or if a row does not have
    /// one value per column. It also returns a message for fewer than 4 samples, more than 64 columns, or a number that
    /// is not finite.
    pub fn fit(
        names: &[String],
        columns: &[&str],
        rows: &[Vec<f64>],
        fitness: &[f64],
        grid: Grid,
    ) -> Result<Map, String> {
        if names.len() != rows.len() || fitness.len() != rows.len() {
            let (named, fit) = (names.len(), fitness.len());
            return Err(format!("{} samples have {named} names and {fit} fitness values", rows.len()));
        }
        let samples = standardised(rows)?;
        if columns.len() != rows[0].len() {
            return Err(format!("{} columns have {} names", rows[0].len(), columns.len()));
        }
        if let Some(i) = fitness.iter().position(|fitness| !fitness.is_finite()) {
            return Err(format!("the fitness of sample {} is {}, but must be finite", i + 1, fitness[i]));
        }
        let pca = Pca::fit(&samples)?;
        let weights = train(&grid, &samples, &start(&grid, &pca), &Training::for_grid(&grid))?;
        let units: Vec<usize> = samples.iter().map(|sample| best(&weights, sample)).collect();
        let cell = |unit: usize| Cell::new((0..rows.len()).filter(|i| units[*i] == unit).collect(), rows, fitness);
        Ok(Map {
            names: names.to_vec(),
            columns: columns.iter().map(|column| column.to_string()).collect(),
            fitness: fitness.to_vec(),
            cells: (0..grid.units()).map(cell).collect(),
            quantisation_error: quantisation_error(&weights, &samples).ok_or("a map must have at least one unit")?,
            topographic_error: topographic_error(&grid, &weights, &samples),
            u_matrix: u_matrix(&grid, &weights),
            scores: samples.iter().map(|sample| pca.scores(sample)).collect(),
            grid,
            weights,
            pca,
        })
    }

    /// Returns the number (from 1) and the sample names of each non-empty cell (thesis, Table 8.5).
    pub fn table(&self) -> Vec<(usize, Vec<&str>)> {
        let names = |cell: &Cell| cell.samples.iter().map(|i| self.names[*i].as_str()).collect();
        (1..).zip(&self.cells).filter(|(_, cell)| !cell.samples.is_empty()).map(|(i, cell)| (i, names(cell))).collect()
    }

    /// Returns the table of the non-empty cells as text: a heading, then one line per cell. A line contains the number
    /// of the cell and the names of its samples, separated by tabs.
    pub fn table_text(&self) -> String {
        let mut text = String::from("cell\tsamples\n");
        for (number, names) in self.table() {
            let _ = writeln!(text, "{number}\t{}", names.join("\t"));
        }
        text
    }
}

impl Cell {
    fn new(samples: Vec<usize>, rows: &[Vec<f64>], fitness: &[f64]) -> Cell {
        let mean = |value: &dyn Fn(usize) -> f64| {
            (!samples.is_empty()).then(|| samples.iter().map(|i| value(*i)).sum::<f64>() / samples.len() as f64)
        };
        let means = (0..rows[0].len()).map(|column| mean(&|i| rows[i][column])).collect();
        let fitness = mean(&|i| fitness[i]);
        Cell { samples, means, fitness }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::som::grid::Topology;

    /// Returns a map of two distant groups of three samples. One column is constant.
    pub fn two_groups(grid: Grid) -> Map {
        let names = ["a", "b", "c", "d", "e", "<f>"].map(String::from);
        let rows = [0.0, 0.1, 0.2, 8.0, 8.1, 8.2].map(|x| vec![x, -x * x, 0.1]);
        Map::fit(&names, &["energy", "push & pull", "same"], &rows, &[0.1, 0.2, 0.3, 0.6, 0.5, 0.7], grid).unwrap()
    }

    #[test]
    fn groups_have_cells_of_their_own() {
        let map = two_groups(Grid::new(Topology::Rectangular, 2, 1).unwrap());
        let mut groups: Vec<Vec<&str>> = map.table().into_iter().map(|(_, names)| names).collect();
        groups.sort();
        assert_eq!(groups, [vec!["a", "b", "c"], vec!["d", "e", "<f>"]]);
        let cell = map.cells.iter().find(|cell| cell.samples == [0, 1, 2]).unwrap();
        let means = cell.means.clone().unwrap();
        for (mean, expected) in means.iter().zip([0.1, -0.05 / 3.0, 0.1]) {
            assert!((mean - expected).abs() < 1e-12, "{means:?}");
        }
        assert!((cell.fitness.unwrap() - 0.2).abs() < 1e-12);
        assert_eq!(map.topographic_error, Some(0.0));
        assert!(map.quantisation_error < 0.1 && map.u_matrix[0] > 1.0 && map.u_matrix[0] == map.u_matrix[1]);
        assert!(map.pca.explained()[0] > 0.99 && map.scores[0][0] * map.scores[5][0] < 0.0);
        let text = map.table_text();
        assert!(text.starts_with("cell\tsamples\n1\t") && text.contains("\ta\tb\tc\n"), "{text}");
    }

    #[test]
    fn empty_cells_have_no_means_and_are_not_in_the_table() {
        let map = two_groups(Grid::new(Topology::Hexagonal, 5, 4).unwrap());
        let empty = map.cells.iter().filter(|cell| cell.samples.is_empty()).count();
        assert!(empty >= 14 && map.table().len() == 20 - empty);
        let without = |cell: &Cell| cell.means.is_none() && cell.fitness.is_none();
        assert!(map.cells.iter().all(|cell| cell.samples.is_empty() == without(cell)));
        let numbers: Vec<usize> = map.table().iter().map(|(number, _)| *number).collect();
        assert!(numbers.iter().all(|number| !map.cells[number - 1].samples.is_empty()));
    }

    #[test]
    fn data_that_do_not_vary_give_a_map() {
        let names: Vec<String> = (0..4).map(|i| i.to_string()).collect();
        let rows = vec![vec![0.1]; 4];
        for (columns, rows_of_grid) in [(1, 1), (3, 2)] {
            let grid = Grid::new(Topology::Hexagonal, columns, rows_of_grid).unwrap();
            let map = Map::fit(&names, &["x"], &rows, &[0.0; 4], grid).unwrap();
            assert_eq!(map.quantisation_error, 0.0);
            assert_eq!(map.table(), [(1, vec!["0", "1", "2", "3"])]);
        }
    }

    #[test]
    fn mismatched_inputs_are_rejected() {
        let grid = Grid::new(Topology::Rectangular, 2, 2).unwrap();
        let names: Vec<String> = (0..4).map(|i| i.to_string()).collect();
        let rows = vec![vec![0.1, 0.2]; 4];
        let error = |names: &[String], columns: &[&str], rows: &[Vec<f64>], fitness: &[f64]| {
            Map::fit(names, columns, rows, fitness, grid).unwrap_err()
        };
        let ab = ["a", "b"];
        assert_eq!(error(&names[1..], &ab, &rows, &[0.0; 4]), "4 samples have 3 names and 4 fitness values");
        assert_eq!(error(&names, &ab, &rows, &[0.0; 5]), "4 samples have 4 names and 5 fitness values");
        assert_eq!(error(&names, &["a"], &rows, &[0.0; 4]), "2 columns have 1 names");
        assert_eq!(
            error(&names, &ab, &rows, &[0.0, f64::NAN, 0.0, 0.0]),
            "the fitness of sample 2 is NaN, but must be finite"
        );
        assert!(error(&names[1..], &ab, &rows[1..], &[0.0; 3]).contains("too few"));
    }
}
