//! What robots say to each other: genes that one asks another for, and a controller's words.
//!
//! Who speaks is known by the key of the connection (CURVE), on which nothing that was recorded can be said again. An
//! answer names the question that it answers and the run that it is about, so a late one is told from a wanted one.

use crate::bytes::Bytes;
use crate::message::Emigrant;
use serde::{Deserialize, Serialize};

/// Longest message between robots that is read, bytes.
pub const MAX_PEER_BYTES: usize = 1 << 16;
/// Most bytes of trees in an answer: with names and samples it stays below [`MAX_PEER_BYTES`].
pub const MAX_GENE_BYTES: usize = 1 << 15;
/// Most genes in an answer, which is the most that `migration.keep` can be.
pub const MAX_GENES: usize = 64;
/// Longest words of a controller, bytes.
pub const MAX_WORDS: usize = 64;

/// Which run genes are of: the experiment's number and the run's seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunName {
    /// The experiment's number.
    pub number: u64,
    /// The run's seed.
    pub seed: u64,
}

/// From a robot to another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PeerMessage {
    /// Asks for the emigrants of a run.
    Ask {
        /// Comes back in the answer.
        number: u64,
        /// The run.
        run: RunName,
        /// Emigrants of later generations are wanted.
        after: u32,
    },
    /// The answer to [`PeerMessage::Ask`].
    Genes {
        /// The question's number.
        number: u64,
        /// The run.
        run: RunName,
        /// Generations that the answering island has done.
        generation: u32,
        /// Its recent emigrants, the oldest first, each with the generation that it led; at most [`MAX_GENES`], with
        /// trees of at most [`MAX_GENE_BYTES`] together.
        genes: Vec<(u32, Emigrant)>,
    },
    /// A controller's words to another's.
    Say {
        /// Session of the robot that speaks, drawn at its start.
        session: u64,
        /// Rises with all that it says.
        count: u64,
        /// At most [`MAX_WORDS`] bytes.
        bytes: Bytes,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{CodecError, decode, encode};

    #[test]
    fn messages_survive_the_wire_and_the_largest_answer_fits() {
        let run = RunName { number: u64::MAX, seed: u64::MAX };
        let tree = "x".repeat(MAX_GENE_BYTES / MAX_GENES);
        let gene = Emigrant {
            island: u16::MAX,
            number: u32::MAX,
            epoch: u32::MAX,
            tree,
            count: [u32::MAX; 2],
            sum: [0.1; 2],
            square: [0.1; 2],
        };
        let genes = vec![(u32::MAX, gene); MAX_GENES];
        for message in [
            PeerMessage::Ask { number: 1, run, after: 7 },
            PeerMessage::Genes { number: u64::MAX, run, generation: u32::MAX, genes },
            PeerMessage::Say { session: u64::MAX, count: u64::MAX, bytes: Bytes(vec![255; MAX_WORDS]) },
        ] {
            let bytes = encode(&message);
            assert!(bytes.len() <= MAX_PEER_BYTES, "{}", bytes.len());
            assert_eq!(decode::<PeerMessage>(&bytes).unwrap(), message);
        }
        let newer = serde_json::json!({"Sing": {"song": 3}});
        let bytes = [vec![crate::codec::VERSION + 1], rmp_serde::to_vec_named(&newer).unwrap()].concat();
        assert!(matches!(decode::<PeerMessage>(&bytes), Err(CodecError::Unknown(name)) if name == "Sing"));
    }
}
