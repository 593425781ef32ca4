//! Study of migration: finds the longest interval between exchanges at which a swarm keeps its fitness, although its
//! robots run different trees (thesis 8.8).

use super::hetero::{HeteroPlan, RunTrees, study as hetero};
use super::{Budget, Estimate, StudyError, study_error};
use crate::evolution_run::{Config, EvolutionRun, champion};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_kernels::engine::Engine;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};

/// Minimum number of seeds for each migration rate.
const FEWEST: usize = 2;

/// Number of generations between exchanges; 0 means never.
pub type Every = u32;

/// Fitness and diversity at the end of an evolution run.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Ended {
    /// Number of generations between exchanges; 0 means never.
    pub every: Every,
    /// Seed of the evolution.
    pub seed: u64,
    /// Number of distinct trees among the islands' champions.
    pub different: usize,
    /// Fitness of the swarm in which each robot runs its own island's champion.
    pub mixed: f64,
    /// Mean fitness of homogeneous swarms of the champions.
    pub alone: f64,
}

/// Statistics of all runs with one migration rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Rate {
    /// Number of generations between exchanges; 0 means never.
    pub every: Every,
    /// Fitness of the mixed swarm, over the seeds.
    pub mixed: Estimate,
    /// Mean fitness of homogeneous swarms of the same trees, over the seeds.
    pub alone: Estimate,
    /// Difference of `mixed` minus `alone`, over the seeds.
    pub difference: Estimate,
    /// Mean number of distinct trees, over the seeds.
    pub different: f64,
}

/// Results of the study of migration.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MigrateStudy {
    /// Number of islands, equal to the number of robots.
    pub islands: u16,
    /// Number of generations of each run.
    pub generations: u32,
    /// Simulations of each swarm.
    pub budget: Budget,
    /// Results of each rate and seed.
    pub runs: Vec<Ended>,
    /// Statistics of each rate.
    pub rates: Vec<Rate>,
}

/// Evolves with each migration rate and each of the seeds `config.seed`, `config.seed + 1` and so on. Measures the
/// fitness of the islands' champions in a mixed swarm and in homogeneous swarms. `progress` is called after each
/// generation. The study is cancelled when `stop` is set.
///
/// # Errors
/// If there are fewer than two seeds or no rates, a setting is invalid, or the study was cancelled.
pub fn study(
    engine: &dyn Engine,
    config: &Config,
    rates: &[Every],
    seeds: usize,
    budget: Budget,
    stop: &AtomicBool,
    mut progress: impl FnMut(),
) -> Result<MigrateStudy, StudyError> {
    if seeds < FEWEST || rates.is_empty() {
        return study_error("a study needs at least two seeds and one rate");
    }
    config.check().map_err(StudyError)?;
    let mut runs: Vec<Ended> = Vec::new();
    for every in rates {
        for seed in (0..seeds as u64).map(|i| config.seed + i) {
            let mut watch = || {
                progress();
                stop.load(Ordering::Relaxed)
            };
            runs.push(one(engine, config, *every, seed, budget, &mut watch)?);
        }
    }
    let rate = |every: &Every| {
        let of = |value: fn(&Ended) -> f64| -> Vec<f64> {
            runs.iter().filter(|run| run.every == *every).map(value).collect()
        };
        let different = of(|run| run.different as f64);
        Some(Rate {
            every: *every,
            mixed: Estimate::from_sample(&of(|run| run.mixed))?,
            alone: Estimate::from_sample(&of(|run| run.alone))?,
            difference: Estimate::from_sample(&of(|run| run.mixed - run.alone))?,
            different: different.iter().sum::<f64>() / different.len() as f64,
        })
    };
    let rates = rates.iter().filter_map(rate).collect();
    Ok(MigrateStudy { islands: config.islands, generations: config.generations, budget, runs, rates })
}

