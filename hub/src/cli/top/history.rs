//! Evolved fitness over the run, as far as it was watched.

use xpuck_wire::Status;

/// So many values make the whole run.
const VALUES: f64 = 240.0;

/// Values at equal distances.
#[derive(Debug, Default)]
pub struct History {
    values: Vec<f64>,
    /// Run seconds of the last one.
    at: f64,
    experiment: String,
}

impl History {
    /// Takes what the hub tells; a new run begins anew.
    pub fn take(&mut self, status: &Status) {
        if status.run_seconds < self.at || status.experiment != self.experiment {
            *self = History { experiment: status.experiment.clone(), ..History::default() };
        }
        let due = self.values.is_empty() || status.run_seconds - self.at >= (status.run_length / VALUES).max(1.0);
        if due && !status.experiment.is_empty() && status.evolved.is_finite() {
            self.values.push(status.evolved);
            self.at = status.run_seconds;
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
        [(0.0, 0.1), (1.0, 0.9), (4.0, 0.2), (8.0, -0.1)].into_iter().for_each(|(t, f)| history.take(&at(t, f)));
        assert_eq!(
            (history.newest(9), history.newest(2), history.best()),
            (vec![100, 200, 0], vec![200, 0], Some(0.2))
        );
        history.take(&at(0.0, 0.05));
        assert_eq!(history.newest(9), [50]);
        history.take(&Status::default());
        assert_eq!(history.newest(9), [0_u64; 0]);
    }
}
