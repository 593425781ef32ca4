//! When control updates are due: absolute deadlines, so that lateness never adds up.

use crate::histogram::Histogram;
use std::time::Duration;

/// Deadlines at whole multiples of a period after a start. Times are since that start.
#[derive(Clone, Debug)]
pub struct Pace {
    period: Duration,
    due: Duration,
    missed: u32,
    late_us: u32,
    lateness: Histogram,
}

impl Pace {
    /// The first deadline is one period after the start.
    pub fn new(period: Duration) -> Pace {
        Pace { period, due: period, missed: 0, late_us: 0, lateness: Histogram::default() }
    }

    /// Time left until the next update is due.
    pub fn left(&self, now: Duration) -> Duration {
        self.due.saturating_sub(now)
    }

    /// True if an update is due. It then counts as begun, and the next deadline is the next multiple of the period that
    /// is not yet past: updates that were missed altogether are counted, not made up for.
    pub fn begins(&mut self, now: Duration) -> bool {
        if now < self.due {
            return false;
        }
        let late = now - self.due;
        self.late_us = late.as_micros().try_into().unwrap_or(u32::MAX);
        self.lateness.add(self.late_us);
        let whole = (late.as_nanos() / self.period.as_nanos().max(1)).try_into().unwrap_or(u32::MAX - 1);
        self.missed = self.missed.saturating_add(whole);
        self.due += self.period * (whole + 1);
        true
    }

    /// Updates that were left out.
    pub fn missed(&self) -> u32 {
        self.missed
    }

    /// Lateness of the last update, us.
    pub fn late_us(&self) -> u32 {
        self.late_us
    }

    /// All latenesses.
    pub fn lateness(&self) -> &Histogram {
        &self.lateness
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn lateness_does_not_add_up() {
        let mut pace = Pace::new(100 * MS);
        assert!(!pace.begins(99 * MS));
        assert!(pace.begins(130 * MS));
        assert_eq!((pace.late_us(), pace.left(130 * MS)), (30_000, 70 * MS));
        assert!(!pace.begins(199 * MS) && pace.begins(200 * MS));
        assert_eq!((pace.late_us(), pace.missed()), (0, 0));
    }

    #[test]
    fn missed_updates_are_counted_and_left_out() {
        let mut pace = Pace::new(100 * MS);
        assert!(pace.begins(450 * MS));
        assert_eq!((pace.missed(), pace.left(450 * MS)), (3, 50 * MS));
        assert!(!pace.begins(450 * MS) && pace.begins(500 * MS));
        assert_eq!(pace.lateness().max_us(), 350_000);
    }
}
