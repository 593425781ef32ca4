//! Contents of an evolution record: generations with births, immigrants and fitness samples.

use super::exact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_evolve::{Id, Operator, Trial};
use xpuck_kernels::tree::Tree;

/// A generation of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generation {
    /// Number of the generation, from 1.
    pub generation: u32,
    /// Events on each island.
    pub islands: Vec<Island>,
}

/// A generation of an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Island {
    /// Individuals born in this generation.
    pub births: Vec<Birth>,
    /// Immigrants that arrived since the previous generation and were evaluated on this island.
    pub arrivals: Vec<Id>,
    /// Fitness samples of the generation, in the order of the trials. A trial that was continued has one sample: its
    /// last.
    pub samples: Vec<Sample>,
    /// Champion of the island after the generation.
    pub champion: Id,
}

/// Birth of an individual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Birth {
    /// Identifier.
    pub id: Id,
    /// Mother and father; null for random trees.
    pub parents: Option<[Id; 2]>,
    /// Operator that created the individual.
    pub operator: Operator,
    /// Genotype: its text, or the bytes of its compact form if the text is not bit-exact.
    #[serde(with = "exact::tree")]
    #[schemars(with = "exact::TreeForm")]
    pub tree: Tree,
}

/// A sample of an individual's fitness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Identifier of the individual.
    pub id: Id,
    /// Index of the start configuration: 0 for scenario A, 1 for scenario B.
    pub stratum: u8,
    /// Fitness; null if the trial's result was rejected because it was not finite.
    #[serde(deserialize_with = "exact::number")]
    pub fitness: Option<f32>,
}

impl Sample {
    /// Returns the record of a trial's result. `island` is in its state before the results of the round.
    pub fn observe(island: &xpuck_evolve::Island, trial: &Trial, fitness: f32) -> Sample {
        Sample {
            id: island.population()[trial.individual].id,
            stratum: trial.stratum as u8,
            fitness: fitness.is_finite().then_some(fitness),
        }
    }
}

impl Island {
    /// Returns the record of an island's generation before its first trial, without samples. The champion is not known
    /// yet. The caller must replace `champion`, which is only the first individual.
    pub fn observe(island: &xpuck_evolve::Island) -> Island {
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
        Island { births, arrivals, samples: Vec::new(), champion: population[0].id }
    }
}
