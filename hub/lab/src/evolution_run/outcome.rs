//! What came out of a run.

use super::champion::champion;
use super::config::Config;
use super::front::{FrontTree, front, undominated};
use super::generation::EvolutionRun;
use crate::engine;
use crate::measure::{Plan, measure_all};
use serde::Serialize;
use xpuck_evolve::{Algorithm, Individual};
use xpuck_experiment::StepEnd;
use xpuck_kernels::engine::{Engine, EngineStatus};
use xpuck_kernels::tree::{CompileError, Program, Tree};

/// Simulated seconds of each simulation in which champions are measured again.
pub const SECONDS: f32 = 60.0;

/// The last line of `xpuck evolve --json`.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
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
    /// The first generation with a mean of [`super::THRESHOLD`] or more.
    #[serde(rename = "generations_to_0.205")]
    pub generations_to: Option<u32>,
    /// Simulated time until then, s times robots.
    #[serde(rename = "robot_seconds_to_0.205")]
    pub robot_seconds_to: Option<f64>,
    /// Simulated time of evolution, s times robots.
    pub robot_seconds: f64,
    /// What simulated the last generations: "simd", "reference", "gpu", or "gpu+simd".
    pub engine: &'static str,
    /// Its adapter and driver, if it used one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// See `adapter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Simulated robot-seconds a second over the last eight generations of this process; 0 if it evolved none.
    pub r_acc: f64,
    /// What came of the steps of a curriculum that are over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepEnd>,
    /// Wall time of evolution and measuring, s, over all processes that worked on the run.
    pub wall_s: f64,
    /// Generations.
    pub generations: u32,
    /// The champion of each island.
    pub champions: Vec<Champion>,
    /// The best of the champions in fresh simulations, under `avoiding`, as text.
    pub best_tree: String,
    /// The trees among which size and fitness are to be weighed, the smallest first, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front: Option<Vec<FrontTree>>,
}

/// An island's champion.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Champion {
    /// Its name, for `xpuck runs lineage`.
    pub id: String,
    /// Its evaluations.
    pub evaluations: u32,
    /// Its fitness as evolution estimates it.
    pub fitness: f64,
    /// Its mean fitness in fresh simulations.
    pub remeasured: f64,
}

/// Mean fitness of each program over `runs` simulations of 60 s in the run's world, starts by turns, on a seed of its
/// own: evolution has seen none of them.
pub fn on_fresh_worlds(engine: &dyn Engine, config: &Config, programs: &[Program], runs: u32) -> Vec<f64> {
    let plan = Plan { spec: &config.spec, seconds: SECONDS, runs, seed: !config.seed };
    measure_all(engine, programs, &plan).iter().map(|m| m.mean).collect()
}

/// The individuals' trees under `avoiding`, and what they are worth in worlds that evolution has not seen. That is always
/// measured by `simd`, so that results can be compared whatever the engine of the trials.
fn measured_again(config: &Config, individuals: &[&Individual]) -> Result<(Vec<Tree>, Vec<f64>), CompileError> {
    let trees: Vec<Tree> = individuals.iter().map(|i| i.tree.under_avoiding()).collect();
    let programs: Vec<Program> = trees.iter().map(Program::compile).collect::<Result<_, _>>()?;
    let again = on_fresh_worlds(&engine::simd(), config, &programs, config.remeasure);
    Ok((trees, again))
}

impl Outcome {
    /// Measures every island's champion again, in worlds that evolution has not seen, starts by turns.
    ///
    /// # Errors
    /// If a champion does not fit a robot.
    pub fn of(evolution: &EvolutionRun) -> Result<Outcome, CompileError> {
        let (config, state) = (evolution.config(), evolution.state());
        let champions: Vec<&Individual> = state.islands.iter().map(|i| champion(i, &config.settings)).collect();
        let (trees, again) = measured_again(config, &champions)?;
        let best = (0..again.len()).max_by(|a, b| again[*a].total_cmp(&again[*b])).unwrap_or(0);
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / champions.len() as f64;
        let row = |(champion, remeasured): (&&Individual, &f64)| Champion {
            id: champion.id.to_string(),
            evaluations: champion.samples.n(),
            fitness: champion.samples.mean(),
            remeasured: *remeasured,
        };
        let EngineStatus { engine, adapter, driver, r_acc } = evolution.engine().status();
        Ok(Outcome {
            seed: config.seed,
            algorithm: config.settings.algorithm,
            final_mean: mean(&mut champions.iter().map(|c| c.samples.derated(config.settings.full_evaluations))),
            final_best: champions.iter().map(|c| c.samples.mean()).fold(f64::NEG_INFINITY, f64::max),
            remeasured_mean: mean(&mut again.iter().copied()),
            remeasured_best: again[best],
            generations_to: state.reached.map(|reached| reached.generation),
            robot_seconds_to: state.reached.map(|reached| reached.robot_seconds),
            robot_seconds: evolution.robot_seconds(),
            engine,
            adapter,
            driver,
            r_acc,
            steps: state.course.ended.clone(),
            wall_s: state.wall_s,
            generations: state.generation,
            champions: champions.iter().zip(&again).map(row).collect(),
            best_tree: trees[best].to_string(),
            front: None,
        })
    }

    /// Measures the run's Pareto front of fitness and size as champions are, and keeps what is still one then.
    ///
    /// # Errors
    /// If one of its trees does not fit a robot.
    pub fn with_front(self, evolution: &EvolutionRun) -> Result<Outcome, CompileError> {
        let all = front(&evolution.state().islands, &evolution.config().settings);
        let (trees, again) = measured_again(evolution.config(), &all)?;
        let rows = all.iter().zip(&trees).zip(again).map(|((one, tree), remeasured)| {
            let nodes = one.tree.nodes().len();
            let (id, evaluations, fitness) = (one.id.to_string(), one.samples.n(), one.samples.mean());
            (nodes, remeasured, FrontTree { id, nodes, evaluations, fitness, remeasured, tree: tree.to_string() })
        });
        Ok(Outcome { front: Some(undominated(rows.collect())), ..self })
    }
}
