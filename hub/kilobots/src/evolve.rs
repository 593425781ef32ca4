//! A single run of evolution.

use super::config::Config;
use super::measure::{Measurement, mean, measure};
use serde::{Deserialize, Serialize};
use xpuck_evolve::{Algorithm, Island, PrimitiveSet, Settings, Trial};
use xpuck_kernels::tree::Tree;
use xpuck_kilobots::{Foraging, evaluate};

/// Factor by which fitness is multiplied for the racing algorithm. Racing has thresholds for the task of pushing
/// frisbees, where a good tree has a fitness of 0.3 with a deviation of 0.06 between trials. Foraging trees reach a
/// quarter of this fitness, with a deviation of 0.014.
const RACING_SCALE: f32 = 4.0;

/// Result of a completed run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    /// Hash of the experiment's configuration.
    pub configuration: u32,
    /// Algorithm of the run.
    pub algorithm: Algorithm,
    /// Number of the run, from 1.
    pub run: u32,
    /// Number of generations.
    pub generations: u32,
    /// Number of simulations.
    pub simulations: u64,
    /// Best tree of the first generation.
    pub first: Fittest,
    /// Best tree of the run.
    pub best: Fittest,
    /// Number of simulations so far, and selection fitness of the best tree, after each generation.
    pub curve: Vec<(u64, f64)>,
}

impl RunResult {
    /// Returns whether redundant values are consistent. Inconsistent values indicate that the file was edited.
    pub fn agrees_with_itself(&self) -> bool {
        let ends = |at: Option<&(u64, f64)>, fittest: &Fittest| at.is_some_and(|(_, best)| near(*best, fittest.chosen));
        self.curve.len() == self.generations as usize
            && self.curve.last().is_some_and(|(simulations, _)| *simulations == self.simulations)
            && ends(self.curve.first(), &self.first)
            && ends(self.curve.last(), &self.best)
            && [&self.first, &self.best].iter().all(|fittest| near(fittest.again.mean, mean(&fittest.again.starts)))
    }
}

/// Returns whether two numbers are equal except for rounding in decimal text.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Best tree of a generation, with its fitness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fittest {
    /// Text form of the Kilobot tree.
    pub tree: String,
    /// Selection fitness, as measured in evolution.
    pub chosen: f64,
    /// Fitness in fresh starts, measured after evolution.
    pub again: Measurement,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunProgress {
    /// Algorithm of the run.
    pub algorithm: Algorithm,
    /// Number of the run, from 1.
    pub run: u32,
    /// Number of generations so far.
    pub generation: u32,
    /// Number of simulations so far.
    pub simulations: u64,
    /// Selection fitness of the best tree so far.
    pub best: f64,
}

/// Returns the seed of run `run`, which is used for all starts of this run.
fn seed_of(config: &Config, run: u32) -> u64 {
    (u64::from(config.seed) << 32) | u64::from(run)
}

/// Returns the seed of fresh starts, which differs from the seed of every run.
pub(super) fn fresh_seed(config: &Config) -> u64 {
    u64::from(config.seed) << 32
}

fn scale(settings: &Settings) -> f32 {
    if settings.algorithm == Algorithm::Racing { RACING_SCALE } else { 1.0 }
}

/// Evolves one run. Returns `None` if a stop request ended the run after a generation.
pub(super) fn evolve(
    config: &Config,
    settings: Settings,
    run: u32,
    is_to_stop: impl Fn() -> bool,
    mut watch: impl FnMut(RunProgress),
) -> Option<RunResult> {
    let (foraging, seed, scale) = (config.world.foraging(), seed_of(config, run), scale(&settings));
    let algorithm = settings.algorithm;
    let mut island = Island::new(settings, PrimitiveSet::kilobot(), 1, seed);
    let measured = |(tree, chosen): &(Tree, f64)| Fittest {
        tree: tree.to_string(),
        chosen: *chosen,
        again: measure(tree, &foraging, fresh_seed(config), config.fresh),
    };
    let mut first = None;
    let (mut simulations, mut curve) = (0, Vec::new());
    loop {
        simulations += evaluate_generation(&mut island, &foraging, seed, scale);
        let champion = island.champion();
        let fittest = (champion.tree.clone(), champion.samples.mean() / f64::from(scale));
        let generation = island.generation();
        curve.push((simulations, fittest.1));
        watch(RunProgress { algorithm, run, generation, simulations, best: fittest.1 });
        if is_to_stop() {
            return None;
        }
        island.advance(&[]);
        let ends = simulations + island.trials().len() as u64 > config.simulations;
        let first = first.get_or_insert_with(|| fittest.clone());
        if ends {
            return Some(RunResult {
                configuration: config.fingerprint(),
                algorithm,
                run,
                generations: generation,
                simulations,
                first: measured(first),
                best: measured(&fittest),
                curve,
            });
        }
    }
}

/// Runs all trials of a generation, and records each fitness multiplied by `scale`. Returns the number of simulations.
fn evaluate_generation(island: &mut Island, foraging: &Foraging, seed: u64, scale: f32) -> u64 {
    let mut simulations = 0;
    loop {
        let trees: Vec<&Tree> = island.population().iter().map(|individual| &individual.tree).collect();
        let trials: Vec<(usize, u32)> =
            island.trials().iter().map(|Trial { individual, world, .. }| (*individual, *world)).collect();
        let fitness = evaluate(foraging, &trees, &trials, seed);
        simulations += fitness.len() as u64;
        let scaled: Vec<f32> = fitness.iter().map(|fitness| scale * fitness).collect();
        if island.record(&scaled) {
            return simulations;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the configuration of a short run.
    fn small(algorithm: Algorithm) -> Config {
        let text = "simulations = 600\nfresh = 16\n[world]\nrobots = 4\nseconds = 60\nnest = 0.06\ngap = 0.02";
        let mut config = Config::load(None, text.parse().unwrap()).unwrap();
        config.algorithms = vec![algorithm];
        config
    }

    #[test]
    fn same_seed_gives_same_run_and_other_run_differs() {
        for algorithm in [Algorithm::Dars2016, Algorithm::Racing, Algorithm::FRace] {
            let config = small(algorithm);
            let mut settings = config.settings(algorithm).unwrap();
            settings.population = settings.population.min(32);
            let once = |run| evolve(&config, settings.clone(), run, || false, |_| {}).unwrap();
            let run = once(1);
            assert_eq!(run, once(1));
            assert_ne!(run.curve, once(2).curve);
            assert!(run.simulations <= 600 && run.generations > 1, "{run:?}");
            assert!(run.best.chosen >= run.first.chosen, "{run:?}");
        }
    }

    #[test]
    fn stopped_run_has_no_result() {
        let config = small(Algorithm::Dars2016);
        let settings = config.settings(Algorithm::Dars2016).unwrap();
        assert_eq!(evolve(&config, settings, 1, || true, |_| {}), None);
    }
}
