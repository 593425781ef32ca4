//! The best of each kind (MAP-Elites, Mouret and Clune 2015): a map from a descriptor's cell to the fittest that fell in it.

use super::Relative;
use serde::{Deserialize, Serialize};

/// A kind: the bins of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell(pub Vec<u16>);

/// The best of each kind, of a bounded number of kinds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Archive<G> {
    most: usize,
    /// How often a kind had to give way or to stay outside for want of room.
    refused: u64,
    /// By kind.
    cells: Vec<(Cell, Relative<G>)>,
}

impl<G: Clone> Archive<G> {
    /// An empty one, for so many kinds at most.
    pub fn new(most: usize) -> Archive<G> {
        Archive { most, refused: 0, cells: Vec::new() }
    }

    /// Puts one in its kind's place if it is fitter than who is there. If all places are taken by other kinds, the least fit kind
    /// gives way to a fitter one.
    pub fn add(&mut self, cell: Cell, one: &Relative<G>) {
        let place = |cells: &[(Cell, Relative<G>)]| cells.binary_search_by(|(there, _)| there.cmp(&cell));
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

    /// The best of each kind, by kind.
    pub fn elites(&self) -> impl Iterator<Item = &Relative<G>> {
        self.cells.iter().map(|(_, one)| one)
    }

    /// Kinds and their best, by kind.
    pub fn cells(&self) -> &[(Cell, Relative<G>)] {
        &self.cells
    }

    /// What a user should know: a descriptor that tells nothing apart, or an archive that is too small for it.
    pub fn notice(&self) -> Option<String> {
        match self.cells.len() {
            0 => None,
            1 => Some(
                "the descriptor is the same for all: the archive holds one kind, and the search is an ordinary one"
                    .into(),
            ),
            n if self.refused > 0 => Some(format!(
                "the archive is full with {n} kinds, {} times one had to give way or to stay outside; give it more cells",
                self.refused
            )),
            _ => None,
        }
    }
}
