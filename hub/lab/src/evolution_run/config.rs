//! Configuration of a run of evolution.

use xpuck_evolve::geneserver::{Copies, Geneserver};
use xpuck_evolve::{Migration, PrimitiveSet, Settings};
use xpuck_experiment::Step;
use xpuck_experiment::robot_model::RobotSpec;
use xpuck_experiment::steps::MAX_GENERATIONS;
use xpuck_kernels::engine::EngineChoice;
use xpuck_kernels::world::WorldSpec;

/// Maximum length of the name of a fitness function (characters).
pub(super) const MAX_FUNCTION: usize = 100;

/// Complete configuration of a run. Two runs with the same configuration give identical results if the engine
/// guarantees this.
#[derive(Clone, Debug)]
pub struct Config {
    /// Number of islands (1..=64).
    pub islands: u16,
    /// Number of the island, if this process evolves only one (0..=9999). It then exchanges genes with other
    /// processes through a geneserver. `None`: this process evolves all islands.
    pub island: Option<u16>,
    /// Maximum number of generations (1..=[`MAX_GENERATIONS`]).
    pub generations: u32,
    /// Budget of this process in simulated robot time (robot-seconds, 1..=1e15). The run ends after the generation
    /// that exhausts the budget. `None`: no limit.
    pub budget: Option<f64>,
    /// Maximum number of simulations of this process (1..=1e12). The run ends before a generation that would exceed it.
    /// `None`: no limit.
    pub simulations: Option<u64>,
    /// Robots in place of those of the world file; `None`: the robots of the world.
    pub robot: Option<RobotSpec>,
    /// Simulated duration of a trial (s, 1..=3600).
    pub seconds: f32,
    /// Seed of all random numbers (0..=i64::MAX, the range of TOML integers).
    pub seed: u64,
    /// Number of simulations in which each champion is measured at the end (1..=100_000).
    pub remeasure: u32,
    /// World of the trials.
    pub spec: WorldSpec,
    /// Curriculum: steps before the run's own world, at most [`MAX_STEPS`](xpuck_experiment::steps::MAX_STEPS).
    pub steps: Vec<Step>,
    /// Text of the world file; `None` for the benchmark.
    pub world: Option<String>,
    /// Name of the Python function that computes the fitness; `None`: the task of the world.
    pub fitness: Option<String>,
    /// Text of the calibration file that was applied to the world; `None` without calibration.
    pub calibration: Option<String>,
    /// Primitives from which trees are built.
    pub primitive_set: PrimitiveSet,
    /// Text of the primitive set's file; `None` for the set of the thesis (Table 8.2).
    pub primitive_set_file: Option<String>,
    /// Algorithm and settings of every island.
    pub settings: Settings,
    /// Migration of genes between islands.
    pub migration: Migration,
    /// Engine that simulates the trials. With `simd` and `reference`, results are identical on every machine. With
    /// `gpu`, they are identical for the same adapter and driver. With `auto` and `both`, identical results are not
    /// guaranteed.
    pub engine: EngineChoice,
}

impl Config {
    /// Validates the ranges of all values.
    ///
    /// # Errors
    /// A value is out of its range. The error is one line that names the key and the range.
    pub fn check(&self) -> Result<(), String> {
        let rows = [
            ("islands", f64::from(self.islands), 1.0, 64.0),
            ("island", f64::from(self.island.unwrap_or(0)), 0.0, 9999.0),
            ("generations", f64::from(self.generations), 1.0, f64::from(MAX_GENERATIONS)),
            ("budget", self.budget.unwrap_or(1.0), 1.0, 1e15),
            ("simulations", self.simulations.unwrap_or(1) as f64, 1.0, 1e12),
            ("seconds", f64::from(self.seconds), 1.0, 3600.0),
            ("seed", self.seed as f64, 0.0, i64::MAX as f64),
            ("remeasure", f64::from(self.remeasure), 1.0, 1e5),
        ];
        for (key, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(format!("{key} = {value} is outside {low} to {high}"));
            }
        }
        let characters = self.fitness.as_ref().map_or(1, |name| name.chars().count());
        if !(1..=MAX_FUNCTION).contains(&characters) {
            return Err(format!("fitness has {characters} characters; it must have 1 to {MAX_FUNCTION}"));
        }
        self.migration.check()?;
        self.settings.check().map_err(|error| error.to_string())
    }

    /// Checks that the task of the world computes the fitness.
    ///
    /// # Errors
    /// A Python function computes the fitness. The error is one line that names the key.
    pub fn check_fitness(&self) -> Result<(), String> {
        self.fitness.as_ref().map_or(Ok(()), |name| {
            Err(format!(
                "fitness = {name:?}: a Python function computes this fitness; pass it to the Python package, as in \
                 xpuck.evolve(..., fitness={name})"
            ))
        })
    }

    /// Returns the numbers of the islands that this process evolves.
    pub fn numbers(&self) -> std::ops::Range<u16> {
        self.island.map_or(0..self.islands, |island| island..island + 1)
    }

    /// Returns a new geneserver for this run.
    pub fn geneserver(&self) -> Geneserver {
        let copies = Copies::from(self.settings.algorithm.sample_owner());
        Geneserver::new(self.migration.clone(), copies, self.seed)
    }
}
