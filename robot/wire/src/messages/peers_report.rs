//! What a robot tells the hub of its exchange with other robots.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// By what a robot knows who is in range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RangeBy {
    /// By range and bearing, now.
    #[default]
    Heard,
    /// By those that were heard just before range and bearing ended.
    Remembered,
    /// By the network: everybody who answers there.
    Network,
}

/// What a robot refused of others, by reason; counts since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PeerRefusals {
    /// Connections and messages with a key that is not enrolled, is revoked or is no robot's.
    pub keys: u64,
    /// Bytes that are no message, and words or answers that are too long.
    pub unreadable: u64,
    /// Genes that are no trees, do not fit a robot, have samples that cannot be, or use what evolution may not use here.
    pub genes: u64,
    /// Answers that nobody waited for, and words that came again.
    pub unasked: u64,
    /// Questions and answers about another run.
    pub other_run: u64,
    /// Messages of robots that are not in range.
    pub out_of_range: u64,
    /// Questions and words that came too fast, or while too many waited.
    pub too_many: u64,
}

impl PeerRefusals {
    /// All together.
    pub fn total(&self) -> u64 {
        let PeerRefusals { keys, unreadable, genes, unasked, other_run, out_of_range, too_many } = *self;
        [keys, unreadable, genes, unasked, other_run, out_of_range, too_many].iter().sum()
    }
}

/// How a robot's exchange with others stands; counts since its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PeersReport {
    /// The last generation that took in genes of others.
    pub generation: u32,
    /// Islands from which those came, one for each immigrant.
    #[schemars(length(max = 64))]
    pub from: Vec<u16>,
    /// Robots in range.
    pub in_range: u16,
    /// By what that is known.
    pub by: RangeBy,
    /// Questions asked.
    pub asked: u64,
    /// Questions that were answered.
    pub answered: u64,
    /// Sound genes that came.
    pub genes: u64,
    /// What was refused.
    pub refused: PeerRefusals,
}
