//! Evolved fitness over the run, as far as it was watched.

use xpuck_wire::Status;

/// At most so many values are kept; a longer run has them at longer distances.
const VALUES: usize = 240;

/// Values at equal distances.
#[derive(Debug, Default)]
pub struct History {
    values: Vec<f64>,
    /// Run seconds of the last one.
    at: f64,
    /// Least distance, s.
    step: f64,
    experiment: String,
}

impl History {
    /// Takes what the hub tells; a new run begins anew.
    pub fn take(&mut self, status: &Status) {
        if status.run_seconds < self.at || status.experiment != self.experiment {
            *self = History { experiment: status.experiment.clone(), ..History::default() };
        }
        let due = self.values.is_empty() || status.run_seconds - self.at >= self.step.max(1.0);
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
            self.step = 2.0 * self.step.max(1.0);
        }
    }

    /// The newest values in thousandths, as many as there is room for; less than nothing is nothing.
    pub fn newest(&self, room: usize) -> Vec<u64> {
        let skipped = self.values.len().saturating_sub(room);
        self.values[skipped..].iter().map(|value| (value * 1e3).max(0.0) as u64).collect()
    }

    /// The best value.
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
        [(0.0, 0.1), (0.5, 0.9), (1.5, 0.2), (3.0, -0.1)].into_iter().for_each(|(t, f)| history.take(&at(t, f)));
        assert_eq!(
            (history.newest(9), history.newest(2), history.best()),
            (vec![100, 200, 0], vec![200, 0], Some(0.2))
        );
        history.take(&at(0.0, 0.05));
        assert_eq!(history.newest(9), [50]);
        (0..10_000).for_each(|second| history.take(&at(f64::from(second), 0.1)));
        assert!((100..=VALUES).contains(&history.newest(1000).len()), "{}", history.newest(1000).len());
        history.take(&Status::default());
        assert_eq!(history.newest(9), [0_u64; 0]);
    }
}