fn one(
    engine: &dyn Engine,
    config: &Config,
    every: Every,
    seed: u64,
    budget: Budget,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Ended, StudyError> {
    let mut config = Config { seed, ..config.clone() };
    match every {
        0 => config.migration.receive = 0,
        every => config.migration.every = every,
    }
    config.check().map_err(StudyError)?;
    let settings = config.settings.clone();
    let spec = config.spec.clone();
    let mut evolution = EvolutionRun::new(config);
    while !evolution.is_done() {
        evolution.step();
        if stop() {
            return study_error("stopped; nothing was written");
        }
    }
    let trees =
        evolution.state().islands.iter().map(|island| champion(island, &settings).tree.under_avoiding()).collect();
    let swarm = RunTrees { name: format!("seed {seed}"), trees };
    // Fitness is measured in worlds that the evolution has not used.
    let fresh = Budget { seed: !budget.seed, ..budget };
    let plan = HeteroPlan { mixed: fresh, alone: budget.runs, drawn: 0 };
    let measured = hetero(engine, &[swarm], &spec, plan, |_, _| {})?;
    let Some(swarm) = measured.swarms.first() else { return study_error("a run must have exactly one swarm") };
    Ok(Ended { every, seed, different: swarm.different, mixed: swarm.mixed.mean, alone: swarm.alone })
}

/// Returns a migration rate as text.
pub fn words(every: Every) -> String {
    match every {
        0 => "never".into(),
        1 => "every generation".into(),
        every => format!("every {every} generations"),
    }
}

impl MigrateStudy {
    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        let costs = self.rates.iter().find(|rate| rate.difference.interval[1] < 0.0);
        let best = self.rates.iter().max_by(|a, b| a.mixed.mean.total_cmp(&b.mixed.mean));
        let seeds = self.runs.len() / self.rates.len().max(1);
        let first = match costs {
            Some(rate) => format!(
                "Exchanging {} is the first rate at which the mixed swarm is significantly less fit than its trees \
                 alone ({:+.3})",
                words(rate.every),
                Figure(rate.difference.mean)
            ),
            None => "At no rate is the mixed swarm significantly less fit than its trees alone".into(),
        };
        let worth = |rate: &Rate| format!("{} {:.3}", words(rate.every), Figure(rate.mixed.mean));
        let all: Vec<String> = self.rates.iter().map(worth).collect();
        let fittest = best.map_or(String::new(), |best| {
            let apart = |rate: &&Rate| rate.mixed.interval[1] < best.mixed.interval[0];
            let less: Vec<String> = self.rates.iter().filter(apart).map(|rate| words(rate.every)).collect();
            match less.is_empty() {
                true => " No rate is significantly fitter than another.".into(),
                false => format!(
                    " Exchanging {} is significantly fitter than exchanging {}.",
                    words(best.every),
                    less.join(", ")
                ),
            }
        });
        format!("{first}. Fitness of mixed swarms, exchanging {}; {seeds} seeds per rate.{fittest}", all.join(", "))
    }

    /// Draws the fitness of mixed and of homogeneous swarms, and the number of distinct trees, against the migration
    /// rate.
    pub fn draw(&self) -> String {
        let mut fitness = Plot::new("Fitness of the swarm", "rate, in the order below", "fitness").whole_x();
        let mut trees = Plot::new("Different trees", "rate, in the order below", "trees").whole_x();
        let place = |i: usize| (i + 1) as f64;
        let line = |value: fn(&Rate) -> f64| -> Vec<(f64, f64)> {
            self.rates.iter().enumerate().map(|(i, rate)| (place(i), value(rate))).collect()
        };
        fitness.line("", Colour::Blue, line(|rate| rate.mixed.mean));
        fitness.line("", Stroke::from(Colour::Orange).dashed(), line(|rate| rate.alone.mean));
        let at = |every: Every| self.rates.iter().position(|rate| rate.every == every).map_or(0.0, place);
        fitness.points("", Colour::Blue, self.runs.iter().map(|run| (at(run.every), run.mixed)).collect());
        fitness.points("", Colour::Orange, self.runs.iter().map(|run| (at(run.every) + 0.1, run.alone)).collect());
        trees.line("", Colour::Black, line(|rate| rate.different));
        trees.points("", Colour::Grey, self.runs.iter().map(|run| (at(run.every), run.different as f64)).collect());
        let series = vec![
            ("mixed swarm".into(), Stroke::from(Colour::Blue)),
            ("its trees alone".into(), Stroke::from(Colour::Orange).dashed()),
        ];
        let list: Vec<String> =
            self.rates.iter().enumerate().map(|(i, rate)| format!("{}: {}", i + 1, words(rate.every))).collect();
        let caption = vec![list.join("; "), self.sentence()];
        to_svg_with(&[fitness, trees], &Footer { series, caption })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution_run::file::{keys, load};
    use xpuck_kernels::engine::Simd;

    fn config() -> Config {
        let texts = ["islands=4", "generations=6", "seconds=5", "settings.population=16", "robots=4"];
        load(None, keys(&texts.map(String::from)).unwrap()).unwrap()
    }

    fn run_study(rates: &[Every], seeds: usize) -> Result<MigrateStudy, StudyError> {
        let budget = Budget { seconds: 5.0, runs: 4, seed: 9 };
        study(&Simd::default(), &config(), rates, seeds, budget, &AtomicBool::new(false), || {})
    }

    #[test]
    fn islands_that_never_exchange_end_with_trees_of_their_own() {
        let found = run_study(&[1, 0], 2).unwrap();
        let order: Vec<(Every, u64)> = found.runs.iter().map(|run| (run.every, run.seed)).collect();
        assert_eq!(order, [(1, 1), (1, 2), (0, 1), (0, 2)]);
        assert!(found.runs[2..].iter().all(|run| run.different == 4), "{found:?}");
        assert_eq!(found.rates.iter().map(|rate| rate.every).collect::<Vec<_>>(), [1, 0]);
        let never = &found.rates[1];
        let mean = (found.runs[2].mixed + found.runs[3].mixed) / 2.0;
        assert!((never.mixed.mean - mean).abs() < 1e-12 && never.different == 4.0);
        assert!(found.draw().contains("1: every generation; 2: never"));
        assert_eq!(run_study(&[1, 0], 2).unwrap(), found);
    }

    #[test]
    fn too_little_is_refused() {
        assert!(run_study(&[1], 1).unwrap_err().to_string().contains("two seeds"));
        assert!(run_study(&[], 2).unwrap_err().to_string().contains("one rate"));
        assert!(run_study(&[5000], 2).unwrap_err().to_string().contains("every"));
    }
}
