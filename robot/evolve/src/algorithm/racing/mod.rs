//! `racing`: selection in stages. Most new trees are poor, so each gets two short trials. The best of them become
//! contenders with four longer trials. The best contenders become finalists with eight more trials. The best
//! finalists join a small elite.
//!
//! Five measures make the results comparable. All trials of a stage run in the same worlds, so the start conditions
//! are equal. The samples that promoted a newborn to contender are discarded. Elite and guests are tried again in every
//! generation. Trees are reduced before they are compared. A new tree whose reduced form was already tried gets no
//! trials.
//!
//! An island without progress restarts, alternately from new trees and from its guests. Guests are the best trees of
//! the island's own earlier starts and of other islands. They breed only in a start from guests. An island therefore
//! always knows the best tree of the swarm, and still searches in a different region from the other islands.

mod newborns;
mod stages;

use super::Rules;
use crate::deme::{Deme, Trial};
use crate::genotype::Genotype;
use crate::individual::{Individual, Migrant, Stage};
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use stages::{best, promote};
use std::collections::BTreeSet;

/// Standard deviation of the fitness of a good tree over trials of one scenario.
const SPREAD: f64 = 0.06;
/// Sample that replaces the fitness of a trial in which the frisbee was not moved. The thesis uses -1, which is ten
/// times the spread of all other trials. A few such samples would dominate a tree's other samples.
const NOTHING_MOVED: f64 = -0.05;
/// Fitness up to which a trial counts as one in which the frisbee was not moved. A trial in which the frisbee is pushed
/// in the wrong direction has a higher fitness. This applies to transport tasks only ([`crate::Island::record_for`]).
const UNMOVED: f64 = -0.5;
/// Number of trials of an individual per generation. Index 0 applies to newborns, elite individuals and guests, index 1
/// to contenders, and index 2 to finalists.
const TRIALS: [u32; 3] = [2, 4, 8];
/// Minimum improvement of the best elite value that counts as progress.
const PROGRESS: f64 = 0.01;
/// Number of generations without progress after which a start is given up. Index 0 applies to a start from new trees,
/// index 1 to a start from guests.
const PATIENCE: [u32; 2] = [6, 10];
/// Minimum age at which a start from new trees may be given up (generations).
const MIN_AGE: u32 = 10;
/// Criterion for giving up a start from new trees early: the deficit of the best elite value relative to the best
/// guest's value, and the number of generations without progress.
const MAX_DEFICIT: (f64, u32) = (0.05, 3);

/// State of the `racing` algorithm on an island.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Racing {
    /// Generation of the last start.
    began: u32,
    /// Whether the last start was from guests.
    from_guests: bool,
    /// Best elite value since the last start, and its generation. `None` until an elite individual has been evaluated.
    best: Option<(f64, u32)>,
    /// Hashes of all trees tried since the last start from new trees.
    seen: BTreeSet<u64>,
    /// Whether the world has changed. If so, the next generation is a start from guests.
    world_changed: bool,
}

/// Returns the value of a tree: one standard error below the mean, minus the cost of the nodes. All trees have the
/// same assumed spread. With a prior of mean 0 instead, small improvements of a good tree would not join the elite.
pub(super) fn value(individual: &Individual, node_cost: f64) -> f64 {
    let doubt = SPREAD / f64::from(individual.samples.n().max(1)).sqrt();
    individual.samples.mean() - doubt - node_cost * individual.tree.nodes().len() as f64
}

/// Returns the maximum number of guests of an island.
pub(super) fn guests(settings: &Settings) -> usize {
    settings.elites() + 1
}

/// Returns whether the individual's tree may drive a robot: it is elite or a guest, and has enough samples.
fn is_known(individual: &Individual, settings: &Settings) -> bool {
    matches!(individual.stage, Stage::Elite | Stage::Guest) && individual.samples.n() >= settings.full_evaluations
}

impl Rules for Racing {
    fn populate(&mut self, deme: &mut Deme) {
        *self = Racing::default();
        self.seed_population(deme);
    }

    /// Admits the given genotypes as newborns, so that the best of them breed. If there are any, the start skips the
    /// generations in which all newborns are new trees.
    fn populate_with(&mut self, deme: &mut Deme, given: Vec<Genotype>) {
        self.begin_with(deme, given);
        self.seed_population(deme);
    }

    fn trials(&self, deme: &Deme) -> Vec<Trial> {
        let mut trials = Vec::new();
        for (individual, one) in deme.individuals().iter().enumerate() {
            let (count, first, length) = match one.stage {
                Stage::Newborn => (TRIALS[0], 0, 1),
                Stage::Elite | Stage::Guest => (TRIALS[0], 0, 2),
                Stage::Contender => (TRIALS[1], TRIALS[0], 2),
                Stage::Finalist => (TRIALS[2], TRIALS[0], 2),
                Stage::Dropped => (0, 0, 0),
            };
            trials.extend((0..count).map(|k| {
                let world = deme.worlds().wrapping_add(first + k);
                Trial::whole(individual, k as usize % 2, world, length)
            }));
        }
        trials
    }

    fn sample(&self, fitness: f64) -> f64 {
        if fitness <= UNMOVED { NOTHING_MOVED } else { fitness }
    }

    fn sort_key(&self, individual: &Individual, settings: &Settings) -> f64 {
        // The stage has priority, because the two samples of a newborn are not comparable with the elite's samples.
        value(individual, settings.node_cost) - 10.0 * f64::from(individual.stage as u8)
    }

