//! A grid of deadlines, and how late each was met.

use std::time::{Duration, Instant};

/// Bins of a [`Histogram`]: one for each microsecond below 8, then eight in every octave up to 16.8 s.
pub const BINS: usize = 176;

/// Times in bins that are at most an eighth wide.
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
    /// Counts one time; what is beyond the last bin counts there.
    pub fn record(&mut self, time: Duration) {
        let us = time.as_micros().min(u128::from(u32::MAX)) as u32;
        let octave = us.max(1).ilog2() as usize;
        let bin = if octave < 3 { us as usize } else { 8 * (octave - 3) + (us >> (octave - 3)) as usize };
        self.bins[bin.min(BINS - 1)] += 1;
        self.longest = self.longest.max(time);
    }

    /// Number of times recorded.
    pub fn count(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// The longest time recorded.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// A time that a part `part` (0..=1) of those recorded does not exceed: the upper end of its bin, and at most the
    /// longest. Zero if there are none.
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

    /// The bins that are not empty: upper end, us, and number of times.
    pub fn filled(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.bins.iter().enumerate().filter(|(_, count)| **count > 0).map(|(bin, count)| (upper_end(bin), *count))
    }
}

/// The first microsecond beyond a bin.
fn upper_end(bin: usize) -> u64 {
    match bin / 8 {
        0 => bin as u64 + 1,
        block => (bin as u64 % 8 + 9) << (block - 1),
    }
}

/// Deadlines on a grid. What was missed is counted and not made up for, so the grid does not drift.
#[derive(Clone, Debug)]
pub(super) struct Periods {
    /// The next deadline.
    pub due: Instant,
    period: Duration,
    began: Option<Instant>,
    /// Deadlines that passed by without a beginning before the next one.
    pub missed: u64,
    /// How late the others were met.
    pub lateness: Histogram,
    /// Longest time from one beginning to the next.
    pub longest_gap: Duration,
}

impl Periods {
    /// A grid with its first deadline at `due`.
    pub fn new(due: Instant, period: Duration) -> Periods {
        let (missed, longest_gap) = (0, Duration::ZERO);
        Periods { due, period, began: None, missed, lateness: Histogram::default(), longest_gap }
    }

    /// Begins the period that is due at `now`, and finds the next deadline.
    pub fn begin(&mut self, now: Instant) {
        let late = now.saturating_duration_since(self.due);
        let missed = (late.as_nanos() / self.period.as_nanos()) as u32;
        self.missed += u64::from(missed);
        self.due += self.period * (missed + 1);
        self.lateness.record(late);
        if let Some(before) = self.began.replace(now) {
            self.longest_gap = self.longest_gap.max(now.saturating_duration_since(before));
        }
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
    fn lateness_does_not_move_the_grid_and_missed_deadlines_are_counted() {
        let (start, ms) = (Instant::now(), Duration::from_millis);
        let mut periods = Periods::new(start, ms(5));
        for (now, due, missed) in [(0, 5, 0), (7, 10, 0), (10, 15, 0), (31, 35, 3), (35, 40, 3)] {
            periods.begin(start + ms(now));
            assert_eq!((periods.due - start, periods.missed), (ms(due), missed), "begun at {now} ms");
        }
        assert_eq!((periods.longest_gap, periods.lateness.longest()), (ms(21), ms(16)));
    }
}
