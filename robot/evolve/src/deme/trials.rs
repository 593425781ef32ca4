//! Trials of a population and the recording of their results.

use super::Deme;
use crate::individual::Individual;
use xpuck_kernels::engine::{Job, Team};
use xpuck_kernels::world::WorldSpec;

/// Fitness that replaces NaN or infinity. A controller that never moves the frisbee has this fitness.
const FAILURE: f64 = -1.0;

/// Simulation that the island requests. A trial may be simulated in parts: the trials of a later round then continue
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Index of the individual in the population.
    pub individual: usize,
    /// Stratum of the trial (0 or 1). Each stratum has its own scenario.
    pub stratum: usize,
    /// Number of the world, which together with the island's seed determines the simulation. Trials in the same world
    /// have the same random numbers. Different generations use different worlds.
    pub world: u32,
    /// Number of halves of the run's trial length that earlier rounds have simulated; 0 for a new trial.
    pub begin: u32,
    /// Number of halves of the run's trial length at which the simulation stops. The fitness of the trial is that at
    /// this time.
    pub end: u32,
    /// Whether a later round may continue the trial. The caller may keep the simulated world until then.
    pub may_continue: bool,
}

impl Trial {
    /// Returns a trial from its start to its end, with a duration of `length` times the run's trial length.
    pub(crate) fn whole(individual: usize, stratum: usize, world: u32, length: u32) -> Trial {
        Trial { individual, stratum, world, begin: 0, end: 2 * length, may_continue: false }
    }

    /// Returns the number of the update at which the simulation stops. `updates` is the run's trial length (controller
    /// updates).
    pub fn last_update(&self, updates: u32) -> u32 {
        half_updates(self.end, updates)
    }

    /// Returns the simulation of the trial. `island` is the island's number and `seed` the run's seed. `tree` is the index
    /// of the individual's tree, and `updates` is the run's trial length (controller updates).
    pub fn job<'a>(&self, spec: &'a WorldSpec, (island, seed): (u16, u64), tree: usize, updates: u32) -> Job<'a> {
        Job {
            spec,
            start: self.stratum,
            team: Team::all(tree),
            seed: seed ^ (u64::from(island) + 1) << 32,
            world: self.world,
            updates: self.last_update(updates),
        }
    }

    /// Returns the number of updates that are simulated. `updates` is the run's trial length (controller updates).
    pub fn new_updates(&self, updates: u32) -> u32 {
        half_updates(self.end, updates) - half_updates(self.begin, updates)
    }
}

fn half_updates(halves: u32, updates: u32) -> u32 {
    halves * updates / 2
}

impl Deme {
    /// Returns `count` trials for each individual, each trial in a different world. The strata of an individual's
    /// trials alternate.
    pub(crate) fn trials_each(&self, count: impl Fn(&Individual) -> u32) -> Vec<Trial> {
        let mut trials = Vec::with_capacity(self.individuals.len());
        for (i, individual) in self.individuals.iter().enumerate() {
            let mut samples = individual.samples;
            for _ in 0..count(individual) {
                let stratum = samples.next_stratum();
                samples.add(stratum, 0.0);
                let world = self.worlds.wrapping_add(trials.len() as u32);
                trials.push(Trial::whole(i, stratum, world, 1));
            }
        }
        trials
    }

    /// Replaces each fitness that is not finite by [`FAILURE`], and counts these.
    pub(crate) fn finite(&mut self, fitness: &[f32]) -> Vec<f64> {
        let failed = fitness.iter().filter(|fitness| !fitness.is_finite()).count();
        self.rejected += failed as u64;
        fitness.iter().map(|fitness| if fitness.is_finite() { f64::from(*fitness) } else { FAILURE }).collect()
    }

    /// Adds the result of each trial to the samples of the tried individual.
    pub(crate) fn record(&mut self, trials: &[Trial], results: &[f64]) {
        let mut sums = vec![(0.0, 0.0); self.individuals.len()];
        for (trial, sample) in trials.iter().zip(results) {
            self.individuals[trial.individual].samples.add(trial.stratum, *sample);
            let (sum, count) = &mut sums[trial.individual];
            (*sum, *count) = (*sum + sample, *count + 1.0);
        }
        for (individual, (sum, count)) in self.individuals.iter_mut().zip(sums).filter(|(_, (_, count))| *count > 0.0) {
            individual.recent = sum / count;
        }
        let used = trials.iter().map(|trial| trial.world.wrapping_sub(self.worlds)).max().map_or(0, |last| last + 1);
        self.use_worlds(used);
    }

    /// Marks the next `count` worlds as used.
    pub(crate) fn use_worlds(&mut self, count: u32) {
        self.worlds = self.worlds.wrapping_add(count);
    }

    /// Ends a generation.
    pub(crate) fn end_generation(&mut self) {
        self.generation += 1;
    }
}
