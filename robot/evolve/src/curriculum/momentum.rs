//! Learning momentum: a decaying sum of the gains of the best fitness.

use schemars::JsonSchema;
use serde::Deserialize;

/// Reference from which the gain of a generation's best fitness is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GainOver {
    /// Best fitness of the previous generation. If pooled evaluations lower the best fitness and raise it again, each
    /// rise counts as a gain.
    #[default]
    Last,
    /// Best fitness in the step since its start or last restart.
    Record,
}

/// Returns the learning momentum after the first generation of a step, or after a restart.
pub fn first_momentum(best: f64) -> f64 {
    0.9 * best
}

/// Returns the learning momentum after a later generation: `phi` times the previous momentum, plus the gain of the best
/// fitness. A negative gain, which pooled evaluations can cause, counts as zero.
pub fn next_momentum(phi: f64, momentum: f64, gain: f64) -> f64 {
    phi * momentum + gain.max(0.0)
}
