//! Interface between a curriculum and its genome type.

use std::hash::Hash;
use xpuck_kernels::random::Draws;

/// A genome type with its operators. Parts are the units of blending: the automata of a set, or a whole tree.
pub trait Species {
    /// Genotype; equal genotypes have equal fitness.
    type Genome: Clone + Eq + Hash;
    /// Parts of a genotype that an evaluation used.
    type Usage: Clone;

    /// Number of parts of a genome.
    fn parts(&self) -> usize;
    /// Names of the mutations that [`Species::mutate`] distinguishes.
    fn operators(&self) -> Vec<&'static str>;
    /// Draws a random genome.
    fn random(&self, draws: &mut Draws) -> Self::Genome;
    /// Draws a part again at random.
    fn renew(&self, genome: &mut Self::Genome, part: usize, draws: &mut Draws);
    /// Copies a part from another genome, possibly of another step; returns false if the other genome does not have
    /// the part.
    fn copy(&self, genome: &mut Self::Genome, part: usize, from: &Self::Genome) -> bool;
    /// Mutates a part once.
    fn mutate_part(&self, genome: &mut Self::Genome, part: usize, draws: &mut Draws);
    /// Mutates a genome once; returns the index of the mutation in [`Species::operators`].
    fn mutate(&self, genome: &mut Self::Genome, draws: &mut Draws) -> usize;
    /// Turns two parents into two children, in place.
    fn cross(&self, mother: &mut Self::Genome, father: &mut Self::Genome, draws: &mut Draws);
    /// Returns the genome without its unused parts, which must behave like the whole genome. `None`: the genome is
    /// not trimmed.
    fn trim(&self, genome: &Self::Genome, usage: &Self::Usage, draws: &mut Draws) -> Option<Self::Genome>;
    /// Repairs a child after crossover and mutation.
    fn repair(&self, genome: &mut Self::Genome, draws: &mut Draws);
    /// Fitness bonus for the size of a genome, usually 0 or negative.
    fn size_worth(&self, genome: &Self::Genome) -> f64;
}
