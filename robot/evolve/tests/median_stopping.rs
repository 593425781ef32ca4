//! Tests of the median-stopping algorithm, with a fitness that is simple to compute.

use std::collections::{BTreeMap, BTreeSet};
use xpuck_evolve::{Algorithm, Id, Individual, Island, PrimitiveSet, Settings, Stage, Trial};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Kind;

fn island(algorithm: Algorithm, seed: u64) -> Island {
    Island::new(Settings::for_algorithm(algorithm), PrimitiveSet::in_swarm(), 1, seed)
}

/// Returns the fitness of a trial: the share of `bfront` and `upfield` among the nodes, which a trial reaches linearly
/// over its first 60 s, plus an offset that depends only on the world.
fn worth(island: &Island, trial: &Trial) -> f32 {
    let nodes = island.population()[trial.individual].tree.nodes();
    let good = nodes.iter().filter(|n| matches!(n.kind, Kind::Bfront | Kind::Upfield)).count() as f32;
    let share = good / nodes.len() as f32 * trial.end as f32 / 4.0;
    share + Draws::new(99, trial.world, 0, 0, Stream::Device).range(-0.2, 0.2)
}

/// Evaluates a generation. Returns the trials of each round, with the id and stage of each tried individual.
fn generation(island: &mut Island, worth: impl Fn(&Island, &Trial) -> f32) -> Vec<Vec<(Trial, Id, Stage)>> {
    let mut rounds = Vec::new();
    loop {
        let trials = island.trials();
        let one = |t: &Trial| (*t, island.population()[t.individual].id, island.population()[t.individual].stage);
        rounds.push(trials.iter().map(one).collect());
        let fitness: Vec<f32> = trials.iter().map(|trial| worth(island, trial)).collect();
        if island.record(&fitness) {
            return rounds;
        }
    }
}

fn stage(island: &Island, stage: Stage) -> Vec<&Individual> {
    island.population().iter().filter(|i| i.stage == stage).collect()
}

/// Returns the simulated time of the rounds (multiples of the trial length).
fn cost(rounds: &[Vec<(Trial, Id, Stage)>]) -> u32 {
    rounds.iter().flatten().map(|(trial, ..)| trial.end - trial.begin).sum::<u32>() / 2
}

#[test]
fn trials_continue_where_the_round_before_stopped() {
    let mut island = island(Algorithm::MedianStopping, 1);
    let mut used = BTreeSet::new();
    for number in 0..30 {
        let rounds = generation(&mut island, worth);
        assert!(rounds.iter().all(|round| !round.is_empty()));
        let mut open: BTreeMap<(Id, u8, u32), u32> = BTreeMap::new();
        let mut worlds = BTreeSet::new();
        for round in &rounds {
            let mut next = BTreeMap::new();
            for (trial, id, stage) in round {
                let before = open.remove(&(*id, *stage as u8, trial.world)).unwrap_or(0);
                assert_eq!(trial.begin, before, "generation {number}, {id} {stage:?}");
                assert!(trial.begin < trial.end);
                worlds.insert(trial.world);
                if trial.may_continue {
                    next.insert((*id, *stage as u8, trial.world), trial.end);
                }
            }
            let of_round = |one: Stage| -> BTreeMap<usize, BTreeSet<(u32, usize)>> {
                let mut of = BTreeMap::new();
                for (t, _, s) in round.iter().filter(|(.., s)| *s == one) {
                    assert_eq!(*s, one);
                    of.entry(t.individual).or_insert_with(BTreeSet::new).insert((t.world, t.stratum));
                }
                of
            };
            for one in [Stage::Newborn, Stage::Contender, Stage::Finalist, Stage::Elite, Stage::Guest] {
                let worlds: BTreeSet<_> = of_round(one).into_values().collect();
                assert!(worlds.len() <= 1, "all of a stage have the same worlds");
            }
            open = next;
        }
        assert!(worlds.into_iter().all(|world| used.insert(world)), "no generation uses an earlier one's worlds");
        let most = if number == 0 { 512 } else { 320 };
        assert!(cost(&rounds) < most, "generation {number}: {}", cost(&rounds));
        island.advance(&[]);
    }
}

#[test]
fn stages_have_limits_and_start_without_short_samples() {
    let mut island = island(Algorithm::MedianStopping, 2);
    for _ in 0..30 {
        let rounds = generation(&mut island, worth);
        let count = |one: Stage| {
            let ids: BTreeSet<Id> = rounds.iter().flatten().filter(|(.., s)| *s == one).map(|(_, id, _)| *id).collect();
            ids.len()
        };
        assert!(count(Stage::Contender) <= 12 && count(Stage::Finalist) <= 3, "{}", count(Stage::Contender));
        assert!((1..=4).contains(&stage(&island, Stage::Elite).len()) && stage(&island, Stage::Guest).len() <= 5);
        let elite = stage(&island, Stage::Elite);
        assert!(elite.iter().all(|i| i.samples.n() >= 12 && i.samples.n() % 2 == 0), "only long trials count");
        island.advance(&[]);
        assert!(island.population().iter().all(|i| matches!(i.stage, Stage::Elite | Stage::Guest | Stage::Newborn)));
    }
    let champion = island.champion();
    assert!(champion.samples.n() >= 8 && champion.samples.mean() > 0.5, "{}", champion.samples.mean());
}

