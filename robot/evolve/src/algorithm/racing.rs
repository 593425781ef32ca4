//! `default`: a race. New trees are many and most of them are hopeless, so each gets two short trials, the best of them
//! four longer ones, the best of these eight more, and whoever is still ahead joins a small elite.
//!
//! What the trials say can be trusted: all of a stage run in the same worlds, so luck at the start is the same for all;
//! nobody is judged by the samples that promoted it; elite and guests are tried again in every generation; and of a tree
//! that does what another one did nothing is tried at all, as trees are reduced before they are compared.
//!
//! An island that finds nothing better starts afresh, once from new trees, the next time from its guests: the best it
//! knows of its own earlier starts and of the other islands, which otherwise keep out of the breeding. So an island
//! always knows the swarm's best tree, and still searches where the others do not.

use super::{Algorithm, Rules, published};
use crate::deme::{Deme, Trial};
use crate::genotype::Genotype;
use crate::idiom::Idiom;
use crate::individual::{Individual, Migrant, Operator, Stage};
use crate::settings::{Representation, Settings};
use crate::space::Space;
use crate::variation::{crossover, mutate_gently, vary};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::hash::fnv1a;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::Tree;

/// Standard deviation of the fitness of a good tree over trials of one scenario.
const SPREAD: f64 = 0.06;
/// What a node costs in fitness: of two equally good trees the smaller one is kept.
const NODE_COST: f64 = 5e-5;
/// What a trial counts in which nothing was moved. The thesis's -1 is ten times the spread of all other trials: a few
/// of them would hide everything else that is known of a tree.
const NOTHING_MOVED: f64 = -0.05;
/// A fitness below this one says that nothing was moved; pushed the wrong way the frisbee scores more.
const UNMOVED: f64 = -0.5;
/// Trials of newborns, elite and guests; of contenders; of finalists.
const TRIALS: [u32; 3] = [2, 4, 8];
/// Contenders and finalists for each elite.
const CONTENDERS: usize = 3;
/// How much worse than the middle of the elite a newborn may be in the same worlds to go on.
const MARGIN: f64 = 0.03;
/// Generations of new trees only, at a start from new trees.
const SOWING: u32 = 6;
/// Part of the newborns that are new trees later on.
const FRESH: f32 = 0.1;
/// Least improvement that counts.
const PROGRESS: f64 = 0.01;
/// Generations without progress after which a start from new trees, or from guests, is given up.
const PATIENCE: [u32; 2] = [6, 10];
/// Least age at which a start from new trees is given up.
const YOUTH: u32 = 10;
/// A start that is so much worse than the best guest, and makes no progress for so many generations, is given up too.
const BEHIND: (f64, u32) = (0.05, 3);
/// Attempts to make a tree that was not tried yet.
const TRIES: usize = 20;

/// Where an island's race stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Race {
    /// Generation of the last start.
    began: u32,
    /// True after a start from guests.
    from_guests: bool,
    /// The best value since then, and the generation that brought it.
    best: Option<(f64, u32)>,
    /// Hashes of all trees tried since the last start from new trees.
    seen: BTreeSet<u64>,
}

pub(super) struct Racing;

/// The population is what a generation costs, in trials of the run's length.
pub(super) fn settings() -> Settings {
    Settings { elite: 1.0 / 64.0, depth: 4, ..published(Algorithm::Default) }
}

