//! One island: a population that evolves by one of the algorithms, and its side of migration (thesis 8.3.1, 5.5.1).
//!
//! A generation is: the trials that the algorithm wants ([`Island::trials`], [`Island::record`]), the fittest offered to
//! the other islands ([`Island::emigrant`]), then immigrants taken in and the next population made ([`Island::advance`]).

use crate::algorithm::State;
use crate::deme::{Deme, Trial};
use crate::genotype::Genotype;
use crate::individual::{Individual, Migrant};
use crate::primitive_set::PrimitiveSet;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use xpuck_kernels::tree::Tree;

/// Where an island stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Generations evaluated so far.
    pub generation: u32,
    /// The champion's estimated fitness.
    pub best: f64,
    /// The same, scaled down below 8 evaluations (Eq. 8.1).
    pub derated: f64,
    /// The champion's number of evaluations.
    pub evaluations: u32,
    /// The population's mean fitness.
    pub mean: f64,
}

/// A population that evolves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Island {
    deme: Deme,
    algorithm: State,
}

impl Island {
    /// An island with the algorithm's first population. The settings must have passed [`Settings::check`].
    pub fn new(settings: Settings, primitive_set: PrimitiveSet, island: u16, seed: u64) -> Island {
        let mut algorithm = State::new(settings.algorithm);
        let mut deme = Deme::new(settings, primitive_set, island, seed);
        algorithm.rules_mut().populate(&mut deme);
        Island { deme, algorithm }
    }

    /// The same beginning with given trees, as many of them as the algorithm has places for; those that the primitive set does not
    /// allow are left out.
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

    /// The population; fittest first after [`Island::record`].
    pub fn population(&self) -> &[Individual] {
        self.deme.individuals()
    }

    /// Generations recorded so far.
    pub fn generation(&self) -> u32 {
        self.deme.generation()
    }

    /// Fresh starts so far.
    pub fn epoch(&self) -> u32 {
        self.deme.epoch()
    }

    /// Samples that were not finite and counted as -1.
    pub fn rejected_samples(&self) -> u64 {
        self.deme.rejected()
    }

    /// The trials of this generation: of each individual as many as the algorithm wants, also none.
    pub fn trials(&self) -> Vec<Trial> {
        self.algorithm.rules().trials(&self.deme)
    }

    /// Takes the fitness of each trial in order, and sorts the population.
    ///
    /// # Panics
    /// If there are not as many results as trials.
    pub fn record(&mut self, fitness: &[f32]) {
        let trials = self.trials();
        let rules = self.algorithm.rules();
        self.deme.record(&trials, fitness, |fitness| rules.sample(fitness));
        self.sort();
    }

    fn sort(&mut self) {
        let (rules, settings) = (self.algorithm.rules(), self.settings().clone());
        self.deme.sort(|individual| rules.worth(individual, &settings));
    }

    /// The individual to drive the robot: the best by the algorithm's measure, of earlier epochs too.
    pub fn champion(&self) -> &Individual {
        let (rules, settings) = (self.algorithm.rules(), self.settings());
        let rank = |individual: &Individual| rules.rank(individual, settings);
        // The first of equals, so that the order of the population decides.
        let mut best = self.deme.kept().unwrap_or(&self.population()[0]);
        for individual in self.population() {
            if rank(individual) > rank(best) {
                best = individual;
            }
        }
        best
    }

    /// Where the island stands.
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

    /// True if the generation that was recorded ends with an exchange: every one as in thesis 8.3.1, or every n_epoch
    /// as in 5.5.1. In others there is nothing to send, and [`Island::advance`] takes nobody in.
    pub fn exchanges(&self) -> bool {
        self.generation().is_multiple_of(self.settings().exchange_every)
    }

    /// The individual to offer to the others, as the algorithm chooses it.
    pub fn emigrant(&self) -> Migrant {
        let best = self.algorithm.rules().emigrant(&self.deme, self.champion());
        Migrant { id: best.id, tree: best.tree.clone(), samples: best.samples, epoch: self.epoch() }
    }

    /// Goes on with the same trees where trials are of another world: what is known of their fitness does not count any
    /// more. Migrants from islands that have not done so yet are not taken in.
    pub fn forget(&mut self) {
        self.deme.forget();
        self.algorithm.rules_mut().forget();
    }

    /// Goes on where trials are of a world that is a little different: what is known of the trees' fitness counts for a few
    /// samples only, so that new ones soon decide. Migrants are taken in all the time, as other islands' trials change too.
    ///
    /// What is known counts for as many samples as a tree needs to be known: with fewer, an island's best would give way to
    /// whoever is tried next, and robots drive by it.
    pub fn relearn(&mut self) {
        self.deme.fade(self.settings().full_evaluations.div_ceil(2));
        self.algorithm.rules_mut().relearn();
    }

    /// Goes on with the next step of a curriculum, whose world may be quite another: as [`Island::relearn`], but what is known
    /// counts for one sample of each scenario, which orders the trees until they are tried there.
    pub fn begin_step(&mut self) {
        self.deme.fade(1);
        self.algorithm.rules_mut().relearn();
    }

    /// Takes immigrants in, in the places that the algorithm has for them, and makes the next population; or starts
    /// afresh.
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
