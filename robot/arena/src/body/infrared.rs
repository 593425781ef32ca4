//! Readings of a robot's analogue-to-digital converter, with noise. Proximity readings follow a response curve that is
//! fitted to measurements.

use xpuck_kernels::model::PROX_RANGE;
use xpuck_kernels::random::{Draws, normal_pair};
use xpuck_registers::infrared::{Curve, MAX_COUNTS, Metres};

/// Standard deviation of a converter reading (counts). No source gives it; a few counts of 4096 are typical.
const NOISE_COUNTS: f32 = 2.0;

/// Returns a noisy 12-bit reading of a level (counts).
pub fn counts(level: f32, draws: &mut Draws) -> u16 {
    let noise = NOISE_COUNTS * normal_pair(draws.word(), draws.word()).0;
    (level + noise).round().clamp(0.0, f32::from(MAX_COUNTS)) as u16
}

/// Returns the reading of a proximity sensor with the response curve `curve` (counts). `proximity` is
/// 1 - distance/range, or exactly 0 if nothing is in range.
pub fn reflected(proximity: f32, curve: &Curve, draws: &mut Draws) -> u16 {
    // An object out of range reflects nothing, so its distance counts as infinite.
    let distance = if proximity > 0.0 { (1.0 - proximity) * PROX_RANGE } else { f32::INFINITY };
    counts(f32::from(curve.reading(Metres(distance)).0), draws)
}
