//! Archive of the best genotype of each kind (MAP-Elites, Mouret and Clune 2015): a map from descriptor cells to the
//! fittest individual of each cell.

use super::FamilyMember;
use serde::{Deserialize, Serialize};

/// Cell of the archive, identified by the bin of each descriptor value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell(pub Vec<u16>);

/// Best individual of each descriptor cell, for a limited number of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Archive<G> {
    most: usize,
    /// Number of individuals of new cells that were offered to the full archive. Each of them was rejected or replaced
    /// another cell.
    refused: u64,
    /// Cells with their best individuals, sorted by cell.
    cells: Vec<(Cell, FamilyMember<G>)>,
}

impl<G: Clone> Archive<G> {
    /// Creates an empty archive for at most `most` cells.
    pub fn new(most: usize) -> Archive<G> {
        Archive { most, refused: 0, cells: Vec::new() }
    }

    /// Stores an individual in its cell if the cell is new, or if the individual is fitter than the stored one. If the
    /// archive is full, a new cell replaces the cell with the least fit individual. The new cell is rejected if its
    /// individual is not fitter than that one.
    pub fn add(&mut self, cell: Cell, one: &FamilyMember<G>) {
        let place = |cells: &[(Cell, FamilyMember<G>)]| cells.binary_search_by(|(there, _)| there.cmp(&cell));
        if let Ok(at) = place(&self.cells) {
            let there = &mut self.cells[at].1;
            if one.worth() > there.worth() {
                *there = one.clone();
            }
            return;
        }
        if self.cells.len() >= self.most {
            self.refused += 1;
            let worth = |at: &usize| self.cells[*at].1.worth();
            let least = (0..self.cells.len()).min_by(|a, b| worth(a).total_cmp(&worth(b)));
            match least {
                Some(least) if self.cells[least].1.worth() < one.worth() => drop(self.cells.remove(least)),
                _ => return,
            }
        }
        let (Ok(at) | Err(at)) = place(&self.cells);
        self.cells.insert(at, (cell, one.clone()));
    }

    /// Iterates over the best individual of each cell, in the order of the cells.
    pub fn elites(&self) -> impl Iterator<Item = &FamilyMember<G>> {
        self.cells.iter().map(|(_, one)| one)
    }

    /// Returns the cells and their best individuals, in the order of the cells.
    pub fn cells(&self) -> &[(Cell, FamilyMember<G>)] {
        &self.cells
    }

    /// Returns a warning for the user if the descriptor has the same value for all individuals, or if the archive is
    /// too small.
    pub fn notice(&self) -> Option<String> {
        match self.cells.len() {
            0 => None,
            1 => Some(
                "the descriptor is the same for all individuals, so the archive has one cell and does not preserve \
                 diversity"
                    .into(),
            ),
            n if self.refused > 0 => Some(format!(
                "the archive is full with {n} cells ({} rejections or replacements); increase `cells`",
                self.refused
            )),
            _ => None,
        }
    }
}
