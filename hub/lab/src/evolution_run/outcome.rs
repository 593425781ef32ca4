//! Result of a run.

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

/// Duration of each simulation that remeasures champions (s).
pub const SECONDS: f32 = 60.0;

/// Result of a run. `xpuck evolve --json` prints it as its last line.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Outcome {
    /// Seed of the run.
    pub seed: u64,
    /// Name of the algorithm.
    pub algorithm: Algorithm,
    /// Name of the Python function that computed the fitness, if it was not the task of the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fitness: Option<String>,
    /// Mean over the islands of the champion's derated fitness (Eq. 8.1), as estimated during evolution.
    pub final_mean: f64,
    /// Highest fitness of the champions, as estimated during evolution.
    pub final_best: f64,
    /// Mean over the islands of the champion's fitness in fresh simulations.
    pub remeasured_mean: f64,
    /// Highest fitness of the champions in fresh simulations.
    pub remeasured_best: f64,
    /// Raw value of the mission's formula that corresponds to `final_best`; only in missions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_best_value: Option<f64>,
    /// Mean over the islands of the champion's raw value in fresh simulations; only in missions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remeasured_mean_value: Option<f64>,
    /// Raw value of the champion with the highest fitness in fresh simulations; only in missions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remeasured_best_value: Option<f64>,
    /// First generation with a mean derated fitness of at least [`super::THRESHOLD`]; `None` if there is no such
    /// generation.
    #[serde(rename = "generations_to_0.205")]
    pub generations_to: Option<u32>,
    /// Simulated time up to the end of the generation `generations_to` (robot-seconds).
    #[serde(rename = "robot_seconds_to_0.205")]
    pub robot_seconds_to: Option<f64>,
    /// Simulated time of the evolution (robot-seconds).
    pub robot_seconds: f64,
    /// Number of simulations of the evolution.
    pub simulations: u64,
    /// Engine of the last generations: "simd", "reference", "gpu", or "gpu+simd".
    pub engine: &'static str,
    /// Graphics adapter of the engine, if the engine used one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// Driver of the adapter, if the engine used an adapter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Mean simulation rate over the last eight generations of this process (robot-seconds/s); 0 if this process has
    /// not evolved a generation.
    pub r_acc: f64,
    /// Results of the completed steps of a curriculum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepEnd>,
    /// Wall time of evolution and measurement (s), over all processes that worked on the run.
    pub wall_s: f64,
    /// Number of evaluated generations.
    pub generations: u32,
    /// Champion of each island.
    pub champions: Vec<Champion>,
    /// Text of the champion with the highest fitness in fresh simulations, together with the collision avoidance
    /// (`avoiding`) with which robots run it.
    pub best_tree: String,
    /// Pareto front of size and fitness, the smallest tree first, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front: Option<Vec<FrontTree>>,
}

/// Champion of an island.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Champion {
    /// Identifier, as accepted by `xpuck runs lineage`.
    pub id: String,
    /// Number of evaluations.
    pub evaluations: u32,
    /// Fitness as estimated during evolution.
    pub fitness: f64,
    /// Mean fitness in fresh simulations.
    pub remeasured: f64,
    /// Mean raw value of the mission's formula in fresh simulations; only in missions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remeasured_value: Option<f64>,
}

/// Returns the plan of `runs` simulations in the run's world. They use the world's starts in turn, and a seed that the
/// evolution does not use.
pub fn fresh_plan(config: &Config, runs: u32) -> Plan<'_> {
    Plan { spec: &config.spec, seconds: fresh_seconds(config), runs, seed: !config.seed }
}

/// Returns the duration of the simulations of [`fresh_plan`] (s): 60 s, or that of the longest trials of `racing` if
/// they are longer.
pub fn fresh_seconds(config: &Config) -> f32 {
    SECONDS.max(2.0 * config.seconds)
}

/// Returns the mean fitness of each program over the simulations of [`fresh_plan`].
pub fn on_fresh_worlds(engine: &dyn Engine, config: &Config, programs: &[Program], runs: u32) -> Vec<f64> {
    measure_all(engine, programs, &fresh_plan(config, runs)).iter().map(|m| m.mean).collect()
}

/// Adds the collision avoidance (`avoiding`) to the individuals' trees. Returns these trees, and their mean fitness in
/// worlds that the evolution has not used. The engine is always `simd`, so that results of runs with different engines
/// are comparable.
fn measured_again(config: &Config, individuals: &[&Individual]) -> Result<(Vec<Tree>, Vec<f64>), CompileError> {
    let (trees, programs) = compiled(config, individuals)?;
    let again = on_fresh_worlds(&engine::simd(), config, &programs, config.remeasure);
    Ok((trees, again))
}

