//! Tests of the rules of each algorithm, with a fitness that is simple to compute. The rules are the number of trials
//! per individual, survival, replacement and the creation of children.

use std::collections::{BTreeMap, BTreeSet};
use xpuck_evolve::{Algorithm, Id, Individual, Island, Migrant, Operator, PrimitiveSet, Samples, Settings};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Kind, Tree};

fn island(settings: Settings, seed: u64) -> Island {
    settings.check().unwrap();
    Island::new(settings, PrimitiveSet::in_swarm(), 1, seed)
}

/// Records one generation. The fitness is the share of `bsearch` among the nodes of a tree, with noise.
fn try_all(island: &mut Island) {
    let trial = |t: &xpuck_evolve::Trial| {
        let nodes = island.population()[t.individual].tree.nodes();
        let good = nodes.iter().filter(|n| n.kind == Kind::Bsearch).count() as f32 / nodes.len() as f32;
        good + Draws::new(99, t.world, 0, 0, Stream::Device).range(-0.2, 0.2)
    };
    let fitness: Vec<f32> = island.trials().iter().map(trial).collect();
    island.record(&fitness);
}

/// Returns the number of trials of each individual in the current generation, per stratum.
fn counts(island: &Island) -> Vec<[usize; 2]> {
    let mut counts = vec![[0; 2]; island.population().len()];
    island.trials().iter().for_each(|t| counts[t.individual][t.stratum] += 1);
    counts
}

fn children(island: &Island, generation: u32) -> Vec<&Individual> {
    let mut born: Vec<&Individual> = island.population().iter().filter(|i| i.born == generation).collect();
    born.sort_by_key(|i| i.id.number);
    born
}

fn ids(individuals: &[Individual]) -> BTreeSet<Id> {
    individuals.iter().map(|i| i.id).collect()
}

#[test]
fn elites_survive_untried_in_classic_and_dars2016() {
    for (algorithm, population, evaluations) in [(Algorithm::Classic, 64, 8), (Algorithm::Dars2016, 25, 10)] {
        let mut island = island(Settings::for_algorithm(algorithm), 1);
        assert_eq!(counts(&island), vec![[evaluations / 2; 2]; population], "half of them of each scenario");
        try_all(&mut island);
        for generation in 1..20 {
            let before = island.population().to_vec();
            island.advance(&[]);
            assert_eq!(island.population()[..3], before[..3], "the three fittest with their measured fitness");
            assert!(before.windows(2).all(|w| w[0].samples.mean() >= w[1].samples.mean()));
            let wanted: Vec<[usize; 2]> =
                (0..population).map(|i| if i < 3 { [0; 2] } else { [evaluations / 2; 2] }).collect();
            assert_eq!(counts(&island), wanted);
            let born = children(&island, generation);
            assert_eq!(born.len(), population - 3);
            let known = ids(&before);
            assert!(born.iter().all(|child| child.parents.unwrap().iter().all(|p| known.contains(p))));
            try_all(&mut island);
            assert!(island.population().iter().all(|i| i.samples.n() as usize == evaluations), "never more");
        }
    }
}

#[test]
fn dars2016_runs_the_number_of_simulations_of_the_thesis() {
    let mut island = island(Settings::for_algorithm(Algorithm::Dars2016), 1);
    let mut simulations = island.trials().len();
    try_all(&mut island);
    for _ in 1..200 {
        island.advance(&[]);
        simulations += island.trials().len();
        try_all(&mut island);
    }
    assert_eq!(25 * simulations, 1_100_750, "\"a total of 1.1 million\" in 25 runs");
}

#[test]
fn dars2016_crosses_pairs_with_probability_0_8() {
    let mut island = island(Settings::for_algorithm(Algorithm::Dars2016), 3);
    let (mut pairs, mut crossed) = (0, 0);
    try_all(&mut island);
    for generation in 1..=300 {
        island.advance(&[]);
        for pair in children(&island, generation).chunks(2) {
            let [a, b] = [pair[0].parents.unwrap(), pair[1].parents.unwrap()];
            assert_eq!(pair[0].operator, pair[1].operator, "both of a pair or none");
            match pair[0].operator {
                Operator::Crossover => assert_eq!(a, [b[1], b[0]], "both children stay"),
                _ => assert!(a[0] == a[1] && b[0] == b[1]),
            }
            pairs += 1;
            crossed += u32::from(pair[0].operator == Operator::Crossover);
        }
        try_all(&mut island);
    }
    // For 3300 pairs, the standard deviation of the share of crossed pairs is 0.007.
    let share = f64::from(crossed) / f64::from(pairs);
    assert!((share - 0.8).abs() < 0.028, "{share}");
}

/// Returns the share of children of `dars2016` that differ from their single parent. Crossover is disabled, and
/// `settings` contains the mutation rates.
fn changed(settings: Settings) -> f64 {
    let alone = Settings {
        crossover: 0.0,
        mutate_parameter: 0.0,
        mutate_point: 0.0,
        mutate_subtree: 0.0,
        mutate_shrink: 0.0,
        tournament: 1,
        ..Settings::for_algorithm(Algorithm::Dars2016)
    };
    let settings = Settings {
        mutate_parameter: settings.mutate_parameter,
        mutate_point: settings.mutate_point,
        mutate_subtree: settings.mutate_subtree,
        mutate_shrink: settings.mutate_shrink,
        population: 1003,
        elite: 3.0 / 1003.0 + 0.01,
        ..alone
    };
    let mut island = island(settings, 5);
    try_all(&mut island);
    let before: BTreeMap<Id, Tree> = island.population().iter().map(|i| (i.id, i.tree.clone())).collect();
    island.advance(&[]);
    let born = children(&island, 1);
    let parent = |child: &Individual| &before[&child.parents.unwrap()[0]];
    // A single leaf cannot shrink and may lack constants, so trees of one node are not counted.
    let apt = |child: &&&Individual| parent(child).nodes().len() > 1;
    let differ = born.iter().filter(apt).filter(|child| parent(child) != &child.tree).count();
    differ as f64 / born.iter().filter(apt).count() as f64
}

