//! Parent selection.

use crate::tournament::tournament;
use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_kernels::random::Draws;

/// Method of parent selection.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// Fitness-proportional selection with linear scaling: the best individual gets this multiple of the mean share
    /// (1 to 10). GAlib, which Petrovic's report uses, scales in the same way, with 1.2 by default.
    Roulette(f64),
    /// Tournament of this size, 1 to 64.
    Tournament(u32),
}

/// Parent selection for one population: the method, and the data that it requires.
pub(super) struct Wheel {
    selection: Selection,
    fitness: Vec<f64>,
    /// Cumulative sums of the scaled fitness; empty for tournaments.
    sums: Vec<f64>,
}

impl Wheel {
    pub fn new(selection: Selection, fitness: Vec<f64>) -> Wheel {
        let mut sums = Vec::new();
        if let Selection::Roulette(scale) = selection {
            let n = fitness.len() as f64;
            let mean = fitness.iter().sum::<f64>() / n;
            let best = fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let worst = fitness.iter().copied().fold(f64::INFINITY, f64::min);
            // Shares are relative to the mean share. The best individual has the share `scale`, or a smaller share if
            // the worst individual's share would otherwise be negative.
            let rise = best - mean;
            let fall = mean - worst;
            let slope = match () {
                () if rise <= 0.0 => 0.0,
                () if (scale - 1.0) * fall <= rise => (scale - 1.0) / rise,
                () => 1.0 / fall,
            };
            let mut sum = 0.0;
            sums.extend(fitness.iter().map(|fitness| {
                sum += (1.0 + slope * (fitness - mean)).max(0.0);
                sum
            }));
        }
        Wheel { selection, fitness, sums }
    }

    /// Draws the index of a parent.
    pub fn choose(&self, draws: &mut Draws) -> usize {
        match self.selection {
            Selection::Roulette(_) => {
                let total = self.sums.last().copied().unwrap_or(0.0);
                let at = f64::from(draws.unit()) * total;
                self.sums.partition_point(|&sum| sum <= at).min(self.sums.len() - 1)
            }
            Selection::Tournament(size) => tournament(self.fitness.len(), size as usize, |at| self.fitness[at], draws),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::Stream;

    #[test]
    fn fittest_is_selected_at_expected_rate() {
        let wheel = Wheel::new(Selection::Roulette(1.5), vec![100.0, 101.0, 102.0, 105.0]);
        let mut draws = Draws::new(1, 0, 0, 0, Stream::Evolution);
        let chosen = (0..40_000).filter(|_| wheel.choose(&mut draws) == 3).count();
        assert!((f64::from(chosen as u32) / 10_000.0 - 1.5).abs() < 0.05, "{chosen}");
        let wheel = Wheel::new(Selection::Tournament(2), vec![1.0, 2.0]);
        let chosen = (0..40_000).filter(|_| wheel.choose(&mut draws) == 1).count();
        assert!((f64::from(chosen as u32) / 40_000.0 - 0.75).abs() < 0.02, "{chosen}");
    }
}
