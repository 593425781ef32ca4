//! Validation of messages from other robots. Because parsing of trees takes time, the shell validates messages outside
//! the control loop.

use xpuck_evolve::{Migrant, PrimitiveSet};
use xpuck_wire::peer::{MAX_GENE_BYTES, MAX_GENES, MAX_WORDS, PeerMessage, RunName};

/// Validated message from another robot.
#[derive(Clone, Debug, PartialEq)]
pub enum PeerInput {
    /// Request for emigrants.
    Ask {
        /// Number of the question.
        number: u64,
        /// Run to which the question belongs.
        run: RunName,
        /// Last generation of which the asking robot knows an emigrant. Emigrants of later generations are requested.
        after: u32,
    },
    /// Answer to a question.
    Genes {
        /// Number of the answered question.
        number: u64,
        /// Run to which the answer belongs.
        run: RunName,
        /// Last generation in which the sender's island offered an emigrant.
        generation: u32,
        /// Valid migrants, in order of age with the oldest one first. The number before each migrant is the generation
        /// in which it was offered.
        migrants: Vec<(u32, Migrant)>,
        /// Number of rejected genes, and the reason for the first rejection.
        refused: (u32, Option<String>),
    },
    /// Text from another robot's controller.
    Say {
        /// Session of the sender's program.
        session: u64,
        /// Number of the text, counted per session.
        count: u64,
        /// Bytes of the text, at most [`MAX_WORDS`].
        bytes: Vec<u8>,
    },
    /// Unreadable or oversized message, with the reason for its rejection.
    Nothing(String),
}

/// Validates another robot's message with the same checks as the hub. `primitive_set` defines the valid trees of this
/// robot's current run. If it is `None`, every gene is rejected.
pub fn open(message: PeerMessage, primitive_set: Option<&PrimitiveSet>) -> PeerInput {
    match message {
        PeerMessage::Ask { number, run, after } => PeerInput::Ask { number, run, after },
        PeerMessage::Say { bytes, .. } if bytes.0.len() > MAX_WORDS => {
            PeerInput::Nothing(format!("its text has {} bytes; at most {MAX_WORDS} are allowed", bytes.0.len()))
        }
        PeerMessage::Say { session, count, bytes } => PeerInput::Say { session, count, bytes: bytes.0 },
        PeerMessage::Genes { number, run, generation, genes } => {
            let bytes: usize = genes.iter().map(|(_, gene)| gene.tree.len()).sum();
            if genes.len() > MAX_GENES || bytes > MAX_GENE_BYTES {
                let count = genes.len();
                return PeerInput::Nothing(format!(
                    "it contains {count} genes with trees of {bytes} bytes, which exceeds the limits"
                ));
            }
            let (mut migrants, mut refused) = (Vec::new(), (0, None));
            for (at, gene) in genes {
                match Migrant::admit(gene.values(), primitive_set) {
                    Ok(migrant) => migrants.push((at, migrant)),
                    Err(why) => {
                        refused.0 += 1;
                        refused.1.get_or_insert_with(|| why.to_string());
                    }
                }
            }
            PeerInput::Genes { number, run, generation, migrants, refused }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::bytes::Bytes;
    use xpuck_wire::message::Emigrant;

    fn gene(tree: &str) -> Emigrant {
        let tree = tree.into();
        Emigrant { island: 3, number: 7, epoch: 0, tree, count: [1, 0], sum: [0.1, 0.0], square: [0.01, 0.0] }
    }

    fn answer(genes: Vec<Emigrant>) -> PeerMessage {
        let genes = genes.into_iter().map(|gene| (5, gene)).collect();
        PeerMessage::Genes { number: 1, run: RunName::default(), generation: 5, genes }
    }

    #[test]
    fn invalid_genes_are_dropped_and_valid_genes_pass() {
        let set = PrimitiveSet::in_swarm();
        let nan = Emigrant { sum: [f64::NAN, 0.0], ..gene("successl") };
        let too_large = gene(&format!("seq\n{}", "  avoiding\n".repeat(1500)));
        let bad = [gene("movcv v_gaol 3"), nan, gene("movcv v_blue 0deg"), too_large];
        for bad in &bad {
            let heard = open(answer(vec![bad.clone(), gene("successl")]), Some(&set));
            let PeerInput::Genes { migrants, refused: (1, Some(why)), .. } = heard else { panic!("{heard:?}") };
            assert!(migrants.len() == 1 && why.starts_with("migrant 3.7: ") && why.lines().count() == 1, "{why}");
        }
        let PeerInput::Genes { migrants, refused: (1, _), .. } = open(answer(vec![gene("successl")]), None) else {
            panic!()
        };
        assert!(migrants.is_empty());
    }

    #[test]
    fn oversized_messages_are_dropped() {
        let set = PrimitiveSet::in_swarm();
        let words = |n| PeerMessage::Say { session: 1, count: 1, bytes: Bytes(vec![7; n]) };
        assert!(matches!(open(words(MAX_WORDS), Some(&set)), PeerInput::Say { bytes, .. } if bytes.len() == MAX_WORDS));
        assert!(matches!(open(words(MAX_WORDS + 1), Some(&set)), PeerInput::Nothing(_)));
        assert!(matches!(open(answer(vec![gene("successl"); MAX_GENES + 1]), Some(&set)), PeerInput::Nothing(_)));
        assert!(matches!(open(answer(vec![gene(&"x".repeat(MAX_GENE_BYTES + 1))]), Some(&set)), PeerInput::Nothing(_)));
    }
}
