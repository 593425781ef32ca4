//! Scores of the trees in a race. Scores have the units of the curriculum file.

use crate::scenario::Step;
use std::collections::{BTreeMap, BTreeSet};
use xpuck_evolve::Trial;
use xpuck_evolve::{Id, Individual, Stage};

/// Scores of each tree by its id and by the number of the run.
#[derive(Clone, Debug, Default)]
pub(super) struct ScoreTable(BTreeMap<Id, BTreeMap<u32, f64>>);

impl ScoreTable {
    /// Adds the scores of a generation's trials. If a newborn has just been promoted, its earlier scores are dropped,
    /// as in the race. Scores of trees that were removed from the population are dropped too.
    pub fn add(&mut self, population: &[Individual], trials: &[Trial], scores: &[f64]) {
        for contender in population.iter().filter(|individual| individual.stage == Stage::Contender) {
            self.0.remove(&contender.id);
        }
        for (trial, &score) in trials.iter().zip(scores) {
            self.0.entry(population[trial.individual].id).or_default().insert(trial.world, score);
        }
        let here: BTreeSet<Id> = population.iter().map(|individual| individual.id).collect();
        self.0.retain(|id, _| here.contains(id));
    }

    /// Returns the fitness of a tree, without the term for its size. A complete evaluation consists of one run for each
    /// start and repeat of the step. The step's rule combines the scores of these runs to a fitness. The result is the
    /// mean over all complete evaluations of the tree. Without a complete evaluation, the rule combines the available
    /// scores.
    pub fn fitness(&self, id: Id, step: &Step) -> f64 {
        let mut starts = vec![Vec::new(); step.starts];
        for (&number, &score) in self.0.get(&id).into_iter().flatten() {
            starts[number as usize % step.starts].push(score);
        }
        let repeats = step.repeats as usize;
        let whole = starts.iter().map(|of_start| of_start.len() / repeats).min().unwrap_or(0);
        if whole == 0 {
            return step.combine.fitness(&starts);
        }
        let evaluation = |k: usize| -> f64 {
            let runs = starts.iter().map(|of_start| of_start[k * repeats..][..repeats].to_vec());
            step.combine.fitness(&runs.collect::<Vec<_>>())
        };
        (0..whole).map(evaluation).sum::<f64>() / whole as f64
    }
}
