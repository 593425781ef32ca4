//! Early stop of runs that are far behind the best controller.

use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_automata::cargo::{Arbitration, Setup, Trials, run_observed};
use xpuck_kernels::hash::fnv1a;

/// Early stop rule. At given times, a run is aborted if its gain is less than a given share of the best controller's
/// gain at that time. An aborted run keeps its current score.
///
/// A gain is the part of a score above the offset, a constant that keeps scores positive. If Petrovic's share of 5 %
/// were applied to whole scores, the limit would be below the score of any run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyStop {
    /// Time of the first check (ms).
    pub after: u32,
    /// Interval between two checks (ms), > 0.
    pub every: u32,
    /// Minimum gain as a share of the best controller's gain (0..=1).
    pub share: f64,
}

impl EarlyStop {
    /// Returns the times (ms) of checks and the minimum scores at these times. `best` is the best controller of the
    /// step. The lowest score of its runs at a time is the reference for that time. These runs are simulated here,
    /// which does not count as an evaluation. Times without a gain of `best` are omitted.
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

/// Keys of an early stop rule. Times are in seconds.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EarlyStopEntry {
    pub after: f64,
    pub every: f64,
    pub share: f64,
}
