//! Island: a population that evolves by one of the algorithms, with its side of migration (thesis 8.3.1, 5.5.1).
//!
//! In each generation the trials of the algorithm are evaluated ([`Island::trials`], [`Island::record`]), the fittest
//! individual is offered to the other islands ([`Island::emigrant`]), and immigrants are inserted and the next
//! population is created ([`Island::advance`]).

use crate::algorithm::State;
use crate::deme::{Deme, Trial};
use crate::genotype::Genotype;
use crate::individual::{Individual, Migrant};
use crate::primitive_set::PrimitiveSet;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use xpuck_kernels::tree::Tree;

/// Progress of an island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of generations evaluated so far.
    pub generation: u32,
    /// Estimated fitness of the champion.
    pub best: f64,
    /// Estimated fitness of the champion, scaled down if it has fewer than 8 evaluations (Eq. 8.1).
    pub derated: f64,
    /// Number of evaluations of the champion.
    pub evaluations: u32,
    /// Mean fitness of the population.
    pub mean: f64,
}

/// Evolving population with its algorithm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Island {
    deme: Deme,
    algorithm: State,
}

impl Island {
    /// Creates an island with the algorithm's first population. The settings must have passed [`Settings::check`].
    pub fn new(settings: Settings, primitive_set: PrimitiveSet, island: u16, seed: u64) -> Island {
        let mut algorithm = State::new(settings.algorithm);
        let mut deme = Deme::new(settings, primitive_set, island, seed);
        algorithm.rules_mut().populate(&mut deme);
        Island { deme, algorithm }
    }

    /// Creates an island that starts from given trees. Ignores trees that the primitive set does not allow, and trees
    /// beyond the algorithm's capacity.
    pub fn with_trees(
        settings: Settings,
        primitive_set: PrimitiveSet,
        (island, seed): (u16, u64),
        trees: &[Tree],
    ) -> Island {
        let mut algorithm = State::new(settings.algorithm);
        let branches = trees.iter().filter_map(|tree| primitive_set.branch(tree));
        let given = branches.map(|branch| Genotype::Branches(vec![branch])).collect();
        let mut deme = Deme::new(settings, primitive_set, island, seed);
        algorithm.rules_mut().populate_with(&mut deme, given);
        Island { deme, algorithm }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        self.deme.settings()
    }

    /// The population; after [`Island::record`] the fittest comes first.
    pub fn population(&self) -> &[Individual] {
        self.deme.individuals()
    }

    /// Number of generations recorded so far.
    pub fn generation(&self) -> u32 {
        self.deme.generation()
    }

    /// Number of fresh starts so far.
    pub fn epoch(&self) -> u32 {
        self.deme.epoch()
    }

    /// Number of samples that were not finite and were replaced by -1.
    pub fn rejected_samples(&self) -> u64 {
        self.deme.rejected()
    }

    /// Trials of this generation; the algorithm sets the number per individual, which can be 0.
    pub fn trials(&self) -> Vec<Trial> {
        self.algorithm.rules().trials(&self.deme)
    }

    /// Takes the fitness of each trial, in order, and sorts the population.
    ///
    /// # Panics
    /// If the number of results differs from the number of trials.
    pub fn record(&mut self, fitness: &[f32]) {
        let trials = self.trials();
        let rules = self.algorithm.rules();
        self.deme.record(&trials, fitness, |fitness| rules.sample(fitness));
        self.sort();
    }

    fn sort(&mut self) {
        let (rules, settings) = (self.algorithm.rules(), self.settings().clone());
        self.deme.sort(|individual| rules.sort_key(individual, &settings));
    }

    /// Individual that drives the robot: the best of all epochs by the algorithm's measure.
    pub fn champion(&self) -> &Individual {
        let (rules, settings) = (self.algorithm.rules(), self.settings());
        let rank = |individual: &Individual| rules.champion_value(individual, settings);
        // Among equal individuals, the first in the population wins.
        let mut best = self.deme.past_champion().unwrap_or(&self.population()[0]);
        for individual in self.population() {
            if rank(individual) > rank(best) {
                best = individual;
            }
        }
        best
    }

    /// Returns the progress of the island.
    pub fn progress(&self) -> Progress {
        let champion = self.champion();
        let total: f64 = self.population().iter().map(|i| i.samples.mean()).sum();
        Progress {
            generation: self.generation(),
            best: champion.samples.mean(),
            derated: champion.samples.derated(self.settings().full_evaluations),
            evaluations: champion.samples.n(),
            mean: total / self.population().len() as f64,
        }
    }

    /// Whether the recorded generation ends with an exchange: every generation as in thesis 8.3.1, or every n_epoch
    /// generations as in 5.5.1. Otherwise nothing is sent, and [`Island::advance`] ignores immigrants.
    pub fn exchanges(&self) -> bool {
        self.generation().is_multiple_of(self.settings().exchange_every)
    }

    /// Individual to offer to the other islands, selected by the algorithm.
    pub fn emigrant(&self) -> Migrant {
        let best = self.algorithm.rules().emigrant(&self.deme, self.champion());
        Migrant { id: best.id, tree: best.tree.clone(), samples: best.samples, epoch: self.epoch() }
    }

    /// Continues with the same trees in a different world: all samples are discarded. Migrants are rejected unless
    /// their island has discarded its samples too.
    pub fn forget(&mut self) {
        self.deme.forget();
        self.algorithm.rules_mut().forget();
    }

    /// Continues in a slightly different world. The weight of existing samples is reduced to that of a few samples,
    /// so that new samples soon dominate. Migrants are still accepted, because the trials of the other islands change
    /// too.
    ///
    /// The remaining weight is the number of samples at which a tree counts as known. With less weight, any newly
    /// tried tree would displace the best tree, which drives the robot.
    pub fn relearn(&mut self) {
        self.deme.fade(self.settings().full_evaluations.div_ceil(2));
        self.algorithm.rules_mut().relearn();
    }

    /// Continues with the next step of a curriculum, whose world may differ strongly. Like [`Island::relearn`], but
    /// the existing samples have the weight of one sample per scenario, which only orders the trees until they are
    /// tried.
    pub fn begin_step(&mut self) {
        self.deme.fade(1);
        self.algorithm.rules_mut().relearn();
    }

    /// Inserts immigrants where the algorithm allows it and creates the next population, or starts afresh.
    pub fn advance(&mut self, immigrants: &[Migrant]) {
        if self.deme.ends_epoch() {
            let champion = self.champion().clone();
            self.deme.restart(champion);
            self.algorithm.rules_mut().populate(&mut self.deme);
            return;
        }
        if self.exchanges() {
            self.algorithm.rules_mut().immigrate(&mut self.deme, immigrants);
            self.sort();
        }
        self.algorithm.rules_mut().breed(&mut self.deme);
    }
}
