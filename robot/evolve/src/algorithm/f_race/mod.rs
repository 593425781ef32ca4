//! `f-race`: selection by iterated F-Race (Birattari et al. 2002; irace, López-Ibáñez et al. 2016), with which AutoMoDe
//! designs its controllers. It exists to compare this rule with the others.
//!
//! A generation is one race. The elite and the newborns are tried in one world after the other. From the fifth world
//! on, candidates are dropped if a Friedman test shows that they are worse than the best one. The race ends when no
//! more candidates are left than the elite has places, or when the budget of the generation is used.
//!
//! Newborns are created as in `racing`. The immigrants of the last generation are candidates of the next race.

mod friedman;

use super::Rules;
use super::racing::Racing;
use crate::deme::{Deme, Trial};
use crate::genotype::Genotype;
use crate::individual::{Individual, Migrant, Stage};
use crate::settings::Settings;
use friedman::{rank_sums, worse_than_best};
use serde::{Deserialize, Serialize};

/// Number of worlds before the first test (irace's `firstTest`).
const FIRST_TEST: u32 = 5;

/// State of the `f-race` algorithm on an island.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FRace {
    /// State of the newborns. It has one start only.
    newborns: Racing,
    /// Results of the current race: for each world, the sample of each individual; `None` if it was already dropped.
    worlds: Vec<Vec<Option<f64>>>,
}

impl Rules for FRace {
    fn populate(&mut self, deme: &mut Deme) {
        *self = FRace::default();
        self.add_newborns(deme);
    }

    fn populate_with(&mut self, deme: &mut Deme, given: Vec<Genotype>) {
        *self = FRace::default();
        self.newborns.begin_with(deme, given);
        self.add_newborns(deme);
    }

    fn trials(&self, deme: &Deme) -> Vec<Trial> {
        let (first, count) = if self.worlds.is_empty() { (0, FIRST_TEST) } else { (self.worlds.len() as u32, 1) };
        let trial = |individual, k| {
            let stratum = (first + k) as usize % 2;
            Trial::whole(individual, stratum, deme.worlds().wrapping_add(k), 2)
        };
        candidates(deme).flat_map(|i| (0..count).map(move |k| trial(i, k))).collect()
    }

    fn end_round(&mut self, deme: &mut Deme, trials: &[Trial], results: &[f64]) -> bool {
        let (before, base) = (self.worlds.len(), deme.worlds());
        for (trial, result) in trials.iter().zip(results) {
            let place = before + trial.world.wrapping_sub(base) as usize;
            if place >= self.worlds.len() {
                self.worlds.resize(place + 1, vec![None; deme.individuals().len()]);
            }
            self.worlds[place][trial.individual] = Some(*result);
        }
        deme.record(trials, results);
        let running: Vec<usize> = candidates(deme).collect();
        for worse in worse_than_best(&self.results(&running)) {
            deme.individuals_mut()[running[worse]].stage = Stage::Dropped;
        }
        let left = candidates(deme).count();
        let used = self.worlds.iter().flatten().flatten().count();
        let ends = left <= deme.settings().elites() || used + left > budget(deme.settings());
        if ends {
            self.choose_elite(deme);
        }
        ends
    }

    fn sample(&self, fitness: f64) -> f64 {
        self.newborns.sample(fitness)
    }

    fn sort_key(&self, individual: &Individual, _: &Settings) -> f64 {
        // The stage has priority, because the means of dropped individuals are over fewer worlds.
        individual.recent - 10.0 * f64::from(individual.stage as u8)
    }

    fn champion_value(&self, individual: &Individual, settings: &Settings) -> f64 {
        let dropped = if individual.stage == Stage::Elite { 0.0 } else { 10.0 };
        individual.samples.derated(settings.full_evaluations) - dropped
    }

    fn emigrant<'a>(&self, _: &'a Deme, champion: &'a Individual) -> &'a Individual {
        champion
    }

    fn immigrate(&mut self, deme: &mut Deme, immigrants: &[Migrant]) {
        self.newborns.immigrate(deme, immigrants);
    }

    fn forget(&mut self) {
        self.newborns.forget();
        self.worlds.clear();
    }

    fn relearn(&mut self) {
        self.newborns.relearn();
        self.worlds.clear();
    }

    fn breed(&mut self, deme: &mut Deme) {
        self.worlds.clear();
        deme.individuals_mut().retain(|one| matches!(one.stage, Stage::Elite | Stage::Guest));
        self.add_newborns(deme);
        for guest in deme.individuals_mut().iter_mut().filter(|one| one.stage == Stage::Guest) {
            guest.stage = Stage::Newborn;
        }
    }
}

impl FRace {
    /// Fills the race with newborns. The number of candidates is that of irace (its Eq. 2), which decreases over the
    /// first generations, because later candidates are more similar and need more worlds.
    fn add_newborns(&mut self, deme: &mut Deme) {
        let trials_each = FIRST_TEST + FIRST_TEST.min(deme.generation() + 1);
        let candidates = budget(deme.settings()) / trials_each as usize;
        let free = candidates.saturating_sub(deme.individuals().len()).max(1);
        self.newborns.add_newborns(deme, free as u32);
    }

    /// Returns the results of individuals that were tried in all worlds of the race, one row per world.
    fn results(&self, individuals: &[usize]) -> Vec<Vec<f64>> {
        self.worlds.iter().map(|world| individuals.iter().filter_map(|i| world[*i]).collect()).collect()
    }

    /// Makes the remaining candidates with the greatest rank sums the elite, and drops the others.
    fn choose_elite(&self, deme: &mut Deme) {
        let left: Vec<usize> = candidates(deme).collect();
        let results = self.results(&left);
        let sums = rank_sums(&results);
        let mut ranked: Vec<usize> = (0..left.len()).collect();
        ranked.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]).then(a.cmp(b)));
        let elites = deme.settings().elites();
        for (place, column) in ranked.into_iter().enumerate() {
            let one = &mut deme.individuals_mut()[left[column]];
            one.stage = if place < elites { Stage::Elite } else { Stage::Dropped };
            one.recent = results.iter().map(|row| row[column]).sum::<f64>() / results.len() as f64;
        }
    }
}

/// Returns the number of trials of a generation. A trial takes twice the run's trial length.
fn budget(settings: &Settings) -> usize {
    settings.population / 2
}

fn candidates(deme: &Deme) -> impl Iterator<Item = usize> {
    let takes_part = |one: &Individual| matches!(one.stage, Stage::Elite | Stage::Newborn);
    deme.individuals().iter().enumerate().filter(move |(_, one)| takes_part(one)).map(|(i, _)| i)
}
