//! Individuals and what is known of where they came from.

use crate::genotype::Genotype;
use crate::primitive_set::PrimitiveSet;
use crate::samples::Samples;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use xpuck_kernels::tree::{CompileError, Footprint, ParseError, Tree};

/// An individual's name: unique over the swarm and the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// Drawn at random.
    Random,
    /// Crossover of two parents, then mutation.
    Crossover,
    /// A copy of one parent, then mutation; both parents are that one.
    Mutation,
    /// Came from another island.
    Migration,
}

/// How far an individual has come in a race; other algorithms know only newborns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Stage {
    /// Breeds.
    Elite,
    /// From another island or an earlier start; tried like the elite, but does not breed.
    Guest,
    /// In the last trials before the elite.
    Finalist,
    /// In longer trials.
    Contender,
    /// In short trials.
    #[default]
    Newborn,
}

/// A tree, its ancestry and its samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Individual {
    /// Its name.
    pub id: Id,
    /// Mother and father; none for random trees.
    pub parents: Option<[Id; 2]>,
    /// How it came to be.
    pub operator: Operator,
    /// The generation of its birth.
    pub born: u32,
    /// What varies.
    pub genotype: Genotype,
    /// The tree it stands for, which robots run.
    pub tree: Tree,
    /// What is known of its fitness.
    pub samples: Samples,
    /// Mean fitness in the last generation's trials.
    pub recent: f64,
    /// How far it has come.
    pub stage: Stage,
}

/// An individual on its way to another island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Migrant {
    /// Its name.
    pub id: Id,
    /// Its tree; the island that takes it in finds a genotype for it.
    pub tree: Tree,
    /// Its samples so far.
    pub samples: Samples,
    /// How often the island that sends it has started afresh; only islands that have as often take it in.
    pub epoch: u32,
}

/// Someone from outside who cannot be let in, and why.
#[derive(Debug, thiserror::Error)]
pub enum MigrantError {
    /// The text is no tree; the parser's first line says where and why.
    #[error("migrant {0}: {why}", why = .1.to_string().lines().next().unwrap_or_default())]
    Tree(Id, ParseError),
    /// The tree is too large for a robot.
    #[error("migrant {0}: {1}")]
    Size(Id, CompileError),
    /// The sums cannot be sums of samples.
    #[error("migrant {0}: its samples are impossible")]
    Samples(Id),
    /// A node, a register or a value that evolution may not use here.
    #[error(
        "migrant {0}: its tree uses nodes or registers that are not allowed here; give all islands one primitive set"
    )]
    NotAllowed(Id),
    /// Nobody evolves here.
    #[error("migrant {0}: there is no run that could take it")]
    NoRun(Id),
}

/// A migrant as plain values, as programs send it to each other: island and number of its birth, fresh starts of the
/// sender, its tree as text, and counts, sums and sums of squares of its samples of the two strata.
pub type MigrantValues<Text> = (u16, u32, u32, Text, ([u32; 2], [f64; 2], [f64; 2]));

impl Migrant {
    /// Checks what another program says of an individual, for islands whose trees are of this primitive set, if there are any:
    /// robots and the hub let in nobody who has not passed here.
    ///
    /// # Errors
    /// As [`Migrant::check`], if the tree uses what the primitive set has not, or if there is none.
    pub fn admit(values: MigrantValues<&str>, set: Option<&PrimitiveSet>) -> Result<Migrant, MigrantError> {
        let migrant = Migrant::check(values)?;
        match set {
            Some(set) if set.allows(&migrant.tree) => Ok(migrant),
            Some(_) => Err(MigrantError::NotAllowed(migrant.id)),
            None => Err(MigrantError::NoRun(migrant.id)),
        }
    }

    /// Reads an individual that was let in before, whatever its primitive set.
    ///
    /// # Errors
    /// If the text is no tree, the tree does not fit a robot, or the sums cannot be those of so many samples.
    pub fn check((island, number, epoch, tree, samples): MigrantValues<&str>) -> Result<Migrant, MigrantError> {
        let id = Id { island, number };
        let tree = Tree::parse(tree).map_err(|error| MigrantError::Tree(id, error))?;
        Footprint::of_tree(&tree.under_avoiding()).check().map_err(|error| MigrantError::Size(id, error))?;
        let samples = Samples::from_parts(samples.0, samples.1, samples.2).ok_or(MigrantError::Samples(id))?;
        Ok(Migrant { id, tree, samples, epoch })
    }

    /// As plain values, which [`Migrant::check`] reads back.
    pub fn values(&self) -> MigrantValues<String> {
        (self.id.island, self.id.number, self.epoch, self.tree.to_string(), self.samples.parts())
    }
}
