//! Island: a population that evolves by one of the algorithms, and exchanges migrants with other islands (thesis 8.3.1,
//! 5.5.1).
//!
//! A generation has three phases. First, the caller evaluates the trials of the algorithm, in one or more rounds
//! ([`Island::trials`], [`Island::record`]). Then an individual is offered to the other islands ([`Island::emigrant`]).
//! Finally, immigrants are inserted and the next population is created ([`Island::advance`]).

use crate::algorithm::State;
use crate::deme::{Deme, Trial};
use crate::genotype::Genotype;
use crate::individual::{Individual, Migrant};
use crate::primitive_set::PrimitiveSet;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::task::Task;

/// Progress of an island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of generations evaluated so far.
    pub generation: u32,
    /// Estimated fitness of the champion.
    pub best: f64,
    /// Estimated fitness of the champion, scaled down if it has fewer than `full_evaluations` evaluations (Eq. 8.1).
    pub derated: f64,
    /// Number of evaluations of the champion.
    pub evaluations: u32,
    /// Estimated fitness, averaged over the population.
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

    /// Creates an island that starts from given trees. Trees that the primitive set does not allow are ignored, as are
    /// trees beyond the algorithm's capacity.
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

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        self.deme.settings()
    }

    /// Returns the population. At the end of a generation, the algorithm sorts it, the best individual first.
    pub fn population(&self) -> &[Individual] {
        self.deme.individuals()
    }

    /// Returns the number of generations recorded so far.
    pub fn generation(&self) -> u32 {
        self.deme.generation()
    }

    /// Returns the number of completed epochs. A fresh start and [`Island::forget`] each end an epoch.
    pub fn epoch(&self) -> u32 {
        self.deme.epoch()
    }

    /// Returns the number of fitness values so far that were not finite and were replaced by -1.
    pub fn rejected_samples(&self) -> u64 {
        self.deme.rejected()
    }

    /// Returns the trials of the current round of the generation. In all algorithms except `median-stopping` and
    /// `f-race`, a generation has one round. The algorithm determines the number of trials per individual, which can
    /// be 0.
    pub fn trials(&self) -> Vec<Trial> {
        self.algorithm.rules().trials(&self.deme)
    }

    /// Records the fitness of each trial in a world with this task, in the order of [`Island::trials`]. Returns whether
    /// the generation is complete; otherwise its next round follows. The order of the population changes only at the
    /// end of a generation. The algorithm replaces the fitness -1 of trials in which the frisbee never moved only if
    /// the task has this penalty. In other tasks, low values are results like all others.
    ///
    /// # Panics
    /// Panics if the number of results differs from the number of trials.
    pub fn record_for(&mut self, task: &Task, fitness: &[f32]) -> bool {
        match task.penalises_unmoved() {
            true => self.record(fitness),
            false => self.record_unchanged(fitness),
        }
    }

    /// Records the fitness of each trial of a transport task like [`Island::record_for`].
    ///
    /// # Panics
    /// Panics if the number of results differs from the number of trials.
    pub fn record(&mut self, fitness: &[f32]) -> bool {
        let rules = self.algorithm.rules();
        let results = self.deme.finite(fitness).into_iter().map(|fitness| rules.sample(fitness)).collect();
        self.end_round(results)
    }

    /// Records fitness values like [`Island::record`], in any range. The algorithm does not replace the fitness of a
    /// trial in which the frisbee never moved.
    ///
    /// # Panics
    /// Panics if the number of results differs from the number of trials.
    pub fn record_unchanged(&mut self, fitness: &[f32]) -> bool {
        let results = self.deme.finite(fitness);
        self.end_round(results)
    }

    fn end_round(&mut self, results: Vec<f64>) -> bool {
        let trials = self.trials();
        assert_eq!(results.len(), trials.len(), "one result for each trial");
        let complete = self.algorithm.rules_mut().end_round(&mut self.deme, &trials, &results);
        if complete {
            self.deme.end_generation();
            self.sort();
        }
        complete
    }

    fn sort(&mut self) {
        let (rules, settings) = (self.algorithm.rules(), self.settings().clone());
        self.deme.sort(|individual| rules.sort_key(individual, &settings));
    }

    /// Returns the individual that drives the robot: the best individual of all epochs by the algorithm's measure.
    pub fn champion(&self) -> &Individual {
        let (rules, settings) = (self.algorithm.rules(), self.settings());
        let rank = |individual: &Individual| rules.champion_value(individual, settings);
        // Among individuals with equal values, the champion of earlier epochs has priority, then the first in the
        // population.
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

    /// Returns the share of distinct trees in the population (0..=1).
    pub fn distinct(&self) -> f64 {
        let population = self.population();
        let different: BTreeSet<Vec<u8>> = population.iter().map(|one| one.tree.key()).collect();
        different.len() as f64 / population.len() as f64
    }

    /// Returns whether the recorded generation ends with an exchange of migrants. Thesis 8.3.1 exchanges them in every
    /// generation, 5.5.1 every n_epoch generations. In other generations, [`Island::advance`] ignores immigrants.
    pub fn exchanges(&self) -> bool {
        self.generation().is_multiple_of(self.settings().exchange_every)
    }

    /// Returns the individual that the algorithm selects for the other islands.
    pub fn emigrant(&self) -> Migrant {
        let best = self.algorithm.rules().emigrant(&self.deme, self.champion());
        Migrant { id: best.id, tree: best.tree.clone(), samples: best.samples, epoch: self.epoch() }
    }

    /// Continues with the same trees in a different world, and discards all samples. Except in `racing`, a migrant is
    /// rejected unless its own island has discarded its samples too.
    pub fn forget(&mut self) {
        self.deme.forget();
        self.algorithm.rules_mut().forget();
    }

    /// Continues in a slightly different world. The weight of existing samples is reduced to a few samples, so that new
    /// samples soon dominate. Migrants are still accepted, because the trials of the other islands change too.
    ///
    /// The remaining weight is `full_evaluations` samples, the number from which a tree may drive the robot. With less
    /// weight, any newly tried tree would displace the best tree, which drives the robot.
    pub fn relearn(&mut self) {
        self.deme.fade(self.settings().full_evaluations.div_ceil(2));
        self.algorithm.rules_mut().relearn();
    }

    /// Continues with the next step of a curriculum, whose world may differ strongly from the current one. In contrast
    /// to [`Island::relearn`], the weight of the existing samples is reduced to one sample per scenario. These samples
    /// only order the trees until the first trials in the new world.
    pub fn begin_step(&mut self) {
        self.deme.fade(1);
        self.algorithm.rules_mut().relearn();
    }

    /// Inserts immigrants if an exchange is due, and creates the next population. If a fresh start is due, ignores
    /// immigrants and creates a new first population.
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
