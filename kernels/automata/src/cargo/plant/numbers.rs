//! Numeric helper functions.

use crate::cargo::scene::TICK;
use xpuck_kernels::math::min;
use xpuck_kernels::random::{Draws, normal_pair};

/// Returns the time between `from` and `to` at which a linear quantity is zero. The quantity is `first` at time `from`,
/// and `last` at time `to`.
pub(super) fn between(from: f64, to: f64, first: f32, last: f32) -> f64 {
    let (first, last) = (f64::from(first), f64::from(last));
    let share = if first == last { 1.0 } else { first / (first - last) };
    from + (to - from) * max_f64(0.0, min_f64(share, 1.0))
}

/// Returns the last tick at which at most `distance` has been covered at `speed` (1/ms), but at least the next tick.
/// Returns `u32::MAX` if the speed is 0.
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

/// Returns a normally distributed random number with mean 0 and the given variance. Draws no random number if the
/// variance is 0.
pub(super) fn gaussian(variance: f32, draws: &mut Draws) -> f32 {
    if variance == 0.0 { 0.0 } else { normal_pair(draws.word(), draws.word()).0 * variance.sqrt() }
}
