//! Messages between robots: requests for genes, replies, and messages between controllers.
//!
//! The sender is identified by the connection's key (CURVE). The encryption also prevents replays. A reply contains the
//! number and the run of its request, so that a late reply is recognised.

use crate::bytes::Bytes;
use crate::message::Emigrant;
use serde::{Deserialize, Serialize};

/// Maximum length of a message between robots (bytes).
pub const MAX_PEER_BYTES: usize = 1 << 16;
/// Maximum total length of the trees in a reply (bytes). With the other fields of the genes, the reply stays below
/// [`MAX_PEER_BYTES`].
pub const MAX_GENE_BYTES: usize = 1 << 15;
/// Maximum number of genes in a reply, equal to the maximum of `migration.keep`.
pub const MAX_GENES: usize = 64;
/// Maximum length of a controller's message (bytes).
pub const MAX_WORDS: usize = 64;

/// Identification of the run to which genes belong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunName {
    /// Number of the experiment.
    pub number: u64,
    /// Seed of the run.
    pub seed: u64,
}

/// Message from one robot to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PeerMessage {
    /// Request for the emigrants of a run.
    Ask {
        /// Value that the reply repeats.
        number: u64,
        /// Run to which the genes belong.
        run: RunName,
        /// Generation; only emigrants of later generations are requested.
        after: u32,
    },
    /// Reply to [`PeerMessage::Ask`].
    Genes {
        /// Value from the request.
        number: u64,
        /// Run to which the genes belong.
        run: RunName,
        /// Number of completed generations of the replying island.
        generation: u32,
        /// Recent emigrants, the oldest first, each with its generation. There are at most [`MAX_GENES`], with trees
        /// of at most [`MAX_GENE_BYTES`] bytes in total.
        genes: Vec<(u32, Emigrant)>,
    },
    /// Message from one controller to another.
    Say {
        /// Session of the sender, drawn at the start of its program.
        session: u64,
        /// Number of the message in the sender's session, which increases with each message.
        count: u64,
        /// Contents, at most [`MAX_WORDS`] bytes.
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
