//! Simulated test bench with infrared sensors in front of a white card (Fig. 7.4).

use super::normal;
use crate::infrared::Reading;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::infrared::{Curve, MAX_COUNTS};

/// Properties of the bench's sensors.
#[derive(Clone, Copy, Debug)]
pub struct InfraredBench {
    /// Reading as a function of distance, averaged over the sensors.
    pub curve: Curve,
    /// Standard deviation of the factors by which sensors scale the curve; their mean is 1.
    pub scale_spread: f32,
    /// Standard deviation of the sensors' offsets, whose mean is 0 (counts).
    pub offset_spread: f32,
    /// Standard deviation of the noise of each reading (counts).
    pub noise: f32,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Returns readings of eight sensors at distances of 0 to 30 mm from the card, in steps of 0.25 mm.
pub fn infrared(bench: &InfraredBench) -> Vec<Reading> {
    let mut draws = Draws::new(bench.seed, 0, 0, 0, Stream::Start);
    let mut sensors = [(0.0, 0.0); 8]
        .map(|_: (f32, f32)| (1.0 + normal(&mut draws) * bench.scale_spread, normal(&mut draws) * bench.offset_spread));
    // Scales and offsets are normalised, so that the sensors' mean reading follows the curve.
    let mean = |of: fn(&(f32, f32)) -> f32| sensors.iter().map(of).sum::<f32>() / 8.0;
    let (scale, offset) = (mean(|s| s.0), mean(|s| s.1));
    sensors.iter_mut().for_each(|s| *s = (s.0 / scale, s.1 - offset));
    let mut readings = Vec::new();
    for (sensor, (scale, offset)) in (1..).zip(sensors) {
        for step in 0..=120 {
            let distance = step as f32 * 0.25e-3;
            let counts = scale * bench.curve.counts(distance) + offset + normal(&mut draws) * bench.noise;
            let raw = counts.round().clamp(0.0, f32::from(MAX_COUNTS)) as u16;
            readings.push(Reading { sensor, distance_m: f64::from(step) * 0.25e-3, raw });
        }
    }
    readings
}
