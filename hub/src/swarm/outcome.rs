//! What came out of a run.

use super::config::Config;
use super::generation::Swarm;
use crate::measure::{Plan, measure_all};
use serde::Serialize;
use xpuck_evolve::{Algorithm, Individual, Island, Settings};
use xpuck_kernels::engine::Simd;
use xpuck_kernels::tree::{CompileError, Program, Tree};

/// The thesis's final mean fitness (Fig. 8.4): how soon a run reaches it is reported.
pub const THRESHOLD: f64 = 0.205;
/// Simulated seconds of each simulation in which champions are measured again.
pub const SECONDS: f32 = 60.0;

/// The last line of `xpuck evolve --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The run's seed.
    pub seed: u64,
    /// The algorithm's name.
    pub algorithm: Algorithm,
    /// Mean over islands of the champion's derated fitness (Eq. 8.1), as evolution estimates it.
    pub final_mean: f64,
    /// The highest of the champions' fitness, as evolution estimates it.
    pub final_best: f64,
    /// Mean over islands of the champion's fitness in fresh simulations.
    pub remeasured_mean: f64,
    /// The highest of them.
    pub remeasured_best: f64,
    /// The first generation with a mean of [`THRESHOLD`] or more.
    #[serde(rename = "generations_to_0.205")]
    pub generations_to: Option<u32>,
    /// Simulated time until then, s times robots.
    #[serde(rename = "robot_seconds_to_0.205")]
    pub robot_seconds_to: Option<f64>,
    /// Simulated time of evolution, s times robots.
    pub robot_seconds: f64,
    /// Wall time of evolution and measuring, s, over all processes that worked on the run.
    pub wall_s: f64,
    /// Generations.
    pub generations: u32,
    /// The champion of each island.
    pub champions: Vec<Champion>,
    /// The best of the champions in fresh simulations, under `avoiding`, as text.
    pub best_tree: String,
}

/// An island's champion.
#[derive(Clone, Debug, Serialize)]
pub struct Champion {
    /// Its name, for `xpuck lineage`.
    pub id: String,
    /// Its evaluations.
    pub evaluations: u32,
    /// Its fitness as evolution estimates it.
    pub fitness: f64,
    /// Its mean fitness in fresh simulations.
    pub remeasured: f64,
}

/// The individual that is reported of an island: its champion, or if that has fewer than 8 evaluations
/// (`full_evaluations`) the fittest that has them, if any.
pub fn champion<'a>(island: &'a Island, settings: &Settings) -> &'a Individual {
    let known = |i: &&Individual| i.samples.n() >= settings.full_evaluations;
    let champion = island.champion();
    // The population is in the order of fitness.
    if known(&champion) { champion } else { island.population().iter().find(known).unwrap_or(champion) }
}

/// Mean fitness of each program over `runs` simulations of 60 s in the run's world, starts by turns, on a seed of its
/// own: evolution has seen none of them.
pub fn on_fresh_worlds(config: &Config, programs: &[Program], runs: u32) -> Vec<f64> {
    let plan = Plan { spec: &config.spec, seconds: SECONDS, runs, seed: !config.seed };
    measure_all(&Simd::default(), programs, &plan).iter().map(|m| m.mean).collect()
}

impl Outcome {
    /// Measures every island's champion again, in worlds that evolution has not seen, starts by turns.
    ///
    /// # Errors
    /// If a champion does not fit a robot.
    pub fn of(swarm: &Swarm) -> Result<Outcome, CompileError> {
        let (config, state) = (swarm.config(), swarm.state());
        let champions: Vec<&Individual> = state.islands.iter().map(|i| champion(i, &config.settings)).collect();
        let trees: Vec<Tree> = champions.iter().map(|c| c.tree.under_avoiding()).collect();
        let programs: Vec<Program> = trees.iter().map(Program::compile).collect::<Result<_, _>>()?;
        let again = on_fresh_worlds(config, &programs, config.remeasure);
        let best = (0..again.len()).max_by(|a, b| again[*a].total_cmp(&again[*b])).unwrap_or(0);
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / champions.len() as f64;
        let row = |(champion, remeasured): (&&Individual, &f64)| Champion {
            id: champion.id.to_string(),
            evaluations: champion.samples.n(),
            fitness: champion.samples.mean(),
            remeasured: *remeasured,
        };
        Ok(Outcome {
            seed: config.seed,
            algorithm: config.settings.algorithm,
            final_mean: mean(&mut champions.iter().map(|c| c.samples.derated(config.settings.full_evaluations))),
            final_best: champions.iter().map(|c| c.samples.mean()).fold(f64::NEG_INFINITY, f64::max),
            remeasured_mean: mean(&mut again.iter().copied()),
            remeasured_best: again[best],
            generations_to: state.reached.map(|reached| reached.generation),
            robot_seconds_to: state.reached.map(|reached| reached.robot_seconds),
            robot_seconds: swarm.robot_seconds(),
            wall_s: state.wall_s,
            generations: state.generation,
            champions: champions.iter().zip(&again).map(row).collect(),
            best_tree: trees[best].to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_evolve::PrimitiveSet;

    /// An island after `generations` in which everybody is worth little, and who was born last a lot.
    fn island(settings: &Settings, generations: u32) -> Island {
        let mut island = Island::new(settings.clone(), PrimitiveSet::in_swarm(), 0, 1);
        for generation in 1..=generations {
            let worth = |i: &Individual| match i.samples.n() {
                0 if generation == generations => 5.0,
                _ => 0.01 * (i.id.number % 7) as f32,
            };
            let results: Vec<f32> = island.trials().iter().map(|t| worth(&island.population()[t.individual])).collect();
            island.record(&results);
            if generation < generations {
                island.advance(&[]);
            }
        }
        island
    }

    #[test]
    fn who_is_reported_has_eight_evaluations_if_anybody_has() {
        let settings = Settings { population: 32, immigrants: 8, ..Settings::of(Algorithm::NoiseAware) };
        let old = island(&settings, 14);
        let reported = champion(&old, &settings);
        assert!(old.champion().samples.n() < 8 && reported.samples.n() >= 8);
        let known = old.population().iter().filter(|i| i.samples.n() >= 8);
        assert!(known.into_iter().all(|i| i.samples.mean() <= reported.samples.mean()), "the fittest of them");
        let young = island(&settings, 3);
        assert_eq!(champion(&young, &settings).id, young.champion().id);
    }
}
