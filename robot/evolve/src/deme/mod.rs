//! State of an island that every algorithm needs: the population with its ids, trials, immigrants and fresh starts.

mod immigration;
mod trials;

pub use trials::Trial;

use crate::generate::{grow, ramped};
use crate::genotype::Genotype;
use crate::individual::{Id, Individual, Operator, Stage};
use crate::primitive_set::PrimitiveSet;
use crate::samples::Samples;
use crate::settings::{SampleOwner, Settings};
use crate::space::Space;
use crate::tournament::tournament;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Tree;

/// Maximum number of attempts to create a tree that the population does not contain. If all attempts of the caller's
/// method fail, the same number of attempts with random trees follows.
const NEW_TREE_TRIES: usize = 16;
/// Keys of the trees of a population, from [`Tree::key`].
pub(crate) type Keys = HashSet<Vec<u8>>;

/// Population of one island.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Deme {
    settings: Settings,
    primitive_set: PrimitiveSet,
    island: u16,
    seed: u64,
    generation: u32,
    born: u32,
    /// Number of worlds used so far.
    worlds: u32,
    /// Individuals. They are sorted after the generation has been recorded.
    individuals: Vec<Individual>,
    epoch: u32,
    /// Generation in which the current epoch began.
    epoch_began: u32,
    /// Best champion of all earlier epochs; `None` in the first epoch, and after [`Deme::forget`].
    kept: Option<Individual>,
    rejected: u64,
}

impl Deme {
    /// Creates an empty population, which the algorithm must fill.
    pub(crate) fn new(settings: Settings, primitive_set: PrimitiveSet, island: u16, seed: u64) -> Deme {
        Deme {
            settings,
            primitive_set,
            island,
            seed,
            generation: 0,
            born: 0,
            worlds: 0,
            individuals: Vec::new(),
            epoch: 0,
            epoch_began: 0,
            kept: None,
            rejected: 0,
        }
    }