/// One standard error below the mean, less the cost of the nodes. The spread is the same for all, so this is fair to those
/// who are new: a prior about 0 would keep every small improvement on a good tree out of the elite.
fn value(individual: &Individual) -> f64 {
    let doubt = SPREAD / f64::from(individual.samples.n().max(1)).sqrt();
    individual.samples.mean() - doubt - NODE_COST * individual.tree.nodes().len() as f64
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
    fn populate(&self, deme: &mut Deme) {
        *deme.race_mut() = Race::default();
        sow(deme);
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

    fn worth(&self, individual: &Individual, _: &Settings) -> f64 {
        // By stages first: what a newborn's two samples say is not to be compared with what is known of the elite.
        value(individual) - 10.0 * f64::from(individual.stage as u8)
    }

    fn rank(&self, individual: &Individual, settings: &Settings) -> f64 {
        if is_known(individual, settings) { value(individual) } else { self.worth(individual, settings) - 10.0 }
    }

    fn emigrant<'a>(&self, _: &'a Deme, champion: &'a Individual) -> &'a Individual {
        champion
    }

    /// The first immigrant not known here becomes a guest, in the place of the least of those that are no newcomers.
    fn immigrate(&self, deme: &mut Deme, immigrants: &[Migrant]) {
        let keys = deme.keys();
        let newcomer = immigrants.iter().take(deme.settings().immigrants).find(|m| !keys.contains(&m.tree.key()));
        let Some(mut guest) = newcomer.and_then(|migrant| deme.immigrant(migrant)) else { return };
        guest.stage = Stage::Guest;
        let settings = deme.settings().clone();
        let all = deme.individuals_mut();
        if all.iter().filter(|i| i.stage == Stage::Guest).count() >= guests(&settings) {
            let known = |i: &&Individual| i.stage == Stage::Guest && is_known(i, &settings);
            let Some(id) = all.iter().filter(known).min_by(|a, b| value(a).total_cmp(&value(b))).map(|i| i.id) else {
                return;
            };
            all.retain(|i| i.id != id || i.stage != Stage::Guest);
        }
        all.push(guest);
    }

    fn breed(&self, deme: &mut Deme) {
        promote(deme);
        if is_stuck(deme) {
            start_again(deme);
        }
        sow(deme);
    }
}

/// Moves every stage's best on to the next one.
fn promote(deme: &mut Deme) {
    let elites = deme.settings().elites();
    let (contenders, finalists) = (CONTENDERS * elites, (CONTENDERS * elites / 4).max(1));
    let mut stages: [Vec<Individual>; 5] = Default::default();
    for individual in std::mem::take(deme.individuals_mut()) {
        stages[individual.stage as usize].push(individual);
    }
    let [mut elite, guests, done, running, newborn] = stages;
    elite.extend(done);
    let elite = best(elite, elites, Stage::Elite);
    let finalists = best(running, finalists, Stage::Finalist);
    let mut contenders = best(passing(newborn, &elite), contenders, Stage::Contender);
    // A sample that promoted somebody is one of luck as well.
    contenders.iter_mut().for_each(|i| i.samples = Default::default());
    *deme.individuals_mut() = [elite, guests, finalists, contenders].concat();
}

/// The first `count` by value, in a new stage.
fn best(mut all: Vec<Individual>, count: usize, stage: Stage) -> Vec<Individual> {
    all.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.id.cmp(&b.id)));
    all.truncate(count);
    all.iter_mut().for_each(|i| i.stage = stage);
    all
}

/// Newborns that are not far behind the middle of the elite in the same worlds. Of those with the same results to the
/// last bit only one stays: they do the same.
fn passing(mut newborn: Vec<Individual>, elite: &[Individual]) -> Vec<Individual> {
    let mut middle: Vec<f64> = elite.iter().map(|i| i.recent).collect();
    middle.sort_by(f64::total_cmp);
    if middle.len() > 1 {
        let bar = middle[middle.len() / 2] - MARGIN;
        newborn.retain(|i| i.recent >= bar);
    }
    newborn.sort_by_key(|i| (i.tree.nodes().len(), i.id));
    let mut results = BTreeSet::new();
    newborn.retain(|i| results.insert(i.recent.to_bits()));
    newborn
}

/// Notes progress, and says if there is none to be hoped for.
fn is_stuck(deme: &mut Deme) -> bool {
    let generation = deme.generation();
    let all = deme.individuals();
    let elite = all.iter().filter(|i| i.stage == Stage::Elite).map(value).reduce(f64::max);
    let known = |i: &&Individual| i.stage == Stage::Guest && is_known(i, deme.settings());
    let guest = all.iter().filter(known).map(value).fold(f64::NEG_INFINITY, f64::max);
    let Some(elite) = elite else { return false };
    let race = deme.race_mut();
    if race.best.is_none_or(|(best, _)| elite > best + PROGRESS) {
        race.best = Some((elite, generation));
    }
    let quiet = generation - race.best.map_or(generation, |(_, since)| since);
    if race.from_guests {
        return quiet >= PATIENCE[1];
    }
    let behind = guest - elite > BEHIND.0 && quiet >= BEHIND.1;
    generation - race.began >= YOUTH && (quiet >= PATIENCE[0] || behind)
}

