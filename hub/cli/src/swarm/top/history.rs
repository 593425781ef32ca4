//! Evolved fitness over the part of the run that was watched.

use xpuck_wire::Status;

/// Maximum number of values. If it is exceeded, every second value is removed and the interval is doubled.
const VALUES: usize = 240;

/// Values of the evolved fitness at equal intervals.
#[derive(Debug, Default)]
pub struct History {
    values: Vec<f64>,
    /// Run time of the last value (s).
    at: f64,
    /// Minimum interval between two values (s of run time). An interval below 1 s counts as 1 s.
    min_interval: f64,
    experiment: String,
}

impl History {
    /// Adds the evolved fitness of a status, if the minimum interval has passed. Clears the values when a new run
    /// begins.
    pub fn record(&mut self, status: &Status) {
        if status.run_seconds < self.at || status.experiment != self.experiment {
            *self = History { experiment: status.experiment.clone(), ..History::default() };
        }
        let due = self.values.is_empty() || status.run_seconds - self.at >= self.min_interval.max(1.0);
        if !due || status.experiment.is_empty() || !status.evolved.is_finite() {
            return;
        }
        self.values.push(status.evolved);
        self.at = status.run_seconds;
        if self.values.len() > VALUES {
            let mut place = 0;
            self.values.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.min_interval = 2.0 * self.min_interval.max(1.0);
        }
    }

    /// Returns the newest values in thousandths, at most `room` values. Negative values become 0.
    pub fn latest(&self, room: usize) -> Vec<u64> {
        let skipped = self.values.len().saturating_sub(room);
        self.values[skipped..].iter().map(|value| (value * 1e3).max(0.0) as u64).collect()
    }

    /// Returns the maximum of the values; `None` without values.
    pub fn best(&self) -> Option<f64> {
        self.values.iter().copied().reduce(f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_at_equal_distances_and_a_new_run_begins_anew() {
        let mut history = History::default();
        let at = |run_seconds, evolved| Status {
            experiment: "x".into(),
            run_length: 960.0,
            run_seconds,
            evolved,
            ..Status::default()
        };
        [(0.0, 0.1), (0.5, 0.9), (1.5, 0.2), (3.0, -0.1)].into_iter().for_each(|(t, f)| history.record(&at(t, f)));
        assert_eq!(
            (history.latest(9), history.latest(2), history.best()),
            (vec![100, 200, 0], vec![200, 0], Some(0.2))
        );
        history.record(&at(0.0, 0.05));
        assert_eq!(history.latest(9), [50]);
        (0..10_000).for_each(|second| history.record(&at(f64::from(second), 0.1)));
        assert!((100..=VALUES).contains(&history.latest(1000).len()), "{}", history.latest(1000).len());
        history.record(&Status::default());
        assert_eq!(history.latest(9), [0_u64; 0]);
    }
}
