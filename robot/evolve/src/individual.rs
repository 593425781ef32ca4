//! Individuals and what is known of where they came from.

use crate::samples::Samples;
use std::fmt;
use xpuck_kernels::tree::Tree;

/// An individual's name: unique over the swarm and the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    /// The island where it was born.
    pub island: u16,
    /// Counts births on that island.
    pub number: u32,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.island, self.number)
    }
}

/// How an individual came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Drawn at random.
    Random,
    /// Crossover of two elites, then mutation.
    Crossover,
    /// Came from another island.
    Migration,
}

/// A tree, its ancestry and its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Individual {
    /// Its name.
    pub id: Id,
    /// Mother and father; none for random trees.
    pub parents: Option<[Id; 2]>,
    /// How it came to be.
    pub operator: Operator,
    /// The generation of its birth.
    pub born: u32,
    /// The genotype.
    pub tree: Tree,
    /// What is known of its fitness.
    pub samples: Samples,
}

/// An individual on its way to another island.
#[derive(Clone, Debug, PartialEq)]
pub struct Migrant {
    /// Its name.
    pub id: Id,
    /// The genotype.
    pub tree: Tree,
    /// Its samples so far.
    pub samples: Samples,
}
