//! Interface between a curriculum and its genome type.

use std::hash::Hash;
use xpuck_kernels::random::Draws;

/// Genome type with its operators. Parts are the units of blending: the automata of a set, or a whole tree.
pub trait Species {
    /// Genotype. Equal genotypes are evaluated only once.
    type Genome: Clone + Eq + Hash;
    /// Parts of a genotype that an evaluation used.
    type Usage: Clone;

    /// Returns the number of parts of a genome.
    fn parts(&self) -> usize;
    /// Returns the names of the mutations. [`Species::mutate`] returns an index in this list.
    fn operators(&self) -> Vec<&'static str>;
    /// Draws a random genome.
    fn random(&self, draws: &mut Draws) -> Self::Genome;
    /// Replaces a part by a random part.
    fn renew(&self, genome: &mut Self::Genome, part: usize, draws: &mut Draws);
    /// Copies a part from the genome `from`, possibly of another step. Returns false if `from` does not have the part.
    fn copy(&self, genome: &mut Self::Genome, part: usize, from: &Self::Genome) -> bool;
    /// Mutates a part once.
    fn mutate_part(&self, genome: &mut Self::Genome, part: usize, draws: &mut Draws);
    /// Mutates a genome once. Returns the index of the mutation in [`Species::operators`].
    fn mutate(&self, genome: &mut Self::Genome, draws: &mut Draws) -> usize;
    /// Crosses two genomes, and replaces both by their children.
    fn cross(&self, mother: &mut Self::Genome, father: &mut Self::Genome, draws: &mut Draws);
    /// Returns the genome without its unused parts. The trimmed genome must behave like the whole genome. `None`: the
    /// genome is not trimmed.
    fn trim(&self, genome: &Self::Genome, usage: &Self::Usage, draws: &mut Draws) -> Option<Self::Genome>;
    /// Repairs a child after crossover and mutation.
    fn repair(&self, genome: &mut Self::Genome, draws: &mut Draws);
    /// Returns the fitness bonus for the size of a genome, usually 0 or negative.
    fn size_worth(&self, genome: &Self::Genome) -> f64;
}
