//! Emigrant in the form in which the geneserver stores it. It takes about a hundred bytes, so that thousands of
//! islands fit into memory.

use crate::individual::{Id, Migrant};
use crate::samples::Samples;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xpuck_kernels::tree::Tree;

/// Individual that an island has offered to the other islands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Plain", from = "Plain")]
pub struct Offer {
    /// Island that sent the individual. It may differ from the island of birth.
    pub sender: u16,
    /// Generation of the sending island.
    pub generation: u32,
    /// Identifier of the individual.
    pub id: Id,
    /// Epoch of the sending island.
    pub epoch: u32,
    /// Fitness samples of the individual so far.
    pub samples: Samples,
    /// Tree in text form. Equal texts represent equal trees.
    pub tree: Arc<str>,
}

/// Serialised form of an offer: sender, generation and individual. The tree is validated on deserialisation.
type Plain = (u16, u32, Migrant);

impl Offer {
    /// Creates the offer of island `sender` after `generation`.
    pub fn new(sender: u16, generation: u32, migrant: &Migrant) -> Offer {
        let Migrant { id, epoch, samples, .. } = *migrant;
        Offer { sender, generation, id, epoch, samples, tree: migrant.tree.to_string().into() }
    }

    /// Converts the offer to an individual with a parsed tree.
    pub fn migrant(&self) -> Migrant {
        let tree = Tree::parse(&self.tree).expect("made from a tree");
        Migrant { id: self.id, tree, samples: self.samples, epoch: self.epoch }
    }

    /// Returns whether the individual was not born on the island that sent it.
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
