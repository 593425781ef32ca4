//! Rounds of a generation. Islands that need fewer rounds wait for the others.

use super::champion::champion;
use super::record;
use std::collections::BTreeMap;
use xpuck_evolve::{Id, Island, Settings, Trial};

/// Generation of all islands while its rounds are evaluated.
pub struct Rounds {
    /// Trials of the current round, per island. An island whose generation is complete has none.
    trials: Vec<Vec<Trial>>,
    /// Whether the generation of each island is complete.
    complete: Vec<bool>,
    /// Record of each island so far.
    record: Vec<record::Island>,
    /// Index of the sample of a trial in the record, by island, individual and world. A later round that continues the
    /// trial replaces the sample.
    samples: BTreeMap<(usize, Id, u32), usize>,
    simulations: u64,
}

impl Rounds {
    /// Returns the first round of a generation.
    pub(super) fn begin(islands: &[Island]) -> Rounds {
        let mut rounds = Rounds {
            trials: Vec::new(),
            complete: vec![false; islands.len()],
            record: islands.iter().map(record::Island::observe).collect(),
            samples: BTreeMap::new(),
            simulations: 0,
        };
        rounds.request(islands);
        rounds
    }

    fn request(&mut self, islands: &[Island]) {
        let trials = islands.iter().zip(&self.complete).map(|(island, complete)| match complete {
            true => Vec::new(),
            false => island.trials(),
        });
        self.trials = trials.collect();
        self.simulations += self.all().filter(|trial| trial.begin == 0).count() as u64;
    }

    /// Returns the trials of the current round, per island.
    pub(super) fn trials(&self) -> &[Vec<Trial>] {
        &self.trials
    }

    /// Returns the trials of the current round of all islands.
    pub(super) fn all(&self) -> impl Iterator<Item = &Trial> {
        self.trials.iter().flatten()
    }

    /// Returns the number of simulations begun in this generation.
    pub(super) fn simulations(&self) -> u64 {
        self.simulations
    }

    /// Returns whether the generation of the island at index `place` is complete.
    pub(super) fn is_complete(&self, place: usize) -> bool {
        self.complete[place]
    }

    /// Adds the results of the round's trials to the record of an island. The caller must not apply the results to the
    /// island before this call, because a complete generation reorders the population.
    pub(super) fn observe(&mut self, place: usize, island: &Island, fitness: &[f32]) {
        let samples = &mut self.record[place].samples;
        for (trial, fitness) in self.trials[place].iter().zip(fitness) {
            let sample = record::Sample::observe(island, trial, *fitness);
            let id = sample.id;
            match self.samples.get(&(place, id, trial.world)) {
                Some(index) if trial.begin > 0 => samples[*index] = sample,
                _ => {
                    self.samples.insert((place, id, trial.world), samples.len());
                    samples.push(sample);
                }
            }
        }
    }

    /// Notes whether the generation of the island at index `place` is complete.
    pub(super) fn note(&mut self, place: usize, complete: bool) {
        self.complete[place] = complete;
    }

    /// Begins the next round. Returns whether the generations of all islands are complete instead.
    pub(super) fn next(&mut self, islands: &[Island]) -> bool {
        let done = self.complete.iter().all(|complete| *complete);
        if !done {
            self.request(islands);
        }
        done
    }

    /// Returns the record of the generation, with the champions that resulted.
    pub(super) fn take_record(&mut self, islands: &[Island], settings: &Settings) -> Vec<record::Island> {
        let mut record = std::mem::take(&mut self.record);
        record.iter_mut().zip(islands).for_each(|(entry, island)| entry.champion = champion(island, settings).id);
        record
    }
}
