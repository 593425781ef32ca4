//! Final trees of runs: unique trees, their fitness, and common subtrees.

use super::collect::RunFacts;
use crate::measure::{Plan, fitness_of, hash_of};
use std::collections::{BTreeMap, BTreeSet};
use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::engine::{Engine, Team};
use xpuck_kernels::tree::{Program, Tree};

/// Minimum and maximum number of nodes of a shared subtree.
const SHARED: (usize, usize) = (3, 40);

/// A tree that drove robots at the end of runs.
#[derive(Clone, Debug)]
pub struct MeasuredTree {
    /// The tree as executed by the robots.
    pub tree: Tree,
    /// The tree after reduction.
    pub reduced: Tree,
    /// Robots that the tree drove at the end: index of the run, from 0, and name of the robot.
    pub drove: Vec<(usize, String)>,
    /// Label of the tree: number of its first run, from 1, and identifier of the individual. For a tree from the
    /// experiment, the name of its first robot replaces the identifier.
    pub name: String,
    /// Fitness of a homogeneous swarm with this tree in each simulation; empty if the tree cannot be compiled for a
    /// robot.
    pub fitness: Vec<f64>,
    /// Hash over the results of all simulations. Trees that behave identically in all simulations have equal hashes.
    pub hash: u64,
}

/// Measures each final tree of the runs once. Trees that are equal after reduction count as one. `progress` receives
/// the number of measured trees and the number of all trees.
pub fn measure(
    engine: &dyn Engine,
    runs: &[RunFacts],
    plan: &Plan<'_>,
    mut progress: impl FnMut(usize, usize),
) -> Vec<MeasuredTree> {
    let mut places: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut known: Vec<MeasuredTree> = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        for last in &run.trees {
            let reduced = reduce(&last.tree, Options { executable: true }).tree;
            let place = *places.entry(reduced.key()).or_insert_with(|| {
                known.push(MeasuredTree {
                    tree: last.tree.clone(),
                    reduced,
                    drove: Vec::new(),
                    name: format!("{}:{}", number + 1, last.id.map_or(last.robot.clone(), |id| id.to_string())),
                    fitness: Vec::new(),
                    hash: 0,
                });
                known.len() - 1
            });
            known[place].drove.push((number, last.robot.clone()));
        }
    }
    let total = known.len();
    progress(0, total);
    for (i, one) in known.iter_mut().enumerate() {
        if let Ok(program) = Program::compile(&one.reduced) {
            let outcomes = engine.run(std::slice::from_ref(&program), &plan.jobs(&Team::all(0)));
            (one.fitness, one.hash) = (fitness_of(&outcomes), hash_of(&outcomes));
        }
        progress(i + 1, total);
    }
    known
}

/// Returns groups of trees (indices of `known`) with different texts and bit-identical results in every simulation.
pub fn same_behaviour(known: &[MeasuredTree]) -> Vec<Vec<usize>> {
    let mut by_hash: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (i, one) in known.iter().enumerate().filter(|(_, one)| !one.fitness.is_empty()) {
        by_hash.entry(one.hash).or_default().push(i);
    }
    let mut groups: Vec<Vec<usize>> = by_hash.into_values().filter(|group| group.len() > 1).collect();
    groups.sort();
    groups
}

/// Minimum and maximum of each number in a subtree.
type Ranges = Vec<(f64, f64)>;

/// A subtree that several trees have in common. The numbers in it may differ between the trees.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Text of the subtree with `#` in place of each number.
    pub shape: String,
    /// Indices of the trees that contain the subtree.
    pub trees: Vec<usize>,
    /// Minimum and maximum of each number over all occurrences of the subtree, in the order of the text.
    pub numbers: Ranges,
}

/// Returns the subtrees that at least two reduced trees have in common. Numbers in a subtree may differ between trees.
/// The subtrees are sorted by the number of trees, then by text length, both in descending order. A subtree is left
/// out if the same trees share a larger subtree that contains it.
pub fn shared(known: &[MeasuredTree]) -> Vec<Shared> {
    let mut found: BTreeMap<String, (BTreeSet<usize>, Ranges)> = BTreeMap::new();
    for (place, one) in known.iter().enumerate() {
        let tree = &one.reduced;
        for at in 0..tree.nodes().len() {
            let nodes = tree.end(at) - at;
            if !(SHARED.0..=SHARED.1).contains(&nodes) {
                continue;
            }
            let (shape, numbers) = masked(&tree.subtree(at).to_string());
            let (trees, ranges) = found.entry(shape).or_insert_with(|| (BTreeSet::new(), Vec::new()));
            trees.insert(place);
            if ranges.is_empty() {
                ranges.extend(numbers.iter().map(|x| (*x, *x)));
            }
            for (range, x) in ranges.iter_mut().zip(&numbers) {
                *range = (range.0.min(*x), range.1.max(*x));
            }
        }
    }
    let mut all: Vec<Shared> = found
        .into_iter()
        .filter(|(_, (trees, _))| trees.len() > 1)
        .map(|(shape, (trees, numbers))| Shared { shape, trees: trees.into_iter().collect(), numbers })
        .collect();
    all.sort_by_key(|shared| (usize::MAX - shared.trees.len(), usize::MAX - shared.shape.len(), shared.shape.clone()));
    let lines = |text: &str| -> String { text.lines().map(|line| format!("{}\n", line.trim_start())).collect() };
    let kept: Vec<Shared> = all
        .iter()
        .filter(|small| {
            let inside = |large: &&Shared| {
                large.shape.len() > small.shape.len()
                    && large.trees == small.trees
                    && lines(&large.shape).contains(&lines(&small.shape))
            };
            !all.iter().any(|large| inside(&large))
        })
        .cloned()
        .collect();
    kept
}

