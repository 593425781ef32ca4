//! Rounds of a generation of `median-stopping`: their trials, and who continues after each of them.

use crate::algorithm::racing::value;
use crate::deme::{Deme, Trial};
use crate::individual::{Individual, Stage};
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Number of worlds in a round of the contenders.
pub(super) const PAIR: u32 = 2;
/// Number of worlds in the round of the finalists.
pub(super) const FINALIST_WORLDS: u32 = 8;
/// Number of rounds of short trials, in the order: half and whole of scenario B, half and whole of scenario A.
const SHORT_ROUNDS: usize = 4;
/// Deficit of a newborn relative to the elite's median at which it is dropped, after each of the first rounds. From
/// the third round on, it applies to the sum over both scenarios.
const SHORT_MARGINS: [f64; 3] = [0.15, 0.08, 0.08];
/// Share of the newborns that continues after each of the first rounds if there is no elite to compare with.
const SHORT_SHARES: [f64; 3] = [0.5, 0.35, 0.25];
/// Deficit of a newborn's mean over both scenarios at which it does not become a contender.
const CONTENDER_MARGIN: f64 = 0.03;
/// Deficit of a contender's mean over its first two trials at which it is dropped.
const PAIR_MARGIN: f64 = 0.06;
/// Deficit of a contender's mean relative to the worst value of a full elite at which it does not become a finalist.
const FINALIST_MARGIN: f64 = 0.02;
/// Number of samples up to which a guest is tried in every generation. With more, it is tried in every
/// [`GUEST_PERIOD`]th generation.
const GUEST_SAMPLES: u32 = 40;
const GUEST_PERIOD: u32 = 4;

/// Latest fitness of an individual in this generation's short trials, per stratum; `None` without a trial.
pub(super) type ShortResults = [Option<f64>; 2];

/// Round of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Round {
    /// Short trials of newborns and elite, from 0 to 3.
    Short(usize),
    /// Two long trials of each contender, 0 or 1. In round 0, elite and guests have the same trials.
    Pair(u32),
    /// Long trials of the finalists.
    Final,
}

impl Default for Round {
    fn default() -> Round {
        Round::Short(0)
    }
}

impl Round {
    /// Returns the next round; `None` after the last one.
    pub(super) fn next(self) -> Option<Round> {
        match self {
            Round::Short(part) if part + 1 < SHORT_ROUNDS => Some(Round::Short(part + 1)),
            Round::Short(_) => Some(Round::Pair(0)),
            Round::Pair(0) => Some(Round::Pair(1)),
            Round::Pair(_) => Some(Round::Final),
            Round::Final => None,
        }
    }

    /// Returns whether the newborns have all their results after this round.
    pub(super) fn is_last_short(self) -> bool {
        self == Round::Short(SHORT_ROUNDS - 1)
    }

    /// Returns the trials of this round. All individuals of a round have the same worlds.
    pub(super) fn trials(self, deme: &Deme) -> Vec<Trial> {
        let world = |k: u32| deme.worlds().wrapping_add(k);
        let each = |takes_part: &dyn Fn(&Individual) -> bool, worlds: u32| {
            let chosen = deme.individuals().iter().enumerate().filter(|(_, one)| takes_part(one));
            chosen
                .flat_map(|(i, _)| (0..worlds).map(move |k| Trial::whole(i, k as usize % 2, world(k), 2)))
                .collect::<Vec<_>>()
        };
        match self {
            Round::Short(part) => {
                let chosen = deme.individuals().iter().enumerate();
                let chosen = chosen.filter(|(_, one)| matches!(one.stage, Stage::Elite | Stage::Newborn));
                let (stratum, half) = (1 - part / 2, part as u32 % 2);
                let world = world(stratum as u32);
                let trial = |(individual, _)| Trial {
                    individual,
                    stratum,
                    world,
                    begin: half,
                    end: half + 1,
                    may_continue: half == 0,
                };
                chosen.map(trial).collect()
            }
            Round::Pair(0) => {
                let all_guests = deme.generation() % GUEST_PERIOD == GUEST_PERIOD - 1;
                let takes_part = |one: &Individual| match one.stage {
                    Stage::Elite | Stage::Contender => true,
                    Stage::Guest => all_guests || one.samples.n() < GUEST_SAMPLES,
                    _ => false,
                };
                each(&takes_part, PAIR)
            }
            Round::Pair(_) => each(&|one| one.stage == Stage::Contender, PAIR),
            Round::Final => each(&|one| one.stage == Stage::Finalist, FINALIST_WORLDS),
        }
    }
}

/// Returns the maximum number of contenders.
pub(super) fn contenders(settings: &Settings) -> usize {
    3 * settings.elites()
}

/// Returns the maximum number of finalists.
pub(super) fn finalists(settings: &Settings) -> usize {
    (contenders(settings) / 4).max(1)
}

/// Drops the newborns that are too far behind after a round of short trials. `short` contains the results of each
/// individual so far.
pub(super) fn stop_newborns(deme: &mut Deme, short: &[ShortResults], round: usize) {
    let Some((margin, share)) = SHORT_MARGINS.get(round).zip(SHORT_SHARES.get(round)) else { return };
    let total = |i: usize| short[i].iter().flatten().sum::<f64>();
    let mut newborns = indices(deme, Stage::Newborn);
    match median(indices(deme, Stage::Elite).into_iter().map(total)) {
        Some(median) => drop_all(deme, short, newborns.into_iter().filter(|i| total(*i) < median - margin)),
        None => {
            newborns.sort_by(|a, b| total(*b).total_cmp(&total(*a)).then(a.cmp(b)));
            let all = deme.individuals().iter().filter(|one| matches!(one.stage, Stage::Newborn | Stage::Dropped));
            let kept = ((all.count() as f64 * share).ceil() as usize).max(1);
            drop_all(deme, short, newborns.into_iter().skip(kept));
        }
    }
    drop_equal(deme, short);
}

