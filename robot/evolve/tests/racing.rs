//! Tests of the racing algorithm, with a fitness that is simple to compute.

use std::collections::{BTreeMap, BTreeSet};
use xpuck_evolve::{Algorithm, Id, Individual, Island, Migrant, Operator, PrimitiveSet, Samples, Settings, Stage};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Kind, Tree};
use xpuck_kernels::world::task::{Task, objective};

fn island(seed: u64) -> Island {
    Island::new(Settings::for_algorithm(Algorithm::Racing), PrimitiveSet::in_swarm(), 1, seed)
}

/// Returns the fitness of a tree: the share of `bfront` and `upfield` among the nodes, plus an offset that depends only
/// on the world.
fn worth(tree: &Tree, world: u32) -> f32 {
    let nodes = tree.nodes();
    let good = nodes.iter().filter(|n| matches!(n.kind, Kind::Bfront | Kind::Upfield)).count() as f32;
    good / nodes.len() as f32 + Draws::new(99, world, 0, 0, Stream::Device).range(-0.2, 0.2)
}

fn try_all(island: &mut Island) {
    let trees = island.population();
    let fitness: Vec<f32> = island.trials().iter().map(|t| worth(&trees[t.individual].tree, t.world)).collect();
    island.record(&fitness);
}

fn stage(island: &Island, stage: Stage) -> Vec<&Individual> {
    island.population().iter().filter(|i| i.stage == stage).collect()
}

fn migrant(number: u32, tree: &str) -> Migrant {
    let mut samples = Samples::default();
    samples.add(0, 0.9);
    Migrant { id: Id { island: 7, number }, tree: Tree::parse(tree).unwrap(), samples, epoch: 3 }
}

#[test]
fn generation_keeps_budget_and_stages_share_worlds() {
    let mut island = island(1);
    let mut used = BTreeSet::new();
    for _ in 0..40 {
        let trials = island.trials();
        let cost: u32 = trials.iter().map(|t| t.end / 2).sum();
        assert!((240..=256).contains(&cost), "{cost} trials");
        let mut worlds: BTreeMap<u8, BTreeSet<(u32, usize)>> = BTreeMap::new();
        let mut counts = vec![0; island.population().len()];
        for trial in &trials {
            let stage = island.population()[trial.individual].stage;
            assert_eq!((trial.begin, trial.end), (0, if stage == Stage::Newborn { 2 } else { 4 }));
            worlds.entry(stage as u8).or_default().insert((trial.world, trial.stratum));
            counts[trial.individual] += 1;
        }
        for (i, individual) in island.population().iter().enumerate() {
            let all = &worlds[&(individual.stage as u8)];
            assert_eq!(all.len(), counts[i], "the same worlds for all of a stage");
            assert_eq!(all.iter().filter(|(_, s)| *s == 0).count() * 2, all.len(), "both scenarios alike");
        }
        let now: BTreeSet<u32> = trials.iter().map(|t| t.world).collect();
        assert!(now.iter().all(|world| used.insert(*world)), "no generation sees an earlier one's worlds");
        try_all(&mut island);
        island.advance(&[]);
    }
}

#[test]
fn promotion_discards_samples() {
    let mut island = island(2);
    for _ in 0..30 {
        try_all(&mut island);
        island.advance(&[]);
        let count = |s| stage(&island, s).len();
        assert!(count(Stage::Elite) <= 4 && count(Stage::Guest) <= 5);
        assert!(count(Stage::Finalist) <= 3 && count(Stage::Contender) <= 12);
        assert!(stage(&island, Stage::Contender).iter().all(|i| i.samples.n() == 0));
        assert!(stage(&island, Stage::Finalist).iter().all(|i| i.samples.n() == 4));
        assert!(stage(&island, Stage::Elite).iter().all(|i| i.samples.n() >= 12));
    }
    let champion = island.champion();
    assert!(matches!(champion.stage, Stage::Elite | Stage::Guest) && champion.samples.n() >= 8);
    assert!(champion.samples.mean() > 0.5, "{}", champion.samples.mean());
}

#[test]
fn equal_results_in_equal_worlds_are_one_behaviour() {
    let mut island = island(3);
    let trials = island.trials();
    // One newborn has a lower fitness than all others, so the results contain two different behaviours.
    let fitness: Vec<f32> = trials.iter().map(|t| if t.individual == 5 { 0.1 } else { 0.2 }).collect();
    island.record(&fitness);
    island.advance(&[]);
    assert_eq!(stage(&island, Stage::Contender).len(), 2);
}

#[test]
fn guests_breed_only_after_start_from_guests() {
    let mut island = island(4);
    let guest = "seq\n  bfront\n  upfield 2\n";
    let mut bred_at = None;
    let mut starts = 0;
    let mut best = f64::NEG_INFINITY;
    for generation in 0..120 {
        try_all(&mut island);
        island.advance(&[migrant(1, guest)]);
        let (was, guests) = (stage(&island, Stage::Elite), stage(&island, Stage::Guest));
        assert!(guests.len() <= 5);
        starts += usize::from(was.is_empty() && generation > 10);
        let parents: BTreeSet<Id> = island.population().iter().filter_map(|i| i.parents).flatten().collect();
        if parents.contains(&migrant(1, guest).id) {
            bred_at.get_or_insert(generation);
        }
        // A fresh start keeps the champion as a guest.
        let champion = island.champion();
        if matches!(champion.stage, Stage::Elite | Stage::Guest) && champion.samples.n() >= 8 {
            let now = champion.samples.mean();
            best = f64::max(best, now);
            assert!(now > best - 0.2, "generation {generation}: {now} after {best}");
        } else {
            assert!(generation < 8, "somebody is known by now");
        }
    }
    assert!(bred_at.expect("a start from guests") >= 12, "not in the first start, which is from new trees");
    assert!(starts >= 1, "and then one from new trees again");
}

