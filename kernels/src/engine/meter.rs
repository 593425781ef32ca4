//! Measurement of the simulation speed.

use std::collections::VecDeque;
use std::time::Duration;

/// Maximum number of completed generations in the average.
const GENERATIONS: usize = 8;

/// Simulated time and wall time over the last generations.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter {
    open: Spent,
    closed: VecDeque<Spent>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    robot_seconds: f64,
    seconds: f64,
}

impl Meter {
    /// Adds the simulated time of a batch and its wall time.
    pub fn add(&mut self, robot_seconds: f64, took: Duration) {
        self.open.robot_seconds += robot_seconds;
        self.open.seconds += took.as_secs_f64();
    }

    /// Ends a generation.
    pub fn close(&mut self) {
        if self.open.robot_seconds > 0.0 {
            self.closed.push_back(std::mem::take(&mut self.open));
            if self.closed.len() > GENERATIONS {
                self.closed.pop_front();
            }
        }
    }

    /// Returns the simulation speed (robot-seconds per second); 0 before the first batch. The current generation
    /// counts only until the first generation ends.
    pub fn r_acc(&self) -> f64 {
        let all = if self.closed.is_empty() { vec![self.open] } else { self.closed.iter().copied().collect() };
        let sum = |part: fn(&Spent) -> f64| all.iter().map(part).sum::<f64>();
        let seconds = sum(|spent| spent.seconds);
        if seconds > 0.0 { sum(|spent| spent.robot_seconds) / seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meter_averages_last_generations_only() {
        let second = Duration::from_secs(1);
        let mut meter = Meter::default();
        assert_eq!(meter.r_acc(), 0.0);
        meter.add(1e6, second);
        assert_eq!(meter.r_acc(), 1e6);
        meter.close();
        for _ in 0..GENERATIONS {
            meter.add(100.0, second);
            meter.add(300.0, second);
            meter.close();
        }
        meter.close();
        assert_eq!(meter.r_acc(), 200.0, "the first is forgotten, and an empty one does not count");
    }
}
