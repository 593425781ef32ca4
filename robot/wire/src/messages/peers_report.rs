//! Report of a robot to the hub on the exchange of genes and messages with other robots.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Method by which a robot determines the robots in range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RangeBy {
    /// Range and bearing signals that are currently received.
    #[default]
    Heard,
    /// Last received range and bearing signals, for some time after the signals ended.
    Remembered,
    /// Replies over the network. Every robot that replies counts as in range.
    Network,
}

/// Rejections of other robots' messages by reason, counted since the robot's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PeerRefusals {
    /// Number of connections and messages with a key that is not enrolled, is revoked or does not belong to a robot.
    pub keys: u64,
    /// Number of messages that cannot be decoded or are too long.
    pub unreadable: u64,
    /// Number of invalid genes: not a valid tree, too large for a robot, with impossible samples, or with nodes that
    /// this robot's evolution does not allow.
    pub genes: u64,
    /// Number of unexpected replies and repeated messages.
    pub unasked: u64,
    /// Number of requests and replies about another run.
    pub other_run: u64,
    /// Number of messages of robots out of range.
    pub out_of_range: u64,
    /// Number of requests and messages that exceeded the rate limit or the capacity of the queue.
    pub too_many: u64,
}

impl PeerRefusals {
    /// Returns the sum of all counts.
    pub fn total(&self) -> u64 {
        let PeerRefusals { keys, unreadable, genes, unasked, other_run, out_of_range, too_many } = *self;
        [keys, unreadable, genes, unasked, other_run, out_of_range, too_many].iter().sum()
    }
}

/// State of a robot's exchange with other robots. Requests, genes and rejections are counted since the robot's start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PeersReport {
    /// Number of completed generations of the run, including generations without immigrants.
    pub generation: u32,
    /// Source islands of the immigrants after the last completed generation, one entry per immigrant.
    #[schemars(length(max = 64))]
    pub from: Vec<u16>,
    /// Number of robots in range.
    pub in_range: u16,
    /// Method that determined the robots in range.
    pub by: RangeBy,
    /// Number of requests sent.
    pub asked: u64,
    /// Number of requests answered.
    pub answered: u64,
    /// Number of valid genes received.
    pub genes: u64,
    /// Rejected messages of other robots.
    pub refused: PeerRefusals,
}