#[test]
fn last_known_guest_is_not_replaced() {
    // The population has room for only two guests, and another guest immigrates in each generation.
    let settings = Settings { population: 32, ..Settings::for_algorithm(Algorithm::Racing) };
    let mut island = Island::new(settings, PrimitiveSet::in_swarm(), 1, 4);
    let known = |island: &Island| stage(island, Stage::Guest).iter().any(|g| g.samples.n() >= 8);
    let mut since = None;
    for generation in 0..40 {
        try_all(&mut island);
        let guest = format!("seq\n  bfront\n  upfield {}\n", 1.0 + f64::from(generation) / 64.0);
        island.advance(&[migrant(generation, &guest)]);
        since = since.or(known(&island).then_some(generation));
        assert_eq!(known(&island), since.is_some(), "generation {generation}, known since {since:?}");
    }
    assert!(since.is_some(), "nobody was ever known");
}

#[test]
fn champion_is_kept_after_small_world_change() {
    let mut island = island(4);
    let mut guests = 0;
    for generation in 0..120 {
        try_all(&mut island);
        island.advance(&[migrant(generation, "seq\n  bfront\n  upfield 2\n")]);
        let mut other = island.clone();
        other.relearn();
        let champion = island.champion();
        guests += usize::from(champion.stage == Stage::Guest);
        // After `relearn`, no tree has more than 8 samples. A nearly equal tree with a higher mean may become champion.
        let [before, after] = [champion, other.champion()].map(|champion| champion.samples.mean());
        assert!(after >= before - 1e-9, "generation {generation}, {:?}: {before} becomes {after}", champion.stage);
        assert!(other.champion().samples.n() <= 8);
    }
    assert!(guests > 0, "a guest was the best at times");
}

#[test]
fn allowed_immigrant_becomes_guest_once_without_samples() {
    let mut island = island(5);
    try_all(&mut island);
    try_all(&mut island);
    island.advance(&[migrant(1, "upfield 2"), migrant(2, "upfield 3")]);
    let guests = stage(&island, Stage::Guest);
    assert_eq!(guests.iter().map(|g| (g.id.number, g.samples.n())).collect::<Vec<_>>(), [(1, 0)], "one at a time");
    try_all(&mut island);
    try_all(&mut island);
    island.advance(&[migrant(3, "upfield 2"), migrant(4, "explore 5")]);
    assert_eq!(stage(&island, Stage::Guest).len(), 1, "one is here already, the other's node is not allowed");
}

#[test]
fn unmoved_trial_counts_little_wrong_push_fully() {
    let mut island = island(6);
    let last = island.population().len() - 1;
    let fitness = |t: &xpuck_evolve::Trial| match t.individual {
        0 => -1.0,
        1 => f32::NAN,
        i if i == last => -0.4,
        _ => 0.0,
    };
    let ids: Vec<Id> = island.population().iter().map(|i| i.id).collect();
    let fitness: Vec<f32> = island.trials().iter().map(fitness).collect();
    island.record(&fitness);
    let mean = |id: Id| island.population().iter().find(|i| i.id == id).unwrap().samples.mean();
    assert_eq!([mean(ids[0]), mean(ids[1]), mean(ids[2])], [-0.05, -0.05, 0.0]);
    assert!((mean(ids[last]) + 0.4).abs() < 1e-6);
    assert_eq!(island.rejected_samples(), 2);
}

#[test]
fn only_transport_replaces_low_fitness() {
    let objective = objective::parse("last(n(arena))", &[], 0.0, 1.0).unwrap();
    let means = |task: &Task| {
        let mut island = island(6);
        let ids: Vec<Id> = island.population().iter().take(2).map(|i| i.id).collect();
        let fitness = |t: &xpuck_evolve::Trial| [-3.0, -0.25].get(t.individual).copied().unwrap_or(0.0);
        let fitness: Vec<f32> = island.trials().iter().map(fitness).collect();
        island.record_for(task, &fitness);
        let mean = |id: &Id| island.population().iter().find(|i| i.id == *id).unwrap().samples.mean();
        ids.iter().map(mean).collect::<Vec<_>>()
    };
    for task in [Task::Transport, Task::TransportOnce] {
        assert_eq!(means(&task), [-0.05, -0.25]);
    }
    for task in [Task::Objective(objective.into()), Task::Dispersion] {
        assert_eq!(means(&task), [-3.0, -0.25]);
    }
}

#[test]
fn newborn_trees_are_allowed_and_set_the_goal() {
    let primitive_set = PrimitiveSet::in_swarm();
    let mut island = island(7);
    let drives = |tree: &Tree| {
        tree.to_string().contains("v_goal") || {
            tree.nodes().iter().any(|n| matches!(n.kind, Kind::Upfield | Kind::Attract | Kind::Bsearch))
        }
    };
    assert!(island.population().iter().all(|i| drives(&i.tree)), "every new tree sets the goal");
    let mut operators = BTreeMap::new();
    for _ in 0..25 {
        try_all(&mut island);
        island.advance(&[]);
        for newborn in stage(&island, Stage::Newborn) {
            assert!(primitive_set.allows(&newborn.tree), "{}", newborn.tree);
            assert_eq!(Tree::parse(&newborn.tree.to_string()).unwrap(), newborn.tree, "the text form holds it exactly");
            *operators.entry(format!("{:?}", newborn.operator)).or_insert(0) += 1;
            assert_eq!(newborn.parents.is_none(), newborn.operator == Operator::Random);
        }
    }
    assert!(["Random", "Mutation", "Crossover"].iter().all(|o| operators[*o] > 50), "{operators:?}");
}
