//! Outcome of a body evolution run.

use super::generation::BodyRun;
use serde::Serialize;
use xpuck_bodies::Plan;

/// Result of a run.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Outcome {
    /// Seed of the run.
    pub seed: u64,
    /// Number of generations.
    pub generations: u32,
    /// Number of simulated steps on all islands, divided by the steps of an evaluation.
    pub evaluations: f64,
    /// Number of bodies whose evaluation was started, on all islands.
    pub bodies: u64,
    /// Number of steps of an evaluation.
    pub steps: u32,
    /// Longest distance of any body (m).
    pub best: f64,
    /// Best body of each island.
    pub islands: Vec<Island>,
    /// Notices about the archives. An archive contains the best body of each kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Wall time of this process (s).
    pub wall_s: f64,
}

/// Best body of an island.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Island {
    /// Distance that the body walked (m).
    pub distance: f64,
    /// Number of parts of the body.
    pub parts: usize,
    /// Number of parts with revolute joints.
    pub joints: usize,
    /// Number of kinds of bodies in the island's archive; `None` without an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<usize>,
    /// Definition of the body.
    pub prif: String,
}

impl Outcome {
    /// Creates the outcome of a run in its current state.
    pub fn from_run(run: &BodyRun, wall_s: f64) -> Outcome {
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
