//! Fitness samples of a genotype, separately for the two strata of trials.

use serde::{Deserialize, Serialize};

/// Count, sum and sum of squares of the samples of each stratum (scenario A and B of the benchmark task).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    count: [u32; 2],
    sum: [f64; 2],
    square: [f64; 2],
}

impl Samples {
    /// Creates samples from the counts, sums and sums of squares that another island sends. `None` if the sums are
    /// impossible for any samples.
    pub fn from_parts(count: [u32; 2], sum: [f64; 2], square: [f64; 2]) -> Option<Samples> {
        let sound = |i: usize| {
            let (n, s, q) = (f64::from(count[i]), sum[i], square[i]);
            s.is_finite()
                && q.is_finite()
                && s * s <= n * q * (1.0 + 1e-9) + 1e-9
                && (n > 0.0 || (s == 0.0 && q == 0.0))
        };
        (sound(0) && sound(1)).then_some(Samples { count, sum, square })
    }

    /// Returns the counts, sums and sums of squares of both strata.
    pub fn parts(&self) -> ([u32; 2], [f64; 2], [f64; 2]) {
        (self.count, self.sum, self.square)
    }

    /// Adds a sample of the given stratum (0 or 1).
    pub fn add(&mut self, stratum: usize, fitness: f64) {
        self.count[stratum] += 1;
        self.sum[stratum] += fitness;
        self.square[stratum] += fitness * fitness;
    }

    /// Reduces the weight of each stratum to at most `most` samples, without changing the mean.
    pub fn limit_weight(&mut self, most: u32) {
        for i in 0..2 {
            if self.count[i] > most {
                let part = f64::from(most) / f64::from(self.count[i]);
                (self.count[i], self.sum[i], self.square[i]) = (most, self.sum[i] * part, self.square[i] * part);
            }
        }
    }

    /// Returns the number of samples of both strata.
    pub fn n(&self) -> u32 {
        self.count[0] + self.count[1]
    }

    /// Returns the stratum of the next sample: the one with fewer samples, or 0 if the numbers are equal.
    pub fn next_stratum(&self) -> usize {
        usize::from(self.count[0] > self.count[1])
    }

    /// Returns the mean fitness, with equal weight for each stratum; 0 if there are no samples.
    pub fn mean(&self) -> f64 {
        let mean = |i: usize| self.sum[i] / f64::from(self.count[i]);
        match self.count {
            [0, 0] => 0.0,
            [_, 0] => mean(0),
            [0, _] => mean(1),
            _ => (mean(0) + mean(1)) / 2.0,
        }
    }

    /// Returns the mean, scaled down if there are fewer than `full` samples (Eq. 8.1).
    pub fn derated(&self, full: u32) -> f64 {
        self.mean() * f64::from(self.n().min(full)) / f64::from(full)
    }

    /// Returns the standard deviation over all samples of both strata; 0 if there are fewer than two samples.
    pub fn deviation(&self) -> f64 {
        let n = f64::from(self.n());
        if n < 2.0 {
            return 0.0;
        }
        let (sum, square) = (self.sum[0] + self.sum[1], self.square[0] + self.square[1]);
        ((square - sum * sum / n).max(0.0) / (n - 1.0)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faded_samples_weigh_less_with_same_mean() {
        let mut s = Samples::default();
        [0.1, 0.5, 0.3, 0.4, 0.2].into_iter().for_each(|fitness| s.add(0, fitness));
        s.add(1, 0.6);
        let mean = s.mean();
        s.limit_weight(2);
        assert_eq!(s.parts().0, [2, 1]);
        assert!((s.mean() - mean).abs() < 1e-12);
        s.add(0, 0.0);
        assert!((s.mean() - (0.2 + 0.6) / 2.0).abs() < 1e-12);
        let (count, sum, square) = s.parts();
        assert!(Samples::from_parts(count, sum, square).is_some());
    }

    #[test]
    fn strata_alternate_and_weigh_the_same() {
        let mut s = Samples::default();
        for fitness in [0.1, 0.5, 0.3] {
            s.add(s.next_stratum(), fitness);
        }
        assert_eq!(s.parts().0, [2, 1]);
        assert!((s.mean() - 0.35).abs() < 1e-12);
        assert!((s.deviation() - 0.2).abs() < 1e-12);
    }

    #[test]
    fn impossible_parts_are_refused() {
        assert!(Samples::from_parts([2, 0], [1.0, 0.0], [0.6, 0.0]).is_some());
        assert!(
            Samples::from_parts([2, 0], [1.0, 0.0], [0.1, 0.0]).is_none(),
            "sum of squares below the least possible"
        );
        assert!(Samples::from_parts([0, 0], [1.0, 0.0], [1.0, 0.0]).is_none());
        assert!(Samples::from_parts([1, 0], [f64::NAN, 0.0], [1.0, 0.0]).is_none());
    }
}
