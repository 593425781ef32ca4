//! Readings of a robot's analogue-to-digital converter: proximity by the fitted curve, plus noise.

use xpuck_kernels::model::PROX_RANGE;
use xpuck_kernels::random::{Draws, normal_pair};
use xpuck_registers::infrared::{Curve, MAX_COUNTS, Metres};

/// Standard deviation of a converter reading (counts). No source gives it; a few counts of 4096 are typical.
const NOISE_COUNTS: f32 = 2.0;

/// A noisy 12-bit reading of a level (counts).
pub fn counts(level: f32, draws: &mut Draws) -> u16 {
    let noise = NOISE_COUNTS * normal_pair(draws.word(), draws.word()).0;
    (level + noise).round().clamp(0.0, f32::from(MAX_COUNTS)) as u16
}

/// Reading of a sensor with this curve (counts). `proximity` is 1 - d/range, or exactly 0 if nothing is in range.
pub fn reflected(proximity: f32, curve: &Curve, draws: &mut Draws) -> u16 {
    // Out of range nothing is reflected: the distance is infinite, not the range of 30 mm.
    let distance = if proximity > 0.0 { (1.0 - proximity) * PROX_RANGE } else { f32::INFINITY };
    counts(f32::from(curve.reading(Metres(distance)).0), draws)
}
