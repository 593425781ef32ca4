//! Axis: conversion of numbers to pixels, and positions of its ticks.

/// Approximate number of ticks of an axis.
const TICKS: f64 = 6.0;

/// Numbers at the ends of an axis, and their pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Axis {
    /// Creates an axis from pixel `from` to pixel `to`. The range of the axis covers `numbers` and a small margin.
    pub(super) fn around(numbers: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Axis {
        let low = numbers.clone().fold(f64::INFINITY, f64::min);
        let high = numbers.fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let room = if high > low { 0.04 * (high - low) } else { low.abs().max(1.0) * 0.5 };
        Axis { low: low - room, high: high + room, from, to }
    }

    pub(super) fn pixel(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Returns the scale of the axis (units per pixel).
    pub(super) fn scale(&self) -> f64 {
        (self.high - self.low) / (self.to - self.from).abs()
    }

    /// Returns the axis with the given scale (units per pixel). The middle of its range is unchanged.
    pub(super) fn widened(&self, scale: f64) -> Axis {
        let (middle, half) = ((self.low + self.high) / 2.0, scale * (self.to - self.from).abs() / 2.0);
        Axis { low: middle - half, high: middle + half, ..*self }
    }

    /// Returns the positions of the ticks, and the number of decimals of their labels. The distance between ticks is 1,
    /// 2 or 5 times a power of ten, and at least `least`.
    pub(super) fn ticks(&self, least: f64) -> (Vec<f64>, usize) {
        let raw = ((self.high - self.low) / TICKS).max(least);
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= raw).unwrap_or(10.0 * power);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        // Adding zero turns a negative zero into a positive zero.
        ((first..=last).map(|i| i as f64 * step + 0.0).collect(), decimals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside_the_axis() {
        let axis = |low: f64, high: f64| Axis { low, high, from: 0.0, to: 1.0 };
        assert_eq!(axis(-0.04, 1.04).ticks(0.0), (vec![0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0], 1));
        assert_eq!(axis(0.0, 3640.0).ticks(0.0), (vec![0.0, 1000.0, 2000.0, 3000.0], 0));
        assert_eq!(axis(0.012, 0.0131).ticks(0.0).1, 4);
        assert_eq!(axis(0.5, 3.5).ticks(1.0), (vec![1.0, 2.0, 3.0], 0));
    }
}
