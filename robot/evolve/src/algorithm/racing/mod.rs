//! `racing`: a race. New trees are many and most of them are hopeless, so each gets two short trials, the best of them
//! four longer ones, the best of these eight more, and whoever is still ahead joins a small elite.
//!
//! What the trials say can be trusted: all of a stage run in the same worlds, so luck at the start is the same for all;
//! nobody is judged by the samples that promoted it; elite and guests are tried again in every generation; and of a tree
//! that does what another one did nothing is tried at all, as trees are reduced before they are compared.
//!
//! An island that finds nothing better starts afresh, once from new trees, the next time from its guests: the best it
//! knows of its own earlier starts and of the other islands, which otherwise keep out of the breeding. So an island
//! always knows the swarm's best tree, and still searches where the others do not.

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
/// What a trial counts in which nothing was moved. The thesis's -1 is ten times the spread of all other trials: a few
/// of them would hide everything else that is known of a tree.
const NOTHING_MOVED: f64 = -0.05;
/// A fitness below this one says that nothing was moved; pushed the wrong way the frisbee scores more.
const UNMOVED: f64 = -0.5;
/// Trials of newborns, elite and guests; of contenders; of finalists.
const TRIALS: [u32; 3] = [2, 4, 8];
/// Least improvement that counts.
const PROGRESS: f64 = 0.01;
/// Generations without progress after which a start from new trees, or from guests, is given up.
const PATIENCE: [u32; 2] = [6, 10];
/// Least age at which a start from new trees is given up.
const YOUTH: u32 = 10;
/// A start that is so much worse than the best guest, and makes no progress for so many generations, is given up too.
const BEHIND: (f64, u32) = (0.05, 3);

/// Where an island's race stands.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Racing {
    /// Generation of the last start.
    began: u32,
    /// True after a start from guests.
    from_guests: bool,
    /// The best value since then, and the generation that brought it.
    best: Option<(f64, u32)>,
    /// Hashes of all trees tried since the last start from new trees.
    seen: BTreeSet<u64>,
    /// The world has changed: the next generation is a start from guests.
    world_changed: bool,
}

/// One standard error below the mean, less the cost of the nodes. The spread is the same for all, so this is fair to those
/// who are new: a prior about 0 would keep every small improvement on a good tree out of the elite.
fn value(individual: &Individual, node_cost: f64) -> f64 {
    let doubt = SPREAD / f64::from(individual.samples.n().max(1)).sqrt();
    individual.samples.mean() - doubt - node_cost * individual.tree.nodes().len() as f64
}

/// Guests of an island.
fn guests(settings: &Settings) -> usize {
    settings.elites() + 1
}

/// True if a tree may drive a robot: it is no newcomer.
fn is_known(individual: &Individual, settings: &Settings) -> bool {
    matches!(individual.stage, Stage::Elite | Stage::Guest) && individual.samples.n() >= settings.full_evaluations
}

impl Rules for Racing {
    fn populate(&mut self, deme: &mut Deme) {
        *self = Racing::default();
        self.sow(deme);
    }

    /// They are newborns, and the best of them breed: there are no generations of new trees only.
    fn populate_with(&mut self, deme: &mut Deme, given: Vec<Genotype>) {
        *self = Racing { from_guests: !given.is_empty(), ..Racing::default() };
        self.enter(deme, given);
        self.sow(deme);
    }

    fn trials(&self, deme: &Deme) -> Vec<Trial> {
        let mut trials = Vec::new();
        for (individual, one) in deme.individuals().iter().enumerate() {
            let (count, first, length) = match one.stage {
                Stage::Newborn => (TRIALS[0], 0, 1),
                Stage::Elite | Stage::Guest => (TRIALS[0], 0, 2),
                Stage::Contender => (TRIALS[1], TRIALS[0], 2),
                Stage::Finalist => (TRIALS[2], TRIALS[0], 2),
            };
            trials.extend((0..count).map(|k| Trial {
                individual,
                stratum: k as usize % 2,
                world: deme.worlds().wrapping_add(first + k),
                length,
            }));
        }
        trials
    }

    fn sample(&self, fitness: f64) -> f64 {
        if fitness <= UNMOVED { NOTHING_MOVED } else { fitness }
    }

    fn worth(&self, individual: &Individual, settings: &Settings) -> f64 {
        // By stages first: what a newborn's two samples say is not to be compared with what is known of the elite.
        value(individual, settings.node_cost) - 10.0 * f64::from(individual.stage as u8)
    }

    fn rank(&self, individual: &Individual, settings: &Settings) -> f64 {
        if is_known(individual, settings) {
            value(individual, settings.node_cost)
        } else {
            self.worth(individual, settings) - 10.0
        }
    }

    fn emigrant<'a>(&self, _: &'a Deme, champion: &'a Individual) -> &'a Individual {
        champion
    }

    /// The first immigrant not known here becomes a guest, in the place of the least of those that are no newcomers. The
    /// last of these stays: if each newcomer took the place of the only guest whose worth is known, none could ever breed.
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

    /// What was tried in another world may be good in this one, and the best that are known there are what to begin with.
    fn relearn(&mut self) {
        (self.best, self.world_changed) = (None, true);
        self.seen.clear();
    }

    fn breed(&mut self, deme: &mut Deme) {
        promote(deme);
        let world_changed = std::mem::take(&mut self.world_changed);
        if world_changed {
            self.from_guests = false;
        }
        if world_changed || self.is_stuck(deme) {
            self.start_again(deme);
        }
        self.sow(deme);
    }
}

impl Racing {
    /// Notes progress, and says if there is none to be hoped for.
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
        let behind = guest - elite > BEHIND.0 && quiet >= BEHIND.1;
        generation - self.began >= YOUTH && (quiet >= PATIENCE[0] || behind)
    }

    /// Keeps the best of the elite as a guest and starts from the guests if the last start was from new trees, otherwise
    /// from new trees.
    fn start_again(&mut self, deme: &mut Deme) {
        let (elites, node_cost) = (deme.settings().elites(), deme.settings().node_cost);
        let count = guests(deme.settings());
        let (generation, all) = (deme.generation(), std::mem::take(deme.individuals_mut()));
        let (elite, others): (Vec<Individual>, Vec<Individual>) =
            all.into_iter().partition(|i| i.stage == Stage::Elite);
        let mut guests: Vec<Individual> = others.into_iter().filter(|i| i.stage == Stage::Guest).collect();
        guests.extend(elite.into_iter().next().filter(|e| guests.iter().all(|g| g.tree != e.tree)));
        let guests = best(guests, count, Stage::Guest, node_cost);
        let from_guests = !self.from_guests;
        let seen = if from_guests { std::mem::take(&mut self.seen) } else { BTreeSet::new() };
        *self = Racing { began: generation, from_guests, seen, ..Racing::default() };
        let elite = if from_guests { best(guests.clone(), elites, Stage::Elite, node_cost) } else { Vec::new() };
        *deme.individuals_mut() = [elite, guests].concat();
    }
}
