//! Insertion of immigrants into a population.

use super::{Deme, Keys};
use crate::individual::{Individual, Migrant, Operator, Stage};
use crate::samples::Samples;

impl Deme {
    /// Replaces the last individuals by immigrants. Immigrants from another epoch are dropped. If samples are pooled
    /// per genotype, two more rules apply. An immigrant is dropped if the population already contains its tree. The
    /// other immigrants start without samples, because the samples that made a tree the best of its island are biased
    /// upwards.
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

    /// Converts a migrant to an individual of this island; `None` if its tree is not allowed here.
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
}
