//! What a run of evolution is.

use xpuck_evolve::{PrimitiveSet, SampleOwner, Settings};
use xpuck_experiment::Step;
use xpuck_experiment::steps::MAX_GENERATIONS;
use xpuck_hub_core::geneserver::{Copies, Geneserver};
use xpuck_kernels::engine::EngineChoice;
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::Migration;

/// Everything that decides a run; two runs of one configuration give the same digits, if its engine promises them.
#[derive(Clone, Debug)]
pub struct Config {
    /// Number of islands, 1..=64.
    pub islands: u16,
    /// Only this island, 0..=9999, whose process exchanges genes with others' through a geneserver.
    pub island: Option<u16>,
    /// Generations at most, 1..=[`MAX_GENERATIONS`].
    pub generations: u32,
    /// Simulated time of this process, s times robots, 1..=1e15: the generation that uses it up is the last.
    pub budget: Option<f64>,
    /// Simulated seconds of a trial, 1..=3600.
    pub seconds: f32,
    /// Seed, 0..=i64::MAX, as a file can hold it.
    pub seed: u64,
    /// Simulations of each champion at the end, 1..=100_000.
    pub remeasure: u32,
    /// The world of the trials.
    pub spec: WorldSpec,
    /// The steps before it, at most [`MAX_STEPS`](xpuck_experiment::steps::MAX_STEPS).
    pub steps: Vec<Step>,
    /// The world's file, if it is not the benchmark.
    pub world: Option<String>,
    /// The calibration file that the world was changed by, if there is one.
    pub calibration: Option<String>,
    /// What trees are built from.
    pub primitive_set: PrimitiveSet,
    /// The primitive set's file, if it is not the thesis's (Table 8.2).
    pub primitive_set_file: Option<String>,
    /// The algorithm and the settings of every island.
    pub settings: Settings,
    /// How genes travel.
    pub migration: Migration,
    /// What simulates the trials. Of the digits `simd` and `reference` promise the same everywhere, `gpu` those of its
    /// adapter and driver, `auto` and `both` none.
    pub engine: EngineChoice,
}

impl Config {
    /// Checks every range.
    ///
    /// # Errors
    /// One line that names the key and the range.
    pub fn check(&self) -> Result<(), String> {
        let rows = [
            ("islands", f64::from(self.islands), 1.0, 64.0),
            ("island", f64::from(self.island.unwrap_or(0)), 0.0, 9999.0),
            ("generations", f64::from(self.generations), 1.0, f64::from(MAX_GENERATIONS)),
            ("budget", self.budget.unwrap_or(1.0), 1.0, 1e15),
            ("seconds", f64::from(self.seconds), 1.0, 3600.0),
            ("seed", self.seed as f64, 0.0, i64::MAX as f64),
            ("remeasure", f64::from(self.remeasure), 1.0, 1e5),
        ];
        for (key, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(format!("{key} = {value} is outside {low}..={high}"));
            }
        }
        self.migration.check()?;
        self.settings.check().map_err(|error| error.to_string())
    }

    /// Numbers of the islands that this process evolves.
    pub fn numbers(&self) -> std::ops::Range<u16> {
        self.island.map_or(0..self.islands, |island| island..island + 1)
    }

    /// A geneserver for this run.
    pub fn geneserver(&self) -> Geneserver {
        let copies = match self.settings.algorithm.sample_owner() {
            SampleOwner::Copy => Copies::Each,
            SampleOwner::Genotype => Copies::Once,
        };
        Geneserver::new(self.migration.clone(), copies, self.seed)
    }
}
