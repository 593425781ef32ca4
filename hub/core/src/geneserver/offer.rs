//! An individual as the geneserver keeps it: some hundred bytes, so that many thousand islands fit.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xpuck_evolve::{Id, Migrant, Samples};
use xpuck_kernels::tree::Tree;
use xpuck_wire::message::Emigrant;

/// An individual that an island offered to the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Plain", from = "Plain")]
pub struct Offer {
    /// The island that sent it, which need not be where it was born.
    pub sender: u16,
    /// The sender's generation.
    pub generation: u32,
    /// Its name.
    pub id: Id,
    /// The sender's epoch.
    pub epoch: u32,
    /// Its samples so far.
    pub samples: Samples,
    /// The genotype as text, as trees are written; equal texts mean equal trees.
    pub tree: Arc<str>,
}

/// What is written of an emigrant: sender, generation, and the individual, whose tree is checked when it is read.
type Plain = (u16, u32, Migrant);

impl Offer {
    /// An individual that `sender` offers after `generation`.
    pub fn new(sender: u16, generation: u32, migrant: &Migrant) -> Offer {
        let Migrant { id, epoch, samples, .. } = *migrant;
        Offer { sender, generation, id, epoch, samples, tree: migrant.tree.to_string().into() }
    }

    /// The individual.
    pub fn migrant(&self) -> Migrant {
        let tree = Tree::parse(&self.tree).expect("made from a tree");
        Migrant { id: self.id, tree, samples: self.samples, epoch: self.epoch }
    }

    /// What a robot or a worker gets of it.
    pub fn emigrant(&self) -> Emigrant {
        let Id { island, number } = self.id;
        let (count, sum, square) = self.samples.parts();
        Emigrant { island, number, epoch: self.epoch, tree: self.tree.to_string(), count, sum, square }
    }

    /// Born elsewhere than on the island that sent it.
    pub fn is_foreign(&self) -> bool {
        self.id.island != self.sender
    }
}

impl From<Offer> for Plain {
    fn from(emigrant: Offer) -> Plain {
        (emigrant.sender, emigrant.generation, emigrant.migrant())
    }
}

impl From<Plain> for Offer {
    fn from((sender, generation, migrant): Plain) -> Offer {
        Offer::new(sender, generation, &migrant)
    }
}