    /// Fills the population by ramped half-and-half.
    pub(crate) fn ramp(&mut self) {
        let mut keys = Keys::new();
        let (count, depth) = (self.settings.population, self.settings.depth);
        for i in 0..count {
            let how = ramped(i, count, depth);
            let made = self.new_genotype(&mut keys, &mut self.draws(i), |space, draws| space.random(how, draws));
            let individual = self.newborn_with(made, None, Operator::Random);
            self.individuals.push(individual);
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the individuals. They are sorted after the generation has been recorded.
    pub(crate) fn individuals(&self) -> &[Individual] {
        &self.individuals
    }

    /// Returns the individuals for modification.
    pub(crate) fn individuals_mut(&mut self) -> &mut Vec<Individual> {
        &mut self.individuals
    }

    /// Returns the primitive set of the trees.
    pub(crate) fn primitive_set(&self) -> &PrimitiveSet {
        &self.primitive_set
    }

    /// Returns the number of worlds used so far, which is the number of the first unused world.
    pub(crate) fn worlds(&self) -> u32 {
        self.worlds
    }

    /// Returns the number of generations recorded so far.
    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    /// Returns the number of completed epochs. A fresh start and [`Deme::forget`] each end an epoch.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Returns the best champion of the earlier epochs, if any.
    pub(crate) fn past_champion(&self) -> Option<&Individual> {
        self.kept.as_ref()
    }

    /// Returns the number of fitness values so far that were not finite.
    pub(crate) fn rejected(&self) -> u64 {
        self.rejected
    }

    /// Returns the search space of the genotypes.
    pub(crate) fn space(&self) -> Space<'_> {
        Space { primitive_set: &self.primitive_set, settings: &self.settings }
    }

    /// Returns the random stream for the individual at index `place` in this generation.
    pub(crate) fn draws(&self, place: usize) -> Draws {
        Draws::new(self.seed, u32::from(self.island), place as u32, self.generation, Stream::Evolution)
    }

    fn shares_samples(&self) -> bool {
        self.settings.algorithm.sample_owner() == SampleOwner::Genotype
    }

    /// Creates an individual with a new genotype.
    pub(crate) fn newborn(&mut self, genotype: Genotype, parents: Option<[Id; 2]>, operator: Operator) -> Individual {
        let tree = self.space().tree(&genotype);
        self.newborn_with((genotype, tree), parents, operator)
    }

    /// Creates an individual with a new genotype and its tree.
    pub(crate) fn newborn_with(
        &mut self,
        (genotype, tree): (Genotype, Tree),
        parents: Option<[Id; 2]>,
        operator: Operator,
    ) -> Individual {
        let id = Id { island: self.island, number: self.born };
        self.born += 1;
        let (samples, stage) = (Samples::default(), Stage::default());
        Individual { id, parents, operator, born: self.generation, genotype, tree, samples, recent: 0.0, stage }
    }

    /// Returns the keys of all trees in the population.
    pub(crate) fn keys(&self) -> Keys {
        self.individuals.iter().map(|i| i.tree.key()).collect()
    }

    /// Creates a genotype whose tree is not in `keys`, and adds the tree's key. If all attempts fail, returns the last
    /// genotype. If samples are not pooled per genotype, returns the first genotype and does not use `keys`.
    pub(crate) fn new_genotype(
        &self,
        keys: &mut Keys,
        draws: &mut Draws,
        make: impl Fn(Space<'_>, &mut Draws) -> Genotype,
    ) -> (Genotype, Tree) {
        let space = self.space();
        let mut genotype = make(space, draws);
        let mut tree = space.tree(&genotype);
        if !self.shares_samples() {
            return (genotype, tree);
        }
        for attempt in 0..2 * NEW_TREE_TRIES {
            if keys.insert(tree.key()) {
                break;
            }
            // If all attempts of `make` fail, random trees are created.
            let exhausted = attempt >= NEW_TREE_TRIES;
            genotype = if exhausted { space.random((grow, self.settings.depth), draws) } else { make(space, draws) };
            tree = space.tree(&genotype);
        }
        (genotype, tree)
    }

    /// Replaces the individual at index `place`.
    pub(crate) fn replace(&mut self, place: usize, individual: Individual) {
        self.individuals[place] = individual;
    }

    /// Replaces all individuals after the elite.
    pub(crate) fn replace_rest(&mut self, individuals: Vec<Individual>) {
        self.individuals.truncate(self.settings.elites());
        self.individuals.extend(individuals);
    }

    /// Returns the index of the winner of a tournament among the first `among` individuals.
    pub(crate) fn tournament(&self, among: usize, value: impl Fn(&Individual) -> f64, draws: &mut Draws) -> usize {
        tournament(among, self.settings.tournament, |at| value(&self.individuals[at]), draws)
    }

    /// Sorts the individuals by `worth`, the greatest first. Of individuals with equal worth, the one with the smallest
    /// id comes first.
    pub(crate) fn sort(&mut self, worth: impl Fn(&Individual) -> f64) {
        self.individuals.sort_by_cached_key(|i| (Descending(worth(i)), i.id));
    }

    /// Returns whether a fresh start is due.
    pub(crate) fn ends_epoch(&self) -> bool {
        let every = self.settings.restart_every;
        every > 0 && self.generation - self.epoch_began >= every
    }

    /// Keeps the trees but discards their samples, because later trials run in a different world. All individuals
    /// become newborns, and migrants of the previous epoch are rejected, as after a fresh start.
    pub(crate) fn forget(&mut self) {
        self.kept = None;
        self.epoch += 1;
        self.epoch_began = self.generation;
        for individual in &mut self.individuals {
            (individual.samples, individual.recent, individual.stage) = Default::default();
        }
    }

    /// Reduces the weight of earlier samples to at most `most` samples per scenario, because later trials differ
    /// slightly. The old samples order the trees at first, and soon weigh less than the new samples.
    pub(crate) fn fade(&mut self, most: u32) {
        self.individuals.iter_mut().chain(&mut self.kept).for_each(|individual| individual.samples.limit_weight(most));
    }

    /// Ends an epoch: keeps the champion and empties the population.
    pub(crate) fn restart(&mut self, champion: Individual) {
        self.kept = Some(champion);
        self.epoch += 1;
        self.epoch_began = self.generation;
        self.individuals.clear();
    }
}

/// Number with the reverse order: the greater number comes first.
#[derive(PartialEq)]
struct Descending(f64);

impl Eq for Descending {}

impl PartialOrd for Descending {
    fn partial_cmp(&self, other: &Descending) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Descending {
    fn cmp(&self, other: &Descending) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0)
    }
}
