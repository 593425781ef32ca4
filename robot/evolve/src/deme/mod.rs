//! What all algorithms share: the population of one island, its ids, births, trials, immigrants and fresh starts.

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

/// Attempts to make a tree that the population does not hold yet, by variation and then from scratch.
const NEW_TREE_TRIES: usize = 16;
/// The trees that a population holds, by [`Tree::key`].
pub(crate) type Keys = HashSet<Vec<u8>>;

/// The population of one island.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Deme {
    settings: Settings,
    primitive_set: PrimitiveSet,
    island: u16,
    seed: u64,
    generation: u32,
    born: u32,
    /// Worlds used so far.
    worlds: u32,
    /// In order once the generation has been recorded.
    individuals: Vec<Individual>,
    epoch: u32,
    /// Generation in which the epoch began.
    epoch_began: u32,
    /// The champion when the last epoch ended, the best of all epochs.
    kept: Option<Individual>,
    rejected: u64,
}

impl Deme {
    /// Of nobody yet: the algorithm makes the first population.
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

    /// A ramped half-and-half population.
    pub(crate) fn ramp(&mut self) {
        let mut keys = Keys::new();
        let (count, depth) = (self.settings.population, self.settings.depth);
        for i in 0..count {
            let how = ramped(i, count, depth);
            let made = self.unseen(&mut keys, &mut self.draws(i), |space, draws| space.random(how, draws));
            let individual = self.newborn_with(made, None, Operator::Random);
            self.individuals.push(individual);
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The individuals; in order once the generation has been recorded.
    pub(crate) fn individuals(&self) -> &[Individual] {
        &self.individuals
    }

    /// The individuals, to be moved about.
    pub(crate) fn individuals_mut(&mut self) -> &mut Vec<Individual> {
        &mut self.individuals
    }

    /// What trees are built from.
    pub(crate) fn primitive_set(&self) -> &PrimitiveSet {
        &self.primitive_set
    }

    /// The first world not used yet.
    pub(crate) fn worlds(&self) -> u32 {
        self.worlds
    }

    /// Generations recorded so far.
    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    /// Fresh starts so far.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The best champion of earlier epochs.
    pub(crate) fn kept(&self) -> Option<&Individual> {
        self.kept.as_ref()
    }

    /// Samples that were no numbers.
    pub(crate) fn rejected(&self) -> u64 {
        self.rejected
    }

    /// What genotypes are made of here.
    pub(crate) fn space(&self) -> Space<'_> {
        Space { primitive_set: &self.primitive_set, settings: &self.settings }
    }

    /// The random numbers of a place in the population in this generation.
    pub(crate) fn draws(&self, place: usize) -> Draws {
        Draws::new(self.seed, u32::from(self.island), place as u32, self.generation, Stream::Evolution)
    }

    fn shares_samples(&self) -> bool {
        self.settings.algorithm.sample_owner() == SampleOwner::Genotype
    }

    /// An individual of a new genotype.
    pub(crate) fn newborn(&mut self, genotype: Genotype, parents: Option<[Id; 2]>, operator: Operator) -> Individual {
        let tree = self.space().tree(&genotype);
        self.newborn_with((genotype, tree), parents, operator)
    }

    /// An individual of a new genotype whose tree is known.
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

    /// The keys of all trees here.
    pub(crate) fn keys(&self) -> Keys {
        self.individuals.iter().map(|i| i.tree.key()).collect()
    }

    /// Makes genotypes until the tree of one is not in `keys` yet, and notes it there. Where samples belong to copies,
    /// the first one made will do.
    pub(crate) fn unseen(
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
            // Parents that have nothing new to give make room for a tree from scratch.
            let exhausted = attempt >= NEW_TREE_TRIES;
            genotype = if exhausted { space.random((grow, self.settings.depth), draws) } else { make(space, draws) };
            tree = space.tree(&genotype);
        }
        (genotype, tree)
    }

    /// Puts an individual in a place.
    pub(crate) fn replace(&mut self, place: usize, individual: Individual) {
        self.individuals[place] = individual;
    }

    /// Puts individuals in the places behind the elite.
    pub(crate) fn replace_rest(&mut self, individuals: Vec<Individual>) {
        self.individuals.truncate(self.settings.elites());
        self.individuals.extend(individuals);
    }

    /// Index of the winner of a tournament among the first `among`.
    pub(crate) fn tournament(&self, among: usize, value: impl Fn(&Individual) -> f64, draws: &mut Draws) -> usize {
        tournament(among, self.settings.tournament, |at| value(&self.individuals[at]), draws)
    }

    /// Sorts the individuals: the greatest worth first, the oldest first of equals.
    pub(crate) fn sort(&mut self, worth: impl Fn(&Individual) -> f64) {
        self.individuals.sort_by_cached_key(|i| (Descending(worth(i)), i.id));
    }

    /// True when it is time for a fresh start.
    pub(crate) fn ends_epoch(&self) -> bool {
        let every = self.settings.restart_every;
        every > 0 && self.generation - self.epoch_began >= every
    }

    /// Keeps the trees and nothing of what their trials told, for trials of another kind: all are newborns again, and
    /// migrants tried the old way are no longer taken in, as after a fresh start.
    pub(crate) fn forget(&mut self) {
        self.kept = None;
        self.epoch += 1;
        self.epoch_began = self.generation;
        for individual in &mut self.individuals {
            (individual.samples, individual.recent, individual.stage) = Default::default();
        }
    }

    /// Goes on in trials that are a little different: what earlier ones told orders the trees at first, and soon counts less
    /// than what new ones tell: in each scenario for `most` samples.
    pub(crate) fn fade(&mut self, most: u32) {
        self.individuals.iter_mut().chain(&mut self.kept).for_each(|individual| individual.samples.fade(most));
    }

    /// Ends an epoch with the champion kept aside: of nobody again.
    pub(crate) fn restart(&mut self, champion: Individual) {
        self.kept = Some(champion);
        self.epoch += 1;
        self.epoch_began = self.generation;
        self.individuals.clear();
    }
}

/// Orders floats from high to low.
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
