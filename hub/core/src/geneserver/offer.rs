//! Emigrant as stored by the geneserver, in about a hundred bytes, so that thousands of islands fit into memory.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xpuck_evolve::{Id, Migrant, Samples};
use xpuck_kernels::tree::Tree;
use xpuck_wire::message::Emigrant;

/// Individual that an island has offered to the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Plain", from = "Plain")]
pub struct Offer {
    /// Island that sent it, not necessarily the island of its birth.
    pub sender: u16,
    /// Generation of the sender.
    pub generation: u32,
    /// Identifier.
    pub id: Id,
    /// Epoch of the sender.
    pub epoch: u32,
    /// Samples so far.
    pub samples: Samples,
    /// Tree in text form; equal texts mean equal trees.
    pub tree: Arc<str>,
}

/// Serialised form of an emigrant: sender, generation, and individual, whose tree is validated on reading.
type Plain = (u16, u32, Migrant);

impl Offer {
    /// Creates the offer of `sender` after `generation`.
    pub fn new(sender: u16, generation: u32, migrant: &Migrant) -> Offer {
        let Migrant { id, epoch, samples, .. } = *migrant;
        Offer { sender, generation, id, epoch, samples, tree: migrant.tree.to_string().into() }
    }

    /// Converts the offer to an individual.
    pub fn migrant(&self) -> Migrant {
        let tree = Tree::parse(&self.tree).expect("made from a tree");
        Migrant { id: self.id, tree, samples: self.samples, epoch: self.epoch }
    }

    /// Converts the offer to a message for robots and workers.
    pub fn emigrant(&self) -> Emigrant {
        let Id { island, number } = self.id;
        let (count, sum, square) = self.samples.parts();
        Emigrant { island, number, epoch: self.epoch, tree: self.tree.to_string(), count, sum, square }
    }

    /// Whether it was not born on the island that sent it.
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
