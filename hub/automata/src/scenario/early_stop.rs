//! Giving up runs that are far behind the best.

use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_automata::cargo::{Arbitration, Setup, Trials, watch};
use xpuck_kernels::hash::fnv1a;

/// When runs are given up: at times, those that gained less than a share of what the best had gained at that time. A run that is
/// given up keeps the score that it has.
///
/// Gains are scores above the offset, which is there to keep scores above 0: of whole scores, the document's 5 % would be below
/// what any run has under its offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyStop {
    /// The first time, ms.
    pub after: u32,
    /// How long it is to the next, ms, above 0.
    pub every: u32,
    /// The share of the best's gain, 0 to 1.
    pub share: f64,
}

impl EarlyStop {
    /// The least scores that a step asks for whose best is this controller. Its profile is the least score of its runs at each
    /// time; they are the runs that it was tried in, and are run again for it, which is no evaluation. Where the best had gained
    /// nothing, nothing is asked for.
    pub(super) fn checkpoints(&self, best: Arbitration, trials: &Trials) -> Vec<(u32, f64)> {
        let times = (self.after..trials.time).step_by(self.every.max(1) as usize);
        let mut profile: Vec<(u32, f64)> = times.map(|time| (time, f64::INFINITY)).collect();
        let seed = trials.seed ^ fnv1a(best.text().bytes());
        for start in 0..trials.starts {
            for repeat in 0..trials.repeats {
                let Trials { world, weights, time, .. } = *trials;
                let mut next = 0;
                watch(best, &Setup { world, weights, start, repeat, time, seed }, &[], |now, _, tally| {
                    let score = weights.score(tally);
                    while let Some((_, least)) = profile.get_mut(next).filter(|(time, _)| *time <= now) {
                        *least = least.min(score);
                        next += 1;
                    }
                });
            }
        }
        let offset = trials.weights.offset;
        profile.retain(|&(_, least)| least > offset && least.is_finite());
        profile.into_iter().map(|(time, least)| (time, offset + self.share * (least - offset))).collect()
    }
}

/// The keys of an early stop; times in s.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EarlyStopEntry {
    pub after: f64,
    pub every: f64,
    pub share: f64,
}
