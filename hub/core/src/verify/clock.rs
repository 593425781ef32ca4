//! Estimates the offset between the clocks of the hub and a robot from timestamped messages.

/// Maximum drift between the clocks (s/s).
const DRIFT: f64 = 1e-4;
/// Increase of the clock offset above which the robot's program is assumed to have restarted with a new clock (s).
const ANOTHER: f64 = 10.0;

/// Estimated clock offset of one robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RobotClock {
    /// Upper bound of the lead of the hub's clock over the robot's clock (s), and the hub's time of this estimate
    /// (s).
    known: Option<(f64, f64)>,
}

impl RobotClock {
    /// Updates the estimate with a message that the robot sent at its own time `then` (s). The message arrived at the
    /// hub's time `now` (s).
    pub fn on_message(&mut self, then: f64, now: f64) {
        let sample = now - then;
        // The message with the least delay gives the best bound. The bound grows with time, because clocks may drift.
        let bound = self.known.map(|(ahead, at)| ahead + DRIFT * (now - at).max(0.0));
        if bound.is_none_or(|bound| sample < bound || sample > bound + ANOTHER) {
            self.known = Some((sample, now));
        }
    }

    /// Returns the upper bound of the hub's lead over the robot's clock (s); `None` before the first message.
    pub fn ahead(&self) -> Option<f64> {
        self.known.map(|(ahead, _)| ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fastest_message_bounds_offset_with_drift() {
        let mut clock = RobotClock::default();
        assert_eq!(clock.ahead(), None);
        for (then, now, ahead) in [(0.0, 5.2, 5.2), (1.0, 6.1, 5.1), (2.0, 7.3, 5.1), (3000.0, 8005.0, 5005.0)] {
            clock.on_message(then, now);
            assert!((clock.ahead().unwrap() - ahead).abs() < 1e-9, "{clock:?}");
        }
    }
}