#[test]
fn dars2016_mutates_each_individual_at_most_once_at_its_rates() {
    let off = Settings {
        mutate_parameter: 0.0,
        mutate_point: 0.0,
        mutate_subtree: 0.0,
        mutate_shrink: 0.0,
        ..Settings::for_algorithm(Algorithm::Dars2016)
    };
    assert_eq!(changed(off.clone()), 0.0);
    // Each upper bound is the mutation rate plus four standard deviations for 700 trees. Each lower bound allows for
    // changes without effect.
    for (name, settings, low, high) in [
        ("shrink", Settings { mutate_shrink: 0.1, ..off.clone() }, 0.06, 0.15),
        ("subtree", Settings { mutate_subtree: 0.05, ..off.clone() }, 0.02, 0.085),
        ("node", Settings { mutate_point: 0.5, ..off.clone() }, 0.2, 0.576),
        ("constant", Settings { mutate_parameter: 0.5, ..off.clone() }, 0.3, 0.576),
        ("shrink always", Settings { mutate_shrink: 1.0, ..off }, 1.0, 1.0),
    ] {
        let share = changed(settings);
        assert!((low..=high).contains(&share), "{name}: {share}");
    }
}

#[test]
fn noise_aware_replacement_rates_match_table_8_1() {
    let mut island = island(Settings::for_algorithm(Algorithm::NoiseAware), 2);
    let (mut others, mut replaced, mut crossed) = (0, 0, 0);
    try_all(&mut island);
    for generation in 1..=60 {
        let before = island.population().to_vec();
        island.advance(&[]);
        let elite = ids(&before[..64]);
        for (old, new) in before.iter().zip(island.population()).skip(64) {
            others += 1;
            if new.born < generation {
                assert_eq!(old, new, "copied across unchanged");
                continue;
            }
            replaced += 1;
            crossed += u32::from(new.operator == Operator::Crossover);
            assert!(new.parents.iter().flatten().all(|parent| elite.contains(parent)));
        }
        assert_eq!(island.population()[..64], before[..64]);
        assert!(counts(&island).iter().all(|c| c[0] + c[1] == 1), "everybody once, the elite too");
        try_all(&mut island);
    }
    // For 11520 replaceable individuals, the standard deviations of the shares are 0.004 (`replace`) and 0.009
    // (`crossover`).
    let (replace, crossover) = (f64::from(replaced) / f64::from(others), f64::from(crossed) / f64::from(replaced));
    assert!((replace - 0.25).abs() < 0.016 && (crossover - 0.5).abs() < 0.037, "{replace} {crossover}");
}

#[test]
fn pooled_samples_replaces_fixed_number_of_least_fit() {
    let mut island = island(Settings::for_algorithm(Algorithm::PooledSamples), 2);
    try_all(&mut island);
    for generation in 1..=20 {
        let before = island.population().to_vec();
        island.advance(&[]);
        // The 64 elite individuals and 40 % of the 192 other individuals survive.
        assert_eq!(island.population()[..141], before[..141]);
        assert!(island.population()[141..].iter().all(|i| i.born == generation));
        try_all(&mut island);
    }
}

fn migrant(number: u32, mean: f64) -> Migrant {
    let mut samples = Samples::default();
    (0..8).for_each(|i| samples.add(i % 2, mean));
    let tree = Tree::leaf(Kind::Upfield, &[number as f32 / 8.0]);
    Migrant { id: Id { island: 9, number }, tree, samples, epoch: 0 }
}

#[test]
fn epoch_form_of_5_5_1_exchanges_every_second_generation() {
    let settings = Settings {
        population: 32,
        elite: 3.0 / 32.0,
        mutate_subtree: 0.05,
        exchange_every: 2,
        immigrants: 5,
        ..Settings::for_algorithm(Algorithm::Classic)
    };
    let mut island = island(settings, 1);
    for generation in 1..=8 {
        try_all(&mut island);
        assert_eq!(island.emigrant().id, island.population()[0].id, "a copy of the fittest");
        assert_eq!(island.exchanges(), generation % 2 == 0);
        // The migrants are fitter than all residents, so the elite of the next generation shows which migrants were
        // accepted.
        let strangers: Vec<Migrant> = (0..6).map(|i| migrant(10 * generation + i, f64::from(2 * generation))).collect();
        island.advance(&strangers);
        let elite = &island.population()[..3];
        let newcomers = elite.iter().filter(|i| i.operator == Operator::Migration && i.id.number >= 10 * generation);
        assert_eq!(newcomers.count(), if generation % 2 == 0 { 3 } else { 0 });
        let parents = children(&island, generation).into_iter().flat_map(|i| i.parents.into_iter().flatten());
        assert!(parents.filter(|p| p.island == 9).all(|p| p.number % 10 < 5), "five come in, the sixth does not");
    }
}
