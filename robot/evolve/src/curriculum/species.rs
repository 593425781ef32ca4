//! What a curriculum must know of a kind of genome.

use std::hash::Hash;
use xpuck_kernels::random::Draws;

/// A kind of genome with its operators, as a step uses it. Parts are what is blended each by itself: automata of a set, or the
/// whole of a tree.
pub trait Species {
    /// Genotypes; equal ones are worth the same.
    type Genome: Clone + Eq + Hash;
    /// What an evaluation tells of which parts of a genotype were used.
    type Usage: Clone;

    /// How many parts a genome has.
    fn parts(&self) -> usize;
    /// Names of the mutations that [`Species::mutate`] tells apart.
    fn operators(&self) -> Vec<&'static str>;
    /// A random genome.
    fn random(&self, draws: &mut Draws) -> Self::Genome;
    /// Draws a part anew.
    fn renew(&self, genome: &mut Self::Genome, part: usize, draws: &mut Draws);
    /// Copies a part of another genome, perhaps of another step's; false if that has no such part.
    fn copy(&self, genome: &mut Self::Genome, part: usize, from: &Self::Genome) -> bool;
    /// Mutates a part once.
    fn mutate_part(&self, genome: &mut Self::Genome, part: usize, draws: &mut Draws);
    /// Mutates a genome once; returns which of [`Species::operators`] it was.
    fn mutate(&self, genome: &mut Self::Genome, draws: &mut Draws) -> usize;
    /// Makes two children of two parents, in place.
    fn cross(&self, mother: &mut Self::Genome, father: &mut Self::Genome, draws: &mut Draws);
    /// The genome without what was not used, where that is to be done; it must act as the genome does.
    fn trim(&self, genome: &Self::Genome, usage: &Self::Usage, draws: &mut Draws) -> Option<Self::Genome>;
    /// What is done to a child at last.
    fn repair(&self, genome: &mut Self::Genome, draws: &mut Draws);
    /// What its size is worth, mostly nothing or less.
    fn size_worth(&self, genome: &Self::Genome) -> f64;
}
