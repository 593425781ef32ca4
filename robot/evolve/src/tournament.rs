//! Tournaments: the best of a few that are drawn.

use xpuck_kernels::random::Draws;

/// The greatest value of `size` that are drawn, with replacement, of the first `among`; the first drawn of equals wins.
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
