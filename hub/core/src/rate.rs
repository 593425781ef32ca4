//! Rate limiter for events. It passes a limited number of events per second.

/// Limiter for one kind of event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    /// Nominal time of the next event (s). An event may pass up to half an interval earlier.
    due: f64,
}

impl Rate {
    /// Returns whether an event at time `now` (s) passes at the maximum rate `hz` (Hz). Events that arrive at exactly
    /// this rate all pass, even with some jitter.
    pub fn allows(&mut self, now: f64, hz: f64) -> bool {
        let slack = 0.5 / hz;
        if now + slack < self.due {
            return false;
        }
        self.due = self.due.max(now - slack) + 1.0 / hz;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_limited_and_jitter_is_tolerated() {
        for hz in [30.0, 50.0, 60.0, 100.0, 250.0] {
            let mut rate = Rate::default();
            let went = (0..(10.0 * hz) as u32).filter(|i| rate.allows(f64::from(*i) / hz, 25.0)).count();
            assert!((245..=251).contains(&went), "{went} at {hz} Hz");
        }
        let mut rate = Rate::default();
        let uneven = |i: i32| f64::from(i) / 25.0 + if i % 2 == 0 { 0.008 } else { 0.0 };
        assert_eq!((0..250).filter(|i| rate.allows(uneven(*i), 25.0)).count(), 250);
        let mut rate = Rate::default();
        assert_eq!((0..200).filter(|i| rate.allows(f64::from(*i) / 20.0, 25.0)).count(), 200, "fewer all go");
    }
}
