//! Periodic deadlines at absolute times, so that lateness does not accumulate.

use crate::histogram::Histogram;
use std::time::Duration;

/// Timer with deadlines at a first time, and at whole multiples of a period after that time. All times are measured
/// from a start that the caller chooses.
#[derive(Clone, Debug)]
pub struct PeriodicTimer {
    period: Duration,
    due: Duration,
    began: Option<Duration>,
    missed: u64,
    late: Duration,
    lateness: Histogram,
    longest_gap: Duration,
}

impl PeriodicTimer {
    /// Creates a timer whose first deadline is `first`.
    pub fn new(first: Duration, period: Duration) -> PeriodicTimer {
        PeriodicTimer {
            period,
            due: first,
            began: None,
            missed: 0,
            late: Duration::ZERO,
            lateness: Histogram::default(),
            longest_gap: Duration::ZERO,
        }
    }

    /// Returns the time from `now` until the next deadline; 0 if the deadline has passed.
    pub fn remaining(&self, now: Duration) -> Duration {
        self.due.saturating_sub(now)
    }

    /// Returns whether the deadline has passed at `now`. If so, a new period starts, and the timer moves to the first
    /// deadline after `now`. Completely missed periods are counted and skipped.
    pub fn poll(&mut self, now: Duration) -> bool {
        if now < self.due {
            return false;
        }
        self.late = now - self.due;
        self.lateness.record(self.late);
        let whole = (self.late.as_nanos() / self.period.as_nanos().max(1)).try_into().unwrap_or(u32::MAX - 1);
        self.missed += u64::from(whole);
        self.due += self.period * (whole + 1);
        if let Some(before) = self.began.replace(now) {
            self.longest_gap = self.longest_gap.max(now.saturating_sub(before));
        }
        true
    }

    /// Returns the number of skipped periods.
    pub fn skipped(&self) -> u64 {
        self.missed
    }

    /// Returns the lateness of the last period's start.
    pub fn late(&self) -> Duration {
        self.late
    }

    /// Returns the histogram of the lateness of all periods.
    pub fn lateness(&self) -> &Histogram {
        &self.lateness
    }

    /// Returns the longest time between the starts of two consecutive periods.
    pub fn longest_gap(&self) -> Duration {
        self.longest_gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn lateness_does_not_add_up() {
        let mut pace = PeriodicTimer::new(100 * MS, 100 * MS);
        assert!(!pace.poll(99 * MS));
        assert!(pace.poll(130 * MS));
        assert_eq!((pace.late(), pace.remaining(130 * MS)), (30 * MS, 70 * MS));
        assert!(!pace.poll(199 * MS) && pace.poll(200 * MS));
        assert_eq!((pace.late(), pace.skipped(), pace.longest_gap()), (Duration::ZERO, 0, 70 * MS));
    }

    #[test]
    fn missed_periods_are_counted_and_skipped() {
        let mut pace = PeriodicTimer::new(100 * MS, 100 * MS);
        assert!(pace.poll(450 * MS));
        assert_eq!((pace.skipped(), pace.remaining(450 * MS)), (3, 50 * MS));
        assert!(!pace.poll(450 * MS) && pace.poll(500 * MS));
        assert_eq!(pace.lateness().longest(), 350 * MS);
    }
}