/// Adds the collision avoidance (`avoiding`) to the individuals' trees. Returns these trees and their programs.
fn compiled(config: &Config, individuals: &[&Individual]) -> Result<(Vec<Tree>, Vec<Program>), CompileError> {
    let trees: Vec<Tree> = individuals.iter().map(|i| config.settings.driving(&i.tree)).collect();
    let programs = trees.iter().map(Program::compile).collect::<Result<_, _>>()?;
    Ok((trees, programs))
}

/// Returns the champion of each island.
fn champions(evolution: &EvolutionRun) -> Vec<&Individual> {
    let settings = &evolution.config().settings;
    evolution.state().islands.iter().map(|island| champion(island, settings)).collect()
}

impl Outcome {
    /// Returns the result of a run. Every island's champion is remeasured in worlds that the evolution has not used.
    ///
    /// # Errors
    /// A champion cannot be compiled for a robot.
    pub fn from_evolution(evolution: &EvolutionRun) -> Result<Outcome, CompileError> {
        let (trees, again) = measured_again(evolution.config(), &champions(evolution))?;
        Ok(Outcome::from_measured(evolution, &trees, &again))
    }

    /// Returns the result of a run like [`Outcome::from_evolution`]. `measure` returns the mean fitness of each program
    /// over the simulations of a plan.
    ///
    /// # Errors
    /// A champion cannot be compiled for a robot, or `measure` fails.
    pub fn from_evolution_with<E: From<CompileError>>(
        evolution: &EvolutionRun,
        measure: impl FnOnce(&[Program], &Plan<'_>) -> Result<Vec<f64>, E>,
    ) -> Result<Outcome, E> {
        let (trees, programs) = compiled(evolution.config(), &champions(evolution))?;
        let config = evolution.config();
        let again = measure(&programs, &fresh_plan(config, config.remeasure))?;
        Ok(Outcome::from_measured(evolution, &trees, &again))
    }

    /// Returns the result of a run. `trees` and `again` are the trees of the champions and their fitness in fresh
    /// worlds.
    fn from_measured(evolution: &EvolutionRun, trees: &[Tree], again: &[f64]) -> Outcome {
        let (config, state) = (evolution.config(), evolution.state());
        let champions = champions(evolution);
        let best = (0..again.len()).max_by(|a, b| again[*a].total_cmp(&again[*b])).unwrap_or(0);
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / champions.len() as f64;
        // The fitness of a Python function has no raw value.
        let value_of = |fitness: f64| config.spec.task.value_of(fitness).filter(|_| config.fitness.is_none());
        let final_best = champions.iter().map(|c| c.samples.mean()).fold(f64::NEG_INFINITY, f64::max);
        let remeasured_mean = mean(&mut again.iter().copied());
        let row = |(champion, remeasured): (&&Individual, &f64)| Champion {
            id: champion.id.to_string(),
            evaluations: champion.samples.n(),
            fitness: champion.samples.mean(),
            remeasured: *remeasured,
            remeasured_value: value_of(*remeasured),
        };
        let EngineStatus { engine, adapter, driver, r_acc } = evolution.engine().status();
        Outcome {
            seed: config.seed,
            algorithm: config.settings.algorithm,
            fitness: config.fitness.clone(),
            final_mean: mean(&mut champions.iter().map(|c| c.samples.derated(config.settings.full_evaluations))),
            final_best,
            remeasured_mean,
            remeasured_best: again[best],
            final_best_value: value_of(final_best),
            remeasured_mean_value: value_of(remeasured_mean),
            remeasured_best_value: value_of(again[best]),
            generations_to: state.reached.map(|reached| reached.generation),
            robot_seconds_to: state.reached.map(|reached| reached.robot_seconds),
            robot_seconds: evolution.robot_seconds(),
            simulations: evolution.simulations(),
            engine,
            adapter,
            driver,
            r_acc,
            steps: state.course.ended.clone(),
            wall_s: state.wall_s,
            generations: state.generation,
            champions: champions.iter().zip(again).map(row).collect(),
            best_tree: trees[best].to_string(),
            front: None,
        }
    }

    /// Adds the run's Pareto front of fitness and size. The trees of the front are remeasured in the same worlds as the
    /// champions. Only trees that are still Pareto-optimal are kept.
    ///
    /// # Errors
    /// A tree of the front cannot be compiled for a robot.
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
