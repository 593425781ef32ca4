//! When something periodic is due: absolute deadlines, so that lateness never adds up.

use crate::histogram::Histogram;
use std::time::Duration;

/// Deadlines at a first moment and whole multiples of a period after it. Times are since a start that the user keeps.
#[derive(Clone, Debug)]
pub struct Pace {
    period: Duration,
    due: Duration,
    began: Option<Duration>,
    missed: u64,
    late: Duration,
    lateness: Histogram,
    longest_gap: Duration,
}

impl Pace {
    /// The first deadline is at `first`.
    pub fn new(first: Duration, period: Duration) -> Pace {
        Pace {
            period,
            due: first,
            began: None,
            missed: 0,
            late: Duration::ZERO,
            lateness: Histogram::default(),
            longest_gap: Duration::ZERO,
        }
    }

    /// Time left until the next deadline.
    pub fn left(&self, now: Duration) -> Duration {
        self.due.saturating_sub(now)
    }

    /// True if a deadline has come. Its period then counts as begun, and the next deadline is the next multiple that is
    /// not yet past: those that were missed altogether are counted, not made up for.
    pub fn begins(&mut self, now: Duration) -> bool {
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

    /// Periods that were left out.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// Lateness of the last beginning.
    pub fn late(&self) -> Duration {
        self.late
    }

    /// All latenesses.
    pub fn lateness(&self) -> &Histogram {
        &self.lateness
    }

    /// Longest time from one beginning to the next.
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
        let mut pace = Pace::new(100 * MS, 100 * MS);
        assert!(!pace.begins(99 * MS));
        assert!(pace.begins(130 * MS));
        assert_eq!((pace.late(), pace.left(130 * MS)), (30 * MS, 70 * MS));
        assert!(!pace.begins(199 * MS) && pace.begins(200 * MS));
        assert_eq!((pace.late(), pace.missed(), pace.longest_gap()), (Duration::ZERO, 0, 70 * MS));
    }

    #[test]
    fn what_was_missed_is_counted_and_left_out() {
        let mut pace = Pace::new(100 * MS, 100 * MS);
        assert!(pace.begins(450 * MS));
        assert_eq!((pace.missed(), pace.left(450 * MS)), (3, 50 * MS));
        assert!(!pace.begins(450 * MS) && pace.begins(500 * MS));
        assert_eq!(pace.lateness().longest(), 350 * MS);
    }
}
