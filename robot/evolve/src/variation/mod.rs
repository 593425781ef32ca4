//! Crossover and mutation. A change whose result would not fit a robot is discarded.
//!
//! A branch is crossed only with the corresponding branch of the other parent (Koza 1994). This is the main tree for a
//! main tree, and the function with the same index for a function. Bit strings have one-point crossover, and bit
//! inversion as the only mutation. Networks exchange whole neurons, and mutation changes weights by random steps whose
//! size also evolves.

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

/// Draws a random gene from the genes of all branches, and returns the index of the gene's branch. With a single
/// branch, no random number is drawn.
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

/// Returns the genotype in which `with` replaces the subtree at gene `at` of branch `which`. `None` if the result would
/// not fit a robot.
fn graft(space: Space<'_>, branches: &[Branch], which: usize, at: usize, with: &[Gene]) -> Option<Genotype> {
    let grafted = |(i, branch): (usize, &Branch)| if i == which { branch.replace(at, with) } else { branch.clone() };
    let genotype = Genotype::Branches(branches.iter().enumerate().map(grafted).collect());
    space.fits(&genotype).then_some(genotype)
}

/// Mutates a bit string or the weights of a network, and returns `true`. Returns `false` for other genotypes.
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
