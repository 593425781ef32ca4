//! Tournament selection.

use xpuck_kernels::random::Draws;

/// Draws `size` indices below `among`, with replacement, and returns the index with the greatest value. Of indices with
/// equal values, the first drawn is returned.
pub(crate) fn tournament(among: usize, size: usize, value: impl Fn(usize) -> f64, draws: &mut Draws) -> usize {
    let mut best = draws.below(among as u32) as usize;
    for _ in 1..size {
        let other = draws.below(among as u32) as usize;
        if value(other) > value(best) {
            best = other;
        }
    }
    best
}