/// Replaces each number in a tree's text by `#`, and keeps the units. Returns the new text and the numbers.
fn masked(text: &str) -> (String, Vec<f64>) {
    let mut numbers = Vec::new();
    let word = |word: &str, numbers: &mut Vec<f64>| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        match digits.parse::<f64>() {
            Ok(number) if word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') => {
                numbers.push(number);
                format!("#{}", &word[digits.len()..])
            }
            _ => word.to_string(),
        }
    };
    let line = |text: &str, numbers: &mut Vec<f64>| {
        let indent = text.len() - text.trim_start().len();
        let words: Vec<String> = text.split_whitespace().map(|text| word(text, numbers)).collect();
        format!("{}{}", &text[..indent], words.join(" "))
    };
    let lines: Vec<String> = text.lines().map(|text| line(text, &mut numbers)).collect();
    (lines.join("\n"), numbers)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::collect::LastTree;
    use super::*;
    use xpuck_evolve::Id;
    use xpuck_kernels::engine::Simd;
    use xpuck_kernels::world::WorldSpec;
    use xpuck_record::run_file::RunState;

    /// Returns a run in which the trees `texts` drove the robots at the end.
    pub fn run(texts: &[&str]) -> RunFacts {
        let tree = |(i, text): (usize, &&str)| LastTree {
            robot: format!("xp{i:02}"),
            id: Some(Id { island: 1, number: i as u32 }),
            tree: Tree::parse(text).unwrap().under_avoiding(),
        };
        let trees = texts.iter().enumerate().map(tree).collect();
        RunFacts {
            name: "a".into(),
            experiment: "transport".into(),
            version: "0".into(),
            seed: 1,
            robots: texts.len(),
            world: std::sync::Arc::new(WorldSpec::benchmark(texts.len())),
            last_world: std::sync::Arc::new(WorldSpec::benchmark(texts.len())),
            dead: 0,
            ping_ms: None,
            slow_percent: 0.0,
            evolves: true,
            evolved: 0.0,
            generations: 0.0,
            curve: Vec::new(),
            segments: Vec::new(),
            regions: crate::behaviour::RegionMeter::default(),
            trees,
            ancestry: Vec::new(),
            held: Vec::new(),
            senses: Ok(Vec::new()),
            started_unix_ms: 0,
            state: RunState::Finished,
            damage: Vec::new(),
        }
    }

    fn known(runs: &[RunFacts]) -> Vec<MeasuredTree> {
        let spec = WorldSpec::benchmark(4);
        let plan = Plan { spec: &spec, seconds: 10.0, runs: 20, seed: 1 };
        measure(&Simd::default(), runs, &plan, |_, _| {})
    }

    #[test]
    fn equal_reduced_trees_merge_equal_behaviour_is_listed() {
        let forward = "movcv v_goal 0deg\n";
        let padded = "sel\n  movcv v_goal 0deg\n  bleft\n";
        let found = known(&[run(&[forward, padded]), run(&[forward, "movcv v_goal 90deg\n"])]);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].drove, [(0, "xp00".into()), (0, "xp01".into()), (1, "xp00".into())]);
        assert_eq!(found[0].fitness.len(), 20);
        let mut alike = found[0].clone();
        alike.name = "other".into();
        let mut different = found[0].clone();
        different.hash ^= 1;
        assert_eq!(same_behaviour(&[found[0].clone(), different, alike]), [vec![0, 2]]);
    }

    #[test]
    fn shared_subtrees_keep_their_differing_numbers() {
        let tree =
            |x: u32| format!("sel\n  seq\n    bfront\n    movcs v_goal.x {x}\n    bleft\n  movcv v_goal {x}deg\n");
        let other = "seq\n  bright\n  invert\n    movcs v_goal.y 5\n";
        let found = known(&[run(&[&tree(4), &tree(90), other])]);
        let shared = shared(&found);
        let first = &shared[0];
        assert_eq!(first.trees, [0, 1], "{shared:?}");
        assert!(first.shape.contains("movcs v_goal.x #"), "{first:?}");
        assert!(first.numbers.iter().any(|(low, high)| (*low, *high) == (4.0, 90.0)), "{first:?}");
        for (i, small) in shared.iter().enumerate() {
            assert!(shared[..i].iter().all(|large| large.trees != small.trees || !large.shape.contains(&small.shape)));
        }
    }

    #[test]
    fn numbers_are_masked_and_names_are_not() {
        let (shape, numbers) = masked("seq\n  mulav v_goal v_up -2.19 v_scr\n  movcv v_scr -115deg");
        assert_eq!(shape, "seq\n  mulav v_goal v_up # v_scr\n  movcv v_scr #deg");
        assert_eq!(numbers, [-2.19, -115.0]);
    }
}
