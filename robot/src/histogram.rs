//! Histogram of durations with a fixed number of bins, for the lateness of deadlines.

use std::time::Duration;
use xpuck_wire::telemetry::LATENESS_BINS;

/// Upper edge of the first bin in telemetry (us). Each further edge is the previous edge times sqrt(2).
const FIRST: f64 = 16.0;

/// Number of bins of a [`Histogram`]: one per microsecond below 8 us, then eight per octave up to 16.8 s.
pub const BINS: usize = 176;

/// Histogram of durations. From 8 us, the width of a bin is at most an eighth of its lower end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    bins: [u64; BINS],
    longest: Duration,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { bins: [0; BINS], longest: Duration::ZERO }
    }
}

impl Histogram {
    /// Records a duration. The last bin also counts all larger values.
    pub fn record(&mut self, time: Duration) {
        let us = time.as_micros().min(u128::from(u32::MAX)) as u32;
        let octave = us.max(1).ilog2() as usize;
        let bin = if octave < 3 { us as usize } else { 8 * (octave - 3) + (us >> (octave - 3)) as usize };
        self.bins[bin.min(BINS - 1)] += 1;
        self.longest = self.longest.max(time);
    }

    /// Returns the number of recorded durations.
    pub fn count(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// Returns the longest recorded duration.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// Returns the quantile `part` (0..=1) of the recorded durations. The result is the upper end of the quantile's
    /// bin, but at most the longest duration. Returns 0 if nothing was recorded.
    pub fn quantile(&self, part: f64) -> Duration {
        let wanted = (part * self.count() as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bin, count) in self.bins.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Duration::from_micros(upper_end(bin)).min(self.longest);
            }
        }
        self.longest
    }

    /// Converts the counts to the bins of telemetry, two per octave from 16 us to half a second. Each count is added to
    /// the telemetry bin that contains the midpoint of the count's own bin.
    pub fn telemetry(&self) -> [u32; LATENESS_BINS] {
        let mut bins = [0u32; LATENESS_BINS];
        for (bin, count) in self.bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            let lower = bin.checked_sub(1).map_or(0, upper_end);
            let told = &mut bins[telemetry_bin((lower + upper_end(bin)) as f64 / 2.0)];
            *told = told.saturating_add((*count).try_into().unwrap_or(u32::MAX));
        }
        bins
    }

    /// Returns the upper end (us) and the count of each non-empty bin.
    pub fn filled(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.bins.iter().enumerate().filter(|(_, count)| **count > 0).map(|(bin, count)| (upper_end(bin), *count))
    }
}

/// Returns the index of the telemetry bin for a duration (us).
fn telemetry_bin(us: f64) -> usize {
    (0..LATENESS_BINS - 1).find(|bin| us < FIRST * (*bin as f64 / 2.0).exp2()).unwrap_or(LATENESS_BINS - 1)
}

/// Returns the upper end of a bin, exclusive (us).
fn upper_end(bin: usize) -> u64 {
    match bin / 8 {
        0 => bin as u64 + 1,
        block => (bin as u64 % 8 + 9) << (block - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_one_another_and_hold_what_they_say() {
        for us in (0..100_000).chain([1 << 20, (1 << 24) - 1, 1 << 24, u64::from(u32::MAX)]) {
            let mut histogram = Histogram::default();
            histogram.record(Duration::from_micros(us));
            let (end, count) = histogram.filled().next().unwrap();
            assert_eq!(count, 1);
            if us < 1 << 24 {
                assert!(us < end && end - us <= us / 8 + 1, "{us} us in the bin up to {end} us");
            }
            assert_eq!((histogram.count(), histogram.longest()), (1, Duration::from_micros(us)));
        }
        assert_eq!(upper_end(BINS - 1), 1 << 24);
    }

    #[test]
    fn quantiles_are_never_too_small() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.5), Duration::ZERO);
        (1..=1000).for_each(|us| histogram.record(Duration::from_micros(us)));
        for (part, exact) in [(0.0, 1), (0.5, 500), (0.99, 990), (0.999, 999), (1.0, 1000)] {
            let found = histogram.quantile(part).as_micros() as u64;
            assert!(found >= exact && found <= exact + exact / 8 + 1, "{part}: {found}");
        }
    }

    #[test]
    fn telemetry_gets_every_time_within_an_eighth_of_its_bin() {
        for us in (0..2_000).chain((2_000..700_000).step_by(997)).chain([1 << 24]) {
            let mut histogram = Histogram::default();
            histogram.record(Duration::from_micros(us));
            let bins = histogram.telemetry();
            let bin = bins.iter().position(|n| *n == 1).unwrap();
            let edge = |bin: usize| FIRST * (bin as f64 / 2.0).exp2();
            assert!(bin == LATENESS_BINS - 1 || (us as f64) < edge(bin) * 1.125, "{us} in {bin}");
            assert!(bin == 0 || us as f64 * 1.125 >= edge(bin - 1), "{us} in {bin}");
        }
        assert_eq!(Histogram::default().telemetry(), [0; LATENESS_BINS]);
    }
}
