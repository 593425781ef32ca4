//! By how much the hub's clock is ahead of a robot's, from messages that tell when they were made.

/// A robot's clock may gain so much on the hub's, s in a second.
const DRIFT: f64 = 1e-4;
/// What is farther off than this is the clock of another program of the robot, s.
const ANOTHER: f64 = 10.0;

/// What is known of one robot's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RobotClock {
    /// By how much the hub's is ahead, at most, s, and when that was found.
    known: Option<(f64, f64)>,
}

impl RobotClock {
    /// Something that the robot said at its own time `then` came at the hub's time `now`, s.
    pub fn heard(&mut self, then: f64, now: f64) {
        let sample = now - then;
        // The message that took least on its way tells most; clocks may drift.
        let bound = self.known.map(|(ahead, at)| ahead + DRIFT * (now - at).max(0.0));
        if bound.is_none_or(|bound| sample < bound || sample > bound + ANOTHER) {
            self.known = Some((sample, now));
        }
    }

    /// By how much the hub's clock is ahead, at most, s; none before anything was heard.
    pub fn ahead(&self) -> Option<f64> {
        self.known.map(|(ahead, _)| ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quickest_message_tells_most_until_clocks_may_have_drifted() {
        let mut clock = RobotClock::default();
        assert_eq!(clock.ahead(), None);
        for (then, now, ahead) in [(0.0, 5.2, 5.2), (1.0, 6.1, 5.1), (2.0, 7.3, 5.1), (3000.0, 8005.0, 5005.0)] {
            clock.heard(then, now);
            assert!((clock.ahead().unwrap() - ahead).abs() < 1e-9, "{clock:?}");
        }
    }
}