/// Drops newborns with bit-identical results, except the one with the smallest tree, because they behave the same.
fn drop_equal(deme: &mut Deme, short: &[ShortResults]) {
    let mut newborns = indices(deme, Stage::Newborn);
    newborns.sort_by_key(|i| (deme.individuals()[*i].tree.nodes().len(), deme.individuals()[*i].id));
    let mut seen = BTreeSet::new();
    let equal: Vec<usize> =
        newborns.into_iter().filter(|i| !seen.insert(short[*i].map(|fitness| fitness.map(f64::to_bits)))).collect();
    drop_all(deme, short, equal.into_iter());
}

/// Promotes the best newborns to contenders and drops the others. The results that promoted a contender are biased
/// upwards, so a contender starts without samples.
pub(super) fn choose_contenders(deme: &mut Deme, short: &[ShortResults]) {
    let mean = |i: usize| short[i].iter().flatten().sum::<f64>() / 2.0;
    drop_equal(deme, short);
    let elite = indices(deme, Stage::Elite);
    let bar = median(elite.into_iter().map(mean)).map_or(f64::NEG_INFINITY, |median| median - CONTENDER_MARGIN);
    let cost = |i: usize| deme.settings().node_cost * deme.individuals()[i].tree.nodes().len() as f64;
    let worth = |i: usize| mean(i) - cost(i);
    let mut ranked = indices(deme, Stage::Newborn);
    ranked.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)).then(a.cmp(b)));
    let passing = ranked.iter().filter(|i| mean(**i) >= bar).take(contenders(deme.settings()));
    let passing: BTreeSet<usize> = passing.copied().collect();
    for i in &passing {
        deme.individuals_mut()[*i].stage = Stage::Contender;
    }
    drop_all(deme, short, ranked.into_iter().filter(|i| !passing.contains(i)));
    deme.use_worlds(PAIR);
}

/// Drops contenders that are too far behind the elite in the same worlds.
pub(super) fn stop_contenders(deme: &mut Deme) {
    let all = deme.individuals_mut();
    let Some(median) = median(all.iter().filter(|one| one.stage == Stage::Elite).map(|one| one.recent)) else { return };
    for one in all.iter_mut().filter(|one| one.stage == Stage::Contender && one.recent < median - PAIR_MARGIN) {
        one.stage = Stage::Dropped;
    }
}

/// Promotes the best contenders to finalists and drops the others.
pub(super) fn choose_finalists(deme: &mut Deme) {
    let (settings, node_cost) = (deme.settings().clone(), deme.settings().node_cost);
    let all = deme.individuals_mut();
    let elite: Vec<f64> = all.iter().filter(|one| one.stage == Stage::Elite).map(|one| value(one, node_cost)).collect();
    let bar = match elite.len() >= settings.elites() {
        true => elite.into_iter().fold(f64::INFINITY, f64::min) - FINALIST_MARGIN,
        false => f64::NEG_INFINITY,
    };
    let passes = |one: &&mut Individual| one.samples.mean() >= bar;
    promote(all, &[Stage::Contender], finalists(&settings), Stage::Finalist, node_cost, passes);
}

/// Promotes the best finalists to the elite, and drops the elite individuals that they displace.
pub(super) fn choose_elite(deme: &mut Deme) {
    let (elites, node_cost) = (deme.settings().elites(), deme.settings().node_cost);
    promote(deme.individuals_mut(), &[Stage::Elite, Stage::Finalist], elites, Stage::Elite, node_cost, |_| true);
}

/// Moves the best `count` individuals of the stages `from` that pass to the stage `to`, and drops the others of these
/// stages.
fn promote(
    all: &mut [Individual],
    from: &[Stage],
    count: usize,
    to: Stage,
    node_cost: f64,
    passes: impl Fn(&&mut Individual) -> bool,
) {
    let mut ranked: Vec<&mut Individual> = all.iter_mut().filter(|one| from.contains(&one.stage)).collect();
    ranked.iter_mut().for_each(|one| one.stage = Stage::Dropped);
    ranked.retain(passes);
    ranked.sort_by(|a, b| value(b, node_cost).total_cmp(&value(a, node_cost)).then(a.id.cmp(&b.id)));
    ranked.into_iter().take(count).for_each(|one| one.stage = to);
}

fn indices(deme: &Deme, stage: Stage) -> Vec<usize> {
    let all = deme.individuals().iter().enumerate();
    all.filter(|(_, one)| one.stage == stage).map(|(i, _)| i).collect()
}

/// Drops newborns, and keeps their results as samples, so that reports show them.
fn drop_all(deme: &mut Deme, short: &[ShortResults], newborns: impl Iterator<Item = usize>) {
    for i in newborns {
        let one = &mut deme.individuals_mut()[i];
        one.stage = Stage::Dropped;
        for (stratum, fitness) in short[i].iter().enumerate() {
            fitness.iter().for_each(|fitness| one.samples.add(stratum, *fitness));
        }
        one.recent = one.samples.mean();
    }
}

/// Returns the median of the elite's results; `None` if there are fewer than two, which are no reliable bar.
fn median(results: impl Iterator<Item = f64>) -> Option<f64> {
    let mut results: Vec<f64> = results.collect();
    results.sort_by(f64::total_cmp);
    (results.len() > 1).then(|| results[results.len() / 2])
}