#[test]
fn newborns_behind_the_elite_are_stopped_early() {
    let mut island = island(Algorithm::MedianStopping, 3);
    for _ in 0..3 {
        generation(&mut island, worth);
        island.advance(&[]);
    }
    let newborns = stage(&island, Stage::Newborn).len();
    // The elite has 0.5, one third of the newborns 0.4 and the others 0.3: 0.2 behind.
    let number = |island: &Island, t: &Trial| island.population()[t.individual].id.number;
    let third = |island: &Island, t: &Trial| match island.population()[t.individual].stage {
        Stage::Newborn if number(island, t) % 3 == 0 => 0.4 + number(island, t) as f32 * 1e-6,
        Stage::Newborn => 0.3,
        _ => 0.5,
    };
    let rounds = generation(&mut island, third);
    let tried = |round: usize| rounds[round].iter().filter(|(.., stage)| *stage == Stage::Newborn).count();
    assert_eq!(tried(0), newborns);
    assert!((newborns / 3 - 1..=newborns / 3 + 1).contains(&tried(1)), "{} of {newborns}", tried(1));
    // After 30 s, 0.1 behind is too much.
    assert_eq!(rounds.len(), 5, "no newborn is left after the second round: elite and guests are tried alone");
    assert!(rounds[4].iter().all(|(.., stage)| matches!(stage, Stage::Elite | Stage::Guest)));
    assert_eq!(stage(&island, Stage::Dropped).len(), newborns);
}

#[test]
fn newborns_with_equal_results_are_one_behaviour() {
    let mut island = island(Algorithm::MedianStopping, 4);
    let rounds =
        generation(&mut island, |island, t| if island.population()[t.individual].id.number == 5 { 0.3 } else { 0.2 });
    let newborns: Vec<usize> = rounds.iter().map(|round| round.len()).collect();
    assert_eq!(newborns[..4], [128, 2, 2, 2]);
}

#[test]
fn best_shares_continue_without_elite() {
    let mut island = island(Algorithm::MedianStopping, 5);
    let rounds = generation(&mut island, |island, t| island.population()[t.individual].id.number as f32 * 1e-3);
    let newborns: Vec<usize> = rounds[..4].iter().map(|round| round.len()).collect();
    assert_eq!(newborns, [128, 64, 45, 32]);
    assert_eq!(rounds[4].len(), 2 * 12);
    let best = stage(&island, Stage::Elite).iter().map(|i| i.id.number).max();
    assert_eq!(best, Some(127));
}

#[test]
fn one_of_four_restarts_is_from_new_trees() {
    let mut island = island(Algorithm::MedianStopping, 9);
    // Only the first generation finds trees with a fitness above 0, so no start makes progress.
    let only_first = |island: &Island, t: &Trial| {
        let individual = &island.population()[t.individual];
        if individual.born == 0 { individual.id.number as f32 * 1e-3 } else { 0.0 }
    };
    let mut new = Vec::new();
    for number in 1..150 {
        generation(&mut island, only_first);
        island.advance(&[]);
        if stage(&island, Stage::Elite).is_empty() {
            new.push(number);
        }
    }
    // A start from guests lasts 10 generations without progress, one from new trees at least 10.
    let apart: Vec<u32> = new.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(new.len() > 1 && apart.iter().all(|apart| (40..=48).contains(apart)), "{new:?}");
}

#[test]
fn immigrants_are_accepted_once_in_eight_generations() {
    let mut island = island(Algorithm::MedianStopping, 8);
    let mut others: Vec<Island> = (0..20).map(|seed| self::island(Algorithm::MedianStopping, 100 + seed)).collect();
    let mut accepted = Vec::new();
    for (number, other) in (1..=20).zip(&mut others) {
        generation(&mut island, worth);
        generation(other, worth);
        let migrant = other.emigrant();
        // Generation 8 has no immigrants, so those of generation 9 are accepted.
        island.advance(if number == 8 { &[] } else { std::slice::from_ref(&migrant) });
        if stage(&island, Stage::Guest).iter().any(|guest| guest.tree == migrant.tree) {
            accepted.push(number);
        }
    }
    assert_eq!(accepted, [9, 16]);
}

#[test]
fn generation_costs_less_than_in_racing() {
    let total = |algorithm| {
        let mut island = island(algorithm, 6);
        let mut sum = 0;
        for _ in 0..20 {
            sum += cost(&generation(&mut island, worth));
            island.advance(&[]);
        }
        sum
    };
    let (racing, stopping) = (total(Algorithm::Racing), total(Algorithm::MedianStopping));
    assert!(5 * stopping < 4 * racing, "{stopping} of {racing}");
}

#[test]
fn world_may_change_between_two_rounds() {
    let mut island = island(Algorithm::MedianStopping, 7);
    for _ in 0..6 {
        generation(&mut island, worth);
        island.advance(&[]);
    }
    let fitness: Vec<f32> = island.trials().iter().map(|trial| worth(&island, trial)).collect();
    assert!(!island.record(&fitness));
    island.forget();
    let population = island.population().len();
    assert!(island.trials().iter().all(|trial| trial.begin == 0));
    assert_eq!(island.trials().len(), population, "everybody is tried again from the start");
    generation(&mut island, worth);
    assert!(!stage(&island, Stage::Elite).is_empty());
}
