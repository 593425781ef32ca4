//! Small functions of numbers.

use crate::cargo::scene::TICK;
use xpuck_kernels::math::min;
use xpuck_kernels::random::{Draws, normal_pair};

/// When a quantity that has these values at two times is zero between them.
pub(super) fn between(from: f64, to: f64, first: f32, last: f32) -> f64 {
    let (first, last) = (f64::from(first), f64::from(last));
    let share = if first == last { 1.0 } else { first / (first - last) };
    from + (to - from) * max_f64(0.0, min_f64(share, 1.0))
}

/// The first tick at which something `distance` away can be reached at `speed` per ms.
pub(super) fn later(now: u32, distance: f32, speed: f32) -> u32 {
    if speed == 0.0 {
        return u32::MAX;
    }
    let ticks = distance / speed * (1.0 / TICK as f32);
    now + TICK * (min(ticks, 1e6) as u32).max(1)
}

pub(super) fn max_f64(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

pub(super) fn min_f64(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// A normal deviate of a variance; nothing is drawn for none.
pub(super) fn gaussian(variance: f32, draws: &mut Draws) -> f32 {
    if variance == 0.0 { 0.0 } else { normal_pair(draws.word(), draws.word()).0 * variance.sqrt() }
}
