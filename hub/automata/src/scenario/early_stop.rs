//! Early stop of runs that are far behind the best.

use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_automata::cargo::{Arbitration, Setup, Trials, run_observed};
use xpuck_kernels::hash::fnv1a;

/// Early stop rule: at given times, runs are aborted that gained less than a share of the best's gain at that time.
/// An aborted run keeps its current score.
///
/// Gains are scores above the offset, which keeps scores positive. Applied to whole scores, Petrovic's 5 % would be
/// below the score of any run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyStop {
    /// Time of the first check (ms).
    pub after: u32,
    /// Interval of the following checks (ms), > 0.
    pub every: u32,
    /// Share of the best's gain (0..1).
    pub share: f64,
}

impl EarlyStop {
    /// Returns the minimum scores of a step whose best controller is `best`. Its profile is the minimum score of its
    /// runs at each time; these runs are simulated again, which does not count as an evaluation. Times without a gain
    /// of the best have no minimum.
    pub(super) fn checkpoints(&self, best: Arbitration, trials: &Trials) -> Vec<(u32, f64)> {
        let times = (self.after..trials.time).step_by(self.every.max(1) as usize);
        let mut profile: Vec<(u32, f64)> = times.map(|time| (time, f64::INFINITY)).collect();
        let seed = trials.seed ^ fnv1a(best.text().bytes());
        for start in 0..trials.starts {
            for repeat in 0..trials.repeats {
                let Trials { world, weights, time, .. } = *trials;
                let mut next = 0;
                run_observed(best, &Setup { world, weights, start, repeat, time, seed }, &[], |now, _, tally| {
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

/// Keys of an early stop rule; times are in seconds.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EarlyStopEntry {
    pub after: f64,
    pub every: f64,
    pub share: f64,
}
