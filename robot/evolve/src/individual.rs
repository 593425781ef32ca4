//! Individuals and their ancestry.

use crate::genotype::Genotype;
use crate::primitive_set::PrimitiveSet;
use crate::samples::Samples;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use xpuck_kernels::tree::{CompileError, Footprint, ParseError, Tree};

/// Identifier of an individual, unique in the swarm and the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Id {
    /// Island on which the individual was created.
    pub island: u16,
    /// Number of the individual among all individuals created on that island.
    pub number: u32,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.island, self.number)
    }
}

/// Operator that produced an individual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// Random generation.
    Random,
    /// Crossover of two parents, then mutation.
    Crossover,
    /// Mutated copy of one parent, which is recorded as both parents.
    Mutation,
    /// Migration from another island.
    Migration,
}

/// Stage of an individual in the algorithms `racing`, `median-stopping` and `f-race`. In other algorithms, all
/// individuals are newborns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Stage {
    /// Individual that is selected as a parent.
    Elite,
    /// Individual from another island or an earlier start. It is tried like the elite, but does not breed.
    Guest,
    /// Individual in the last stage before the elite.
    Finalist,
    /// Promoted newborn, whose trials are longer than those of newborns.
    Contender,
    /// New individual, which gets short trials.
    #[default]
    Newborn,
    /// Individual that gets no further trials. It leaves the population after this generation.
    Dropped,
}

/// Genotype and tree, with ancestry and samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Individual {
    /// Identifier.
    pub id: Id,
    /// Mother and father; `None` for random trees and migrants.
    pub parents: Option<[Id; 2]>,
    /// Operator that produced the individual.
    pub operator: Operator,
    /// Generation in which the individual was created or immigrated.
    pub born: u32,
    /// Genotype, to which crossover and mutation apply.
    pub genotype: Genotype,
    /// Tree of the genotype, which robots run.
    pub tree: Tree,
    /// Fitness samples.
    pub samples: Samples,
    /// Mean fitness over the trials of the last generation.
    pub recent: f64,
    /// Stage in the algorithms `racing`, `median-stopping` and `f-race`.
    pub stage: Stage,
}

/// Individual sent to another island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Migrant {
    /// Identifier.
    pub id: Id,
    /// Tree, from which the receiving island derives a genotype.
    pub tree: Tree,
    /// Fitness samples so far.
    pub samples: Samples,
    /// Number of completed epochs of the sending island. Except in `racing`, an island accepts the migrant only if it
    /// has completed the same number of epochs.
    pub epoch: u32,
}

/// Reason why a migrant is rejected.
#[derive(Debug, thiserror::Error)]
pub enum MigrantError {
    /// The text is not a valid tree. The first line of the parser's message contains the position and the cause.
    #[error("migrant {0}: {why}", why = .1.to_string().lines().next().unwrap_or_default())]
    Tree(Id, ParseError),
    /// The tree is too large for a robot.
    #[error("migrant {0}: {1}")]
    Size(Id, CompileError),
    /// The counts and sums are impossible for any set of samples.
    #[error("migrant {0}: its samples are invalid")]
    Samples(Id),
    /// The tree uses a node, register or value that the primitive set does not allow.
    #[error(
        "migrant {0}: its tree uses nodes or registers that are not allowed here; give all islands one primitive set"
    )]
    NotAllowed(Id),
    /// No evolution is running on the receiving side.
    #[error("migrant {0}: no run is in progress")]
    NoRun(Id),
}

/// Migrant as plain values, in the form that programs exchange. The values are the island and the number of its [`Id`],
/// its epoch, its tree as text, and its samples. The samples are the counts, sums and sums of squares of both strata.
pub type MigrantValues<Text> = (u16, u32, u32, Text, ([u32; 2], [f64; 2], [f64; 2]));

impl Migrant {
    /// Validates a migrant from another program against the primitive set of the local islands. Robots and the hub
    /// accept only migrants that pass this check.
    ///
    /// # Errors
    /// Returns the errors of [`Migrant::check`], or an error if the tree uses primitives outside the set or if there is
    /// no set.
    pub fn admit(values: MigrantValues<&str>, set: Option<&PrimitiveSet>) -> Result<Migrant, MigrantError> {
        let migrant = Migrant::check(values)?;
        match set {
            Some(set) if set.allows(&migrant.tree) => Ok(migrant),
            Some(_) => Err(MigrantError::NotAllowed(migrant.id)),
            None => Err(MigrantError::NoRun(migrant.id)),
        }
    }

    /// Validates and converts a migrant. In contrast to [`Migrant::admit`], the tree is not compared with a primitive
    /// set.
    ///
    /// # Errors
    /// Returns an error if the text is not a valid tree, if the tree does not fit a robot, or if no set of samples has
    /// these counts and sums.
    pub fn check((island, number, epoch, tree, samples): MigrantValues<&str>) -> Result<Migrant, MigrantError> {
        let id = Id { island, number };
        let tree = Tree::parse(tree).map_err(|error| MigrantError::Tree(id, error))?;
        Footprint::of_tree(&tree.under_avoiding()).check().map_err(|error| MigrantError::Size(id, error))?;
        let samples = Samples::from_parts(samples.0, samples.1, samples.2).ok_or(MigrantError::Samples(id))?;
        Ok(Migrant { id, tree, samples, epoch })
    }

    /// Converts the migrant to plain values, which [`Migrant::check`] reads back.
    pub fn values(&self) -> MigrantValues<String> {
        (self.id.island, self.id.number, self.epoch, self.tree.to_string(), self.samples.parts())
    }
}
