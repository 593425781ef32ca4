//! The learning momentum: how much the best gains, and has gained of late.

use schemars::JsonSchema;
use serde::Deserialize;

/// From where the gain of a generation's best counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GainOver {
    /// From the generation before: where pooled evaluations lower the best and raise it again, each rise is a gain.
    #[default]
    Last,
    /// From the best so far in the step.
    Record,
}

/// The learning momentum after the first generation of a step.
pub fn first_momentum(best: f64) -> f64 {
    0.9 * best
}

/// The learning momentum after a later generation, whose best gained so much: phi of what it was, and the gain. A loss, as of
/// evaluations that are pooled, is no learning, and nothing that unlearns it either.
pub fn next_momentum(phi: f64, momentum: f64, gain: f64) -> f64 {
    phi * momentum + gain.max(0.0)
}
