//! What came out of a run.

use super::generation::BodyRun;
use serde::Serialize;
use xpuck_bodies::Plan;

/// The result of a run.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Outcome {
    /// Its seed.
    pub seed: u64,
    /// Generations.
    pub generations: u32,
    /// Evaluations of a whole walk that were simulated, on all islands.
    pub evaluations: f64,
    /// Bodies begun on all islands.
    pub bodies: u64,
    /// Steps of an evaluation.
    pub steps: u32,
    /// The longest way of all, m.
    pub best: f64,
    /// The best of each island.
    pub islands: Vec<Island>,
    /// What is to be known of an archive of kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Wall time of this process, s.
    pub wall_s: f64,
}

/// The best of an island.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Island {
    /// Its way, m.
    pub distance: f64,
    /// Its parts.
    pub parts: usize,
    /// Parts whose joints turn.
    pub joints: usize,
    /// Kinds in the archive, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<usize>,
    /// Its definition.
    pub prif: String,
}

impl Outcome {
    /// Of a run as it stands.
    pub fn of(run: &BodyRun, wall_s: f64) -> Outcome {
        let mut islands = Vec::new();
        for population in run.islands().iter().map(|island| &island.population) {
            let Some(one) = population.best() else { continue };
            let plan = Plan::new(&one.genome.prif).ok();
            let parts = plan.as_ref().map_or(0, |plan| plan.parts().len());
            let joints = plan.map_or(0, |plan| plan.parts().iter().skip(1).filter(|part| part.part.turns()).count());
            islands.push(Island {
                distance: one.fitness.unwrap_or(0.0),
                parts,
                joints,
                kinds: population.archive().map(|archive| archive.cells().len()),
                prif: one.genome.prif.print(),
            });
        }
        let notices = run.islands().iter().filter_map(|island| island.population.archive()?.notice()).collect();
        let simulated: u64 = run.islands().iter().map(|island| island.steps).sum();
        Outcome {
            seed: run.config().seed,
            generations: run.islands().first().map_or(0, |island| island.population.generation()),
            evaluations: simulated as f64 / f64::from(run.config().steps),
            bodies: run.islands().iter().map(|island| island.population.evaluations()).sum(),
            steps: run.config().steps,
            best: islands.iter().map(|island| island.distance).reduce(f64::max).unwrap_or(0.0),
            islands,
            notices,
            wall_s,
        }
    }
}
