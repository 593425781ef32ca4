//! What all algorithms share: the population of one island, its ids, births, trials, immigrants and fresh starts.

use crate::algorithm::{Form, Race};
use crate::generate::{grow, ramped};
use crate::genotype::Genotype;
use crate::individual::{Id, Individual, Migrant, Operator, Stage};
use crate::palette::Palette;
use crate::samples::Samples;
use crate::settings::Settings;
use crate::space::Space;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Tree;

/// Attempts to make a tree that the population does not hold yet, by variation and then from scratch.
const NEW_TREE_TRIES: usize = 16;
/// What a sample counts that is no number: as bad as a controller that never moves the frisbee.
const FAILURE: f64 = -1.0;

/// One simulation that the island wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Index of the individual in the population.
    pub individual: usize,
    /// Which kind of trial: 0 or 1.
    pub stratum: usize,
    /// Number of the world; with the island's seed it fixes the simulation. Trials in the same world share their luck; no
    /// generation uses the worlds of another one.
    pub world: u32,
    /// Length, in trials of the run's length.
    pub length: u32,
}

/// The trees that a population holds, by [`Tree::key`].
pub(crate) type Keys = HashSet<Vec<u8>>;

/// The population of one island.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Deme {
    settings: Settings,
    palette: Palette,
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
    /// Only of the algorithm that races.
    race: Race,
}

impl Deme {
    /// A ramped half-and-half population.
    pub(crate) fn new(settings: Settings, palette: Palette, island: u16, seed: u64) -> Deme {
        let mut deme = Deme {
            settings,
            palette,
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
            race: Race::default(),
        };
        deme.populate();
        deme
    }

    fn populate(&mut self) {
        self.individuals.clear();
        self.settings.algorithm.rules().populate(self);
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

    /// Where the race stands.
    pub(crate) fn race(&self) -> &Race {
        &self.race
    }

    /// Where the race stands, to be changed.
    pub(crate) fn race_mut(&mut self) -> &mut Race {
        &mut self.race
    }

    /// What trees are built from.
    pub(crate) fn palette(&self) -> &Palette {
        &self.palette
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
        Space { palette: &self.palette, settings: &self.settings }
    }

    /// The random numbers of a place in the population in this generation.
    pub(crate) fn draws(&self, place: usize) -> Draws {
        Draws::new(self.seed, u32::from(self.island), place as u32, self.generation, Stream::Evolution)
    }

    fn shares_samples(&self) -> bool {
        self.settings.algorithm.form() == Form::Honest
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

    /// Index of the winner of a tournament among the first `among`; the first drawn of equals wins.
    pub(crate) fn tournament(&self, among: usize, value: impl Fn(&Individual) -> f64, draws: &mut Draws) -> usize {
        let mut best = draws.below(among as u32) as usize;
        for _ in 1..self.settings.tournament {
            let other = draws.below(among as u32) as usize;
            if value(&self.individuals[other]) > value(&self.individuals[best]) {
                best = other;
            }
        }
        best
    }

    /// So many trials of each individual, each in a world of its own, the strata of an individual in turns.
    pub(crate) fn trials_each(&self, count: impl Fn(&Individual) -> u32) -> Vec<Trial> {
        let mut trials = Vec::with_capacity(self.individuals.len());
        for (i, individual) in self.individuals.iter().enumerate() {
            let mut samples = individual.samples;
            for _ in 0..count(individual) {
                let stratum = samples.next_stratum();
                samples.add(stratum, 0.0);
                let world = self.worlds.wrapping_add(trials.len() as u32);
                trials.push(Trial { individual: i, stratum, world, length: 1 });
            }
        }
        trials
    }

    /// Adds the fitness of each trial to its individual's samples; what is no number counts as a failure.
    pub(crate) fn record(&mut self, trials: &[Trial], fitness: &[f32]) {
        assert_eq!(fitness.len(), trials.len(), "one result for each trial");
        let rules = self.settings.algorithm.rules();
        let mut sums = vec![(0.0, 0.0); self.individuals.len()];
        for (trial, f) in trials.iter().zip(fitness) {
            let sound = f.is_finite();
            self.rejected += u64::from(!sound);
            let sample = rules.sample(if sound { f64::from(*f) } else { FAILURE });
            self.individuals[trial.individual].samples.add(trial.stratum, sample);
            let (sum, count) = &mut sums[trial.individual];
            (*sum, *count) = (*sum + sample, *count + 1.0);
        }
        for (individual, (sum, count)) in self.individuals.iter_mut().zip(sums).filter(|(_, (_, count))| *count > 0.0) {
            individual.recent = sum / count;
        }
        let used = trials.iter().map(|trial| trial.world.wrapping_sub(self.worlds)).max().map_or(0, |last| last + 1);
        self.worlds = self.worlds.wrapping_add(used);
        self.generation += 1;
    }

    /// Sorts the individuals: the greatest worth first, the oldest first of equals.
    pub(crate) fn sort(&mut self, worth: impl Fn(&Individual) -> f64) {
        self.individuals.sort_by_cached_key(|i| (Descending(worth(i)), i.id));
    }

    /// Immigrants replace the last. Where samples belong to genotypes, a tree that is already here is dropped, and
    /// others start without samples: those that made it the best of its island flatter it.
    pub(crate) fn immigrate(&mut self, immigrants: &[Migrant]) {
        let mut keys = if self.shares_samples() { self.keys() } else { Keys::new() };
        let mut worst = self.individuals.len();
        for migrant in immigrants.iter().take(self.settings.immigrants) {
            if migrant.epoch != self.epoch {
                continue;
            }
            let Some(immigrant) = self.immigrant(migrant) else { continue };
            if self.shares_samples() && !keys.insert(migrant.tree.key()) {
                continue;
            }
            worst -= 1;
            self.individuals[worst] = immigrant;
        }
    }

    /// A migrant as an individual of this island; `None` if its tree is not allowed here.
    pub(crate) fn immigrant(&self, migrant: &Migrant) -> Option<Individual> {
        Some(Individual {
            id: migrant.id,
            parents: None,
            operator: Operator::Migration,
            born: self.generation,
            genotype: self.space().adopt(&migrant.tree, &self.individuals[0].genotype)?,
            tree: migrant.tree.clone(),
            samples: if self.shares_samples() { Samples::default() } else { migrant.samples },
            recent: 0.0,
            stage: Stage::default(),
        })
    }

    /// True when it is time for a fresh start.
    pub(crate) fn ends_epoch(&self) -> bool {
        let every = self.settings.restart_every;
        every > 0 && self.generation - self.epoch_began >= every
    }

    /// Starts afresh with the champion kept aside.
    pub(crate) fn restart(&mut self, champion: Individual) {
        self.kept = Some(champion);
        self.epoch += 1;
        self.epoch_began = self.generation;
        self.populate();
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
