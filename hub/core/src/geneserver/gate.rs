//! Validation of incoming genes, and a size limit for replies.

use std::collections::BTreeMap;
use xpuck_evolve::geneserver::Offer;
use xpuck_evolve::{Id, Migrant, MigrantError, PrimitiveSet};
use xpuck_wire::codec::MAX_BYTES;
use xpuck_wire::message::Emigrant;

/// Maximum number of senders with an individual counter of refused messages. All other senders share one counter.
const MAX_SENDERS: usize = 1000;
/// Maximum total size of the trees in a reply (bytes). The limit leaves room for the identifiers and samples, so that
/// the reply does not exceed the maximum message size.
const MAX_ANSWER: usize = MAX_BYTES / 2;

/// Admits genes that are valid for the islands, and counts the refused genes per sender.
#[derive(Clone, Debug)]
pub struct Gate {
    primitive_set: PrimitiveSet,
    refused: BTreeMap<String, u64>,
    others: u64,
}

impl Gate {
    /// Creates a gate that admits only trees of the given primitive set.
    pub fn new(primitive_set: PrimitiveSet) -> Gate {
        Gate { primitive_set, refused: BTreeMap::new(), others: 0 }
    }

    /// Validates a gene and returns the individual. A refusal is counted under the sender's name.
    ///
    /// # Errors
    /// Returns the error of [`Migrant::admit`].
    pub fn admit(&mut self, sender: &str, gene: &Emigrant) -> Result<Migrant, MigrantError> {
        Migrant::admit(gene.values(), Some(&self.primitive_set)).inspect_err(|_| self.count(sender))
    }

    /// Returns whether the primitive set contains every node and register of the individual's tree.
    pub fn allows(&self, migrant: &Migrant) -> bool {
        self.primitive_set.allows(&migrant.tree)
    }

    /// Counts a refusal that the caller has decided, such as an unreadable message.
    pub fn count(&mut self, sender: &str) {
        if self.refused.len() < MAX_SENDERS || self.refused.contains_key(sender) {
            *self.refused.entry(sender.into()).or_insert(0) += 1;
        } else {
            self.others += 1;
        }
    }

    /// Returns the number of refusals of one sender.
    pub fn refused_of(&self, sender: &str) -> u64 {
        self.refused.get(sender).copied().unwrap_or(0)
    }

    /// Returns the total number of refusals of all senders.
    pub fn refused(&self) -> u64 {
        self.refused.values().sum::<u64>() + self.others
    }
}

/// Converts emigrants to the form for messages, in the same order. The list is truncated so that it does not exceed
/// the size limit of a reply.
pub fn to_emigrants(emigrants: Vec<&Offer>) -> Vec<Emigrant> {
    let mut bytes = 0;
    let fits = |gene: &Emigrant| {
        bytes += gene.tree.len();
        bytes <= MAX_ANSWER
    };
    emigrants.into_iter().map(emigrant).take_while(fits).collect()
}

/// Converts an offer to a message for robots and workers.
fn emigrant(offer: &Offer) -> Emigrant {
    let Id { island, number } = offer.id;
    let (count, sum, square) = offer.samples.parts();
    Emigrant { island, number, epoch: offer.epoch, tree: offer.tree.to_string(), count, sum, square }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_evolve::Samples;
    use xpuck_kernels::tree::Tree;
    use xpuck_wire::message::ToWorker;

    fn gene(tree: &str) -> Emigrant {
        let tree = tree.into();
        Emigrant { island: 3, number: 7, epoch: 0, tree, count: [1, 0], sum: [0.1, 0.0], square: [0.01, 0.0] }
    }

    #[test]
    fn invalid_genes_are_rejected_with_sender() {
        let mut gate = Gate::new(PrimitiveSet::in_swarm());
        let large = format!("seq\n{}", "  successl\n".repeat(2100));
        let nan = Emigrant { sum: [f64::NAN, 0.0], ..gene("successl") };
        for (bad, expected) in [
            (gene("movcv v_gaol 3"), "migrant 3.7: line 1, column 7"),
            (gene(&large), "migrant 3.7: line 2049"),
            (gene("movcv v_blue 0deg"), "migrant 3.7: its tree uses nodes or registers that are not allowed"),
            (nan, "migrant 3.7: its samples are invalid"),
        ] {
            let error = gate.admit("island 3", &bad).unwrap_err().to_string();
            assert!(error.starts_with(expected) && error.lines().count() == 1, "{error}");
        }
        assert_eq!(gate.admit("island 4", &gene("successl")).unwrap().id, Id { island: 3, number: 7 });
        assert_eq!((gate.refused_of("island 3"), gate.refused_of("island 4"), gate.refused()), (4, 0, 4));
    }

    #[test]
    fn counts_are_bounded_however_many_senders_there_are() {
        let mut gate = Gate::new(PrimitiveSet::in_swarm());
        (0..3000).for_each(|i| gate.count(&i.to_string()));
        assert_eq!((gate.refused(), gate.refused.len()), (3000, MAX_SENDERS));
    }

    #[test]
    fn reply_fits_in_message_for_large_trees() {
        let text = format!("{}{}", "seq\n", "  mulas v_goal.y v_prox.x 6.55123 v_up.y\n".repeat(700));
        let tree = Tree::parse(&text).unwrap();
        let migrant = Migrant { id: Id { island: 1, number: 1 }, tree, samples: Samples::default(), epoch: 0 };
        let emigrant = Offer::new(1, 1, &migrant);
        let genes = to_emigrants(vec![&emigrant; 64]);
        assert!((8..64).contains(&genes.len()), "{}", genes.len());
        let answer = ToWorker::Immigrants { island: 1, generation: 1, immigrants: genes };
        assert!(xpuck_wire::codec::encode(&answer).len() < MAX_BYTES);
        assert_eq!(to_emigrants(vec![]), []);
    }
}
