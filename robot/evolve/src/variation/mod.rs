//! Crossover and mutation. Whatever would not fit a robot is left as it was.
//!
//! Branches vary only with the same branch of the other parent (Koza 1994): main trees with main trees, a function with
//! the function of its number. A bit string has one-point crossover, and as its only mutation bits that turn over;
//! networks exchange whole neurons, and their weights move by steps whose size evolves with them.

mod dars;
mod koza;
mod rule_list;

pub(crate) use dars::mutate as mutate_once;
pub use dars::{exchange, replace_constant, replace_node};
pub use koza::crossover;
pub(crate) use koza::{mutate, mutate_gently};
pub(crate) use rule_list::vary;
pub use rule_list::{Change, change};

use crate::genotype::{Branch, Gene, Genotype};
use crate::space::Space;
use xpuck_kernels::random::Draws;

/// The branch of a gene chosen among all the genotype's; without a draw where there is only one.
fn any_branch(branches: &[Branch], draws: &mut Draws) -> usize {
    if branches.len() == 1 {
        return 0;
    }
    let all: usize = branches.iter().map(|b| b.genes().len()).sum();
    let mut place = draws.below(all as u32) as usize;
    branches
        .iter()
        .position(|b| {
            let here = place < b.genes().len();
            place = place.saturating_sub(b.genes().len());
            here
        })
        .unwrap_or(0)
}

/// The genotype with the subtree at `at` of one branch replaced, or `None` if that would not fit a robot.
fn graft(space: Space<'_>, branches: &[Branch], which: usize, at: usize, with: &[Gene]) -> Option<Genotype> {
    let grafted = |(i, branch): (usize, &Branch)| if i == which { branch.replace(at, with) } else { branch.clone() };
    let genotype = Genotype::Branches(branches.iter().enumerate().map(grafted).collect());
    space.fits(&genotype).then_some(genotype)
}

/// Changes numbers where the genotype is a string of bits or a network's weights, and says if it is.
fn mutate_numbers(space: Space<'_>, genotype: &mut Genotype, draws: &mut Draws) -> bool {
    let bits = match genotype {
        Genotype::Branches(_) => return false,
        Genotype::Bits(bits) => bits,
        Genotype::Network(weights) => {
            weights.mutate(space.settings.mutate_parameter, draws);
            return true;
        }
    };
    let mut mutant = bits.clone();
    mutant.mutate(space.settings.mutate_bit, draws);
    let mutant = Genotype::Bits(mutant);
    if space.fits(&mutant) {
        *genotype = mutant;
    }
    true
}
