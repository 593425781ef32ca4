//! Variation of bodies and brains. Mutation follows either the specification in pyro-corpus's README or the
//! implementation in its code.

mod body;
mod brain;
mod cross;
mod mirror;

pub use body::{MutationRules, mutate, random_body};
pub use brain::{draw_own_period, inherit, inherit_both, mutate_brain, mutate_period, nudge_brain, vary_brain};
pub use cross::{Graft, cross};
pub use mirror::{half_of_body, mirror_brain, mirrored_body};

use xpuck_kernels::random::Draws;

/// Draws an element with equal probabilities.
fn choose<T: Copy>(draws: &mut Draws, among: &[T]) -> T {
    among[draws.below(among.len() as u32) as usize]
}

/// Draws an index with probabilities proportional to the weights.
fn weighted(draws: &mut Draws, weights: &[f32]) -> usize {
    let mut left = draws.unit() * weights.iter().sum::<f32>();
    for (number, weight) in weights.iter().enumerate() {
        if left < *weight {
            return number;
        }
        left -= weight;
    }
    weights.len() - 1
}