    fn champion_value(&self, individual: &Individual, settings: &Settings) -> f64 {
        if is_known(individual, settings) {
            value(individual, settings.node_cost)
        } else {
            self.sort_key(individual, settings) - 10.0
        }
    }

    fn emigrant<'a>(&self, _: &'a Deme, champion: &'a Individual) -> &'a Individual {
        champion
    }

    /// Inserts one immigrant as a guest: the first one whose tree is not in the population. If all guest places are
    /// taken, the immigrant replaces the worst guest that has enough samples ([`is_known`]). If fewer than two such
    /// guests exist, the immigrant is rejected. Otherwise continuous immigration of untested trees would leave no
    /// tested guest to breed from.
    fn immigrate(&mut self, deme: &mut Deme, immigrants: &[Migrant]) {
        let keys = deme.keys();
        let newcomer = immigrants.iter().take(deme.settings().immigrants).find(|m| !keys.contains(&m.tree.key()));
        let Some(mut guest) = newcomer.and_then(|migrant| deme.immigrant(migrant)) else { return };
        guest.stage = Stage::Guest;
        let settings = deme.settings().clone();
        let all = deme.individuals_mut();
        if all.iter().filter(|i| i.stage == Stage::Guest).count() >= guests(&settings) {
            let known = |i: &&Individual| i.stage == Stage::Guest && is_known(i, &settings);
            let value = |individual: &Individual| value(individual, settings.node_cost);
            let mut known: Vec<&Individual> = all.iter().filter(known).collect();
            known.sort_by(|a, b| value(a).total_cmp(&value(b)));
            let [least, _, ..] = known[..] else { return };
            let id = least.id;
            all.retain(|i| i.id != id || i.stage != Stage::Guest);
        }
        all.push(guest);
    }

    fn forget(&mut self) {
        self.best = None;
    }

    /// Allows every tree to be tried again, because a tree that was poor in the old world may be good in the new one.
    /// The next start begins with the best known trees.
    fn relearn(&mut self) {
        (self.best, self.world_changed) = (None, true);
        self.seen.clear();
    }

    fn breed(&mut self, deme: &mut Deme) {
        promote(deme);
        self.start_again_if_stuck(deme, false);
        self.seed_population(deme);
    }
}

impl Racing {
    /// Begins a start with the given genotypes as newborns.
    pub(super) fn begin_with(&mut self, deme: &mut Deme, given: Vec<Genotype>) {
        *self = Racing { from_guests: !given.is_empty(), ..Racing::default() };
        self.admit(deme, given);
    }

    /// Starts again if the current start makes no progress, or if the world has changed. The new start is from the
    /// guests if the previous start was from new trees, if the world has changed, or if `guests_again`. Otherwise, it
    /// is from new trees. Returns whether a start from guests (`Some(true)`) or from new trees (`Some(false)`) begins.
    pub(super) fn start_again_if_stuck(&mut self, deme: &mut Deme, guests_again: bool) -> Option<bool> {
        let world_changed = std::mem::take(&mut self.world_changed);
        let starts = world_changed || self.is_stuck(deme);
        starts.then(|| {
            let from_guests = world_changed || guests_again || !self.from_guests;
            self.start_again(deme, from_guests);
            from_guests
        })
    }

    /// Records progress, and returns whether the current start should be given up.
    fn is_stuck(&mut self, deme: &Deme) -> bool {
        let generation = deme.generation();
        let (all, settings) = (deme.individuals(), deme.settings());
        let value = |individual: &Individual| value(individual, settings.node_cost);
        let elite = all.iter().filter(|i| i.stage == Stage::Elite).map(value).reduce(f64::max);
        let known = |i: &&Individual| i.stage == Stage::Guest && is_known(i, settings);
        let guest = all.iter().filter(known).map(value).fold(f64::NEG_INFINITY, f64::max);
        let Some(elite) = elite else { return false };
        if self.best.is_none_or(|(best, _)| elite > best + PROGRESS) {
            self.best = Some((elite, generation));
        }
        let quiet = generation - self.best.map_or(generation, |(_, since)| since);
        if self.from_guests {
            return quiet >= PATIENCE[1];
        }
        let behind = guest - elite > MAX_DEFICIT.0 && quiet >= MAX_DEFICIT.1;
        generation - self.began >= MIN_AGE && (quiet >= PATIENCE[0] || behind)
    }

    /// Keeps the best elite individual as a guest, and then starts again, from the guests or from new trees.
    fn start_again(&mut self, deme: &mut Deme, from_guests: bool) {
        let (elites, node_cost) = (deme.settings().elites(), deme.settings().node_cost);
        let count = guests(deme.settings());
        let (generation, all) = (deme.generation(), std::mem::take(deme.individuals_mut()));
        let (elite, others): (Vec<Individual>, Vec<Individual>) =
            all.into_iter().partition(|i| i.stage == Stage::Elite);
        let mut guests: Vec<Individual> = others.into_iter().filter(|i| i.stage == Stage::Guest).collect();
        guests.extend(elite.into_iter().next().filter(|e| guests.iter().all(|g| g.tree != e.tree)));
        let guests = best(guests, count, Stage::Guest, node_cost);
        let seen = if from_guests { std::mem::take(&mut self.seen) } else { BTreeSet::new() };
        *self = Racing { began: generation, from_guests, seen, ..Racing::default() };
        let elite = if from_guests { best(guests.clone(), elites, Stage::Elite, node_cost) } else { Vec::new() };
        *deme.individuals_mut() = [elite, guests].concat();
    }
}
