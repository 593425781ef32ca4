//! What a record holds.

use super::exact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_evolve::{Id, Operator, Trial};
use xpuck_kernels::tree::Tree;

/// A generation of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generation {
    /// Its number, from 1.
    pub generation: u32,
    /// What happened on each island.
    pub islands: Vec<Island>,
}

/// A generation of an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Island {
    /// Who was new in it.
    pub births: Vec<Birth>,
    /// Who had come from another island since the last generation, and was tried here.
    pub arrivals: Vec<Id>,
    /// The generation's trials, in their order.
    pub samples: Vec<Sample>,
    /// Who led the island after it.
    pub champion: Id,
}

/// The birth of an individual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Birth {
    /// Its name.
    pub id: Id,
    /// Mother and father; none for random trees.
    pub parents: Option<[Id; 2]>,
    /// How it came to be.
    pub operator: Operator,
    /// The genotype: its text, or the bytes of its compact form if the text would change a bit of it.
    #[serde(with = "exact::tree")]
    #[schemars(with = "exact::TreeForm")]
    pub tree: Tree,
}

/// A sample of an individual's fitness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Whose.
    pub id: Id,
    /// Which start: 0 or 1 for scenario A or B.
    pub stratum: u8,
    /// The fitness; none if the trial's result was refused because it was not a finite number.
    #[serde(deserialize_with = "exact::number")]
    pub fitness: Option<f32>,
}

impl Island {
    /// What a generation tells that an island has just been tried in; to be called before the island itself takes the
    /// results, which reorders its population. The champion is not known yet: it is the first individual.
    pub fn observe(island: &xpuck_evolve::Island, trials: &[Trial], fitness: &[f32]) -> Island {
        let population = island.population();
        let mut births = Vec::new();
        let mut arrivals = Vec::new();
        for new in population.iter().filter(|i| i.born == island.generation()) {
            if new.operator == Operator::Migration {
                arrivals.push(new.id);
            } else {
                births.push(Birth { id: new.id, parents: new.parents, operator: new.operator, tree: new.tree.clone() });
            }
        }
        let sample = |(trial, fitness): (&Trial, &f32)| Sample {
            id: population[trial.individual].id,
            stratum: trial.stratum as u8,
            fitness: fitness.is_finite().then_some(*fitness),
        };
        let samples = trials.iter().zip(fitness).map(sample).collect();
        Island { births, arrivals, samples, champion: population[0].id }
    }
}