/// Keeps the best of the elite as a guest and starts from the guests if the last start was from new trees, otherwise
/// from new trees.
fn start_again(deme: &mut Deme) {
    let elites = deme.settings().elites();
    let count = guests(deme.settings());
    let (generation, all) = (deme.generation(), std::mem::take(deme.individuals_mut()));
    let (elite, others): (Vec<Individual>, Vec<Individual>) = all.into_iter().partition(|i| i.stage == Stage::Elite);
    let mut guests: Vec<Individual> = others.into_iter().filter(|i| i.stage == Stage::Guest).collect();
    guests.extend(elite.into_iter().next().filter(|e| guests.iter().all(|g| g.tree != e.tree)));
    let guests = best(guests, count, Stage::Guest);
    let race = deme.race_mut();
    let from_guests = !race.from_guests;
    let seen = if from_guests { std::mem::take(&mut race.seen) } else { BTreeSet::new() };
    *race = Race { began: generation, from_guests, best: None, seen };
    let elite = if from_guests { best(guests.clone(), elites, Stage::Elite) } else { Vec::new() };
    *deme.individuals_mut() = [elite, guests].concat();
}

/// Fills what is left of the generation's budget with newborns.
fn sow(deme: &mut Deme) {
    let budget = deme.settings().population as u32;
    let taken: u32 = Racing.trials(deme).iter().map(|trial| trial.length).sum();
    let count = (budget.saturating_sub(taken) / TRIALS[0]).max(budget / 32);
    let mut seen = std::mem::take(&mut deme.race_mut().seen);
    let elite = deme.individuals().iter().take_while(|i| i.stage == Stage::Elite).count();
    let young = !deme.race().from_guests && deme.generation() - deme.race().began < SOWING;
    let mut newborn = Vec::new();
    let palette = deme.palette().clone();
    let idiom = Idiom::of(&palette).filter(|_| deme.settings().representation == Representation::Tree);
    for place in 0..count as usize {
        let mut draws = deme.draws(place);
        for _ in 0..TRIES {
            let fresh = young || elite < 4.min(deme.settings().elites()) || draws.unit() < FRESH;
            let (made, ids, operator) = if fresh {
                (random(deme.space(), idiom.as_ref(), &mut draws), None, Operator::Random)
            } else {
                let mother = &deme.individuals()[deme.tournament(elite, value, &mut draws)];
                let father = &deme.individuals()[deme.tournament(elite, value, &mut draws)];
                let (child, operator) = child(deme.space(), idiom.as_ref(), mother, father, &mut draws);
                let father = if operator == Operator::Crossover { father.id } else { mother.id };
                (child, Some([mother.id, father]), operator)
            };
            let (made, key) = reduced(deme.space(), made);
            if seen.insert(key) {
                newborn.push(deme.newborn_with(made, ids, operator));
                break;
            }
        }
    }
    deme.race_mut().seen = seen;
    deme.individuals_mut().extend(newborn);
}

fn random(space: Space<'_>, idiom: Option<&Idiom<'_>>, draws: &mut Draws) -> Genotype {
    match idiom {
        Some(idiom) => Genotype::Branches(vec![idiom.branch(draws)]),
        None => space.random(super::noise_aware::from_scratch(space.settings.depth, draws), draws),
    }
}

fn child(
    space: Space<'_>,
    idiom: Option<&Idiom<'_>>,
    mother: &Individual,
    father: &Individual,
    draws: &mut Draws,
) -> (Genotype, Operator) {
    if let Some(idiom) = idiom {
        return vary(space, idiom, &mother.genotype, &father.genotype, draws);
    }
    let mut child = crossover(space, &mother.genotype, &father.genotype, draws);
    mutate_gently(space, &mut child, draws);
    (child, Operator::Crossover)
}

/// The genotype of the reduced tree, which does the same, and that tree; both as they are if the palette does not allow
/// what reduction makes, or if the genotype is no plain tree. And a hash that all share who reduce to the same tree.
fn reduced(space: Space<'_>, genotype: Genotype) -> ((Genotype, Tree), u64) {
    let tree = space.tree(&genotype);
    let less = reduce(&tree, Options { executable: false }).tree;
    let key = fnv1a(less.key());
    let plain = matches!(&genotype, Genotype::Branches(branches) if branches.len() == 1);
    match space.palette.branch(&less).filter(|_| plain) {
        Some(branch) => ((Genotype::Branches(vec![branch]), less), key),
        None => ((genotype, tree), key),
    }
}
