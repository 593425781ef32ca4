//! How late the control loop is: a histogram of fixed size with two bins an octave, from 16 us to half a second.

use xpuck_wire::telemetry::LATENESS_BINS;

/// Upper edge of the first bin, us.
const FIRST: f64 = 16.0;

/// Counts of latenesses. Bin 0 holds those below 16 us, bin i those below 16 us times the square root of 2 to the i, and
/// the last one all from 0.52 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    bins: [u32; LATENESS_BINS],
    max_us: u32,
}

impl Histogram {
    /// Counts a lateness, us.
    pub fn add(&mut self, us: u32) {
        let bin = &mut self.bins[bin_of(us)];
        *bin = bin.saturating_add(1);
        self.max_us = self.max_us.max(us);
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
            *mine = mine.saturating_add(*theirs);
        }
        self.max_us = self.max_us.max(other.max_us);
    }

    /// A bound that this part, 0..=1, of all latenesses keep, us: the upper edge of a bin, or the greatest of all if that
    /// is less. At most 41 % too large; 0 with nothing counted.
    pub fn percentile(&self, part: f64) -> u32 {
        let total: u64 = self.bins.iter().map(|n| u64::from(*n)).sum();
        let wanted = (part.clamp(0.0, 1.0) * total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (i, n) in self.bins.iter().enumerate() {
            seen += u64::from(*n);
            if seen >= wanted && i + 1 < LATENESS_BINS {
                return (upper_edge(i).ceil() as u32).min(self.max_us);
            }
        }
        self.max_us
    }

    /// The counts.
    pub fn bins(&self) -> [u32; LATENESS_BINS] {
        self.bins
    }

    /// The greatest lateness, us.
    pub fn max_us(&self) -> u32 {
        self.max_us
    }
}

/// Upper edge of a bin that is not the last, us.
fn upper_edge(bin: usize) -> f64 {
    FIRST * (bin as f64 / 2.0).exp2()
}

fn bin_of(us: u32) -> usize {
    // The float only finds the neighbourhood; the edges themselves decide.
    let near = (2.0 * (f64::from(us.max(1)) / FIRST).log2()).floor().max(0.0) as usize;
    let last = LATENESS_BINS - 1;
    (near..last).find(|bin| f64::from(us) < upper_edge(*bin)).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lateness_is_below_its_bins_edge_and_not_below_the_one_before() {
        for us in (0..2_000).chain((2_000..700_000).step_by(997)).chain([u32::MAX]) {
            let bin = bin_of(us);
            assert!(bin == LATENESS_BINS - 1 || f64::from(us) < upper_edge(bin), "{us} in {bin}");
            assert!(bin == 0 || f64::from(us) >= upper_edge(bin - 1), "{us} in {bin}");
        }
    }

    #[test]
    fn percentiles_bound_what_was_counted() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.percentile(0.99), 0);
        (0..990).for_each(|_| histogram.add(100));
        (0..10).for_each(|_| histogram.add(9_000));
        assert!((100..=142).contains(&histogram.percentile(0.5)));
        assert!((100..=142).contains(&histogram.percentile(0.99)));
        assert_eq!(histogram.percentile(0.999), 9_000, "no later than the latest");
        assert_eq!(histogram.max_us(), 9_000);
    }

    #[test]
    fn merging_is_counting_both() {
        let (mut one, mut two, mut both) = (Histogram::default(), Histogram::default(), Histogram::default());
        for us in [3, 70, 70, 5_000_000] {
            one.add(us);
            both.add(us);
        }
        for us in [15, 16, 40_000] {
            two.add(us);
            both.add(us);
        }
        one.merge(&two);
        assert_eq!(one, both);
        assert_eq!(both.percentile(1.0), 5_000_000);
    }
}
