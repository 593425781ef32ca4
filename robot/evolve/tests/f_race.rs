//! Tests of the F-Race algorithm, with a fitness that is simple to compute.

use std::collections::{BTreeMap, BTreeSet};
use xpuck_evolve::{Algorithm, Id, Island, PrimitiveSet, Settings, Stage, Trial};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Kind;

fn island(seed: u64) -> Island {
    Island::new(Settings::for_algorithm(Algorithm::FRace), PrimitiveSet::in_swarm(), 1, seed)
}

/// Returns the fitness of a trial: the share of `bfront` and `upfield` among the nodes, plus an offset that depends only
/// on the world, plus noise.
fn worth(island: &Island, trial: &Trial) -> f32 {
    let individual = &island.population()[trial.individual];
    let nodes = individual.tree.nodes();
    let good = nodes.iter().filter(|n| matches!(n.kind, Kind::Bfront | Kind::Upfield)).count() as f32;
    let draw = |device| Draws::new(99, trial.world, device, 0, Stream::Device).range(-0.1, 0.1);
    good / nodes.len() as f32 + draw(0) + draw(individual.id.number + 1)
}

/// Evaluates a generation. Returns the trials of each round with the id of the tried individual.
fn generation(island: &mut Island, worth: impl Fn(&Island, &Trial) -> f32) -> Vec<Vec<(Trial, Id)>> {
    let mut rounds = Vec::new();
    loop {
        let trials = island.trials();
        rounds.push(trials.iter().map(|t| (*t, island.population()[t.individual].id)).collect());
        let fitness: Vec<f32> = trials.iter().map(|trial| worth(island, trial)).collect();
        if island.record(&fitness) {
            return rounds;
        }
    }
}

#[test]
fn race_has_five_worlds_before_the_first_test_then_one_each() {
    let mut island = island(1);
    let mut used = BTreeSet::new();
    for number in 0..20 {
        let rounds = generation(&mut island, worth);
        let tried = |round: &[(Trial, Id)]| round.iter().map(|(_, id)| *id).collect::<BTreeSet<Id>>();
        let mut worlds = BTreeMap::new();
        for (trial, _) in rounds.iter().flatten() {
            let stratum = *worlds.entry(trial.world).or_insert(trial.stratum);
            assert_eq!((trial.begin, trial.end, trial.stratum), (0, 4, stratum), "whole trials of 60 s");
        }
        assert!(worlds.keys().all(|world| used.insert(*world)), "no race uses an earlier one's worlds");
        let first = tried(&rounds[0]);
        assert_eq!(rounds[0].len(), 5 * first.len());
        assert_eq!(first.len(), 128 / (5 + 5.min(number + 1)), "generation {number}");
        for pair in rounds.windows(2) {
            assert!(tried(&pair[1]).is_subset(&tried(&pair[0])), "who is dropped does not return");
            assert_eq!(pair[1].len(), tried(&pair[1]).len());
        }
        let cost: usize = rounds.iter().map(Vec::len).sum();
        assert!(cost <= 128, "generation {number}: {cost}");
        island.advance(&[]);
    }
    let champion = island.champion();
    assert!(champion.samples.n() >= 8 && champion.samples.mean() > 0.2, "{}", champion.samples.mean());
}

#[test]
fn race_ends_when_the_elite_is_left() {
    let mut island = island(2);
    // The first four of the candidates are better in every world, so the first test drops all others.
    let rounds = generation(&mut island, |_, t| if t.individual < 4 { 0.3 + t.individual as f32 * 1e-3 } else { 0.0 });
    assert!(rounds.len() <= 3, "{} rounds", rounds.len());
    let elite: BTreeSet<u32> =
        island.population().iter().filter(|i| i.stage == Stage::Elite).map(|i| i.id.number).collect();
    assert!(elite.contains(&3) && elite.iter().all(|number| *number < 4), "{elite:?}");
    let best = &island.population()[0];
    assert_eq!((best.id.number, best.stage), (3, Stage::Elite));
    island.advance(&[]);
    assert!(island.population()[..elite.len()].iter().all(|i| elite.contains(&i.id.number)));
}

#[test]
fn immigrant_is_a_candidate_of_the_next_race() {
    let (mut island, mut other) =
        (island(3), Island::new(Settings::for_algorithm(Algorithm::FRace), PrimitiveSet::in_swarm(), 2, 3));
    generation(&mut island, worth);
    generation(&mut other, worth);
    let migrant = other.emigrant();
    island.advance(std::slice::from_ref(&migrant));
    let place = island.population().iter().position(|i| i.tree == migrant.tree).expect("an immigrant");
    assert!(island.trials().iter().any(|trial| trial.individual == place));
    assert_eq!(island.population()[place].samples.n(), 0, "samples of another island do not count");
}
