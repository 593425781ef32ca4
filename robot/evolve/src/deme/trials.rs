//! Trials of a population and the recording of their results.

use super::Deme;
use crate::individual::Individual;

/// Fitness that replaces NaN or infinity. A controller that never moves the frisbee has this fitness.
const FAILURE: f64 = -1.0;

/// Simulation that the island requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Index of the individual in the population.
    pub individual: usize,
    /// Stratum of the trial (0 or 1). Each stratum has its own scenario.
    pub stratum: usize,
    /// Number of the world, which together with the island's seed determines the simulation. Trials in the same world
    /// have the same random numbers. Different generations use different worlds.
    pub world: u32,
    /// Length of the trial (multiples of the run's trial length).
    pub length: u32,
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
                trials.push(Trial { individual: i, stratum, world, length: 1 });
            }
        }
        trials
    }

    /// Adds the result of each trial to the samples of the tried individual. `sample` converts a fitness to a sample. A
    /// fitness that is not finite is replaced by [`FAILURE`].
    pub(crate) fn record(&mut self, trials: &[Trial], fitness: &[f32], sample: impl Fn(f64) -> f64) {
        assert_eq!(fitness.len(), trials.len(), "one result for each trial");
        let mut sums = vec![(0.0, 0.0); self.individuals.len()];
        for (trial, f) in trials.iter().zip(fitness) {
            let sound = f.is_finite();
            self.rejected += u64::from(!sound);
            let sample = sample(if sound { f64::from(*f) } else { FAILURE });
            self.individuals[trial.individual].samples.add(trial.stratum, sample);
            let (sum, count) = &mut sums[trial.individual];
            (*sum, *count) = (*sum + sample, *count + 1.0);
        }
        for (individual, (sum, count)) in self.individuals.iter_mut().zip(sums).filter(|(_, (_, count))| *count > 0.0) {
            individual.recent = sum / count;
        }
        let used = trials.iter().map(|trial| trial.world.wrapping_sub(self.worlds)).max().map_or(0, |last| last + 1);
        self.worlds = self.worlds.wrapping_add(used);
        self.generation += 1;
    }
}
