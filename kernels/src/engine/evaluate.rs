//! Fitness of evolved trees.

use super::{ChosenEngine, Engine, Job};
use crate::analysis::reduce::{Options, reduce};
use crate::tree::{CompileError, Program, Tree};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::mem::take;

/// Evaluates a population's trees, and remembers from one generation to the next what those that stay compile to.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    /// By the tree's key: what is known of it.
    known: BTreeMap<Vec<u8>, Controller>,
    /// Of each tree of the population the place of its program, if it fits a robot.
    places: Vec<Option<usize>>,
    programs: Vec<Program>,
    parsimonies: Vec<f32>,
}

/// What runs for a tree.
#[derive(Clone, Debug)]
struct Controller {
    /// The reduced tree under `avoiding`, which does exactly what the whole one does.
    program: Program,
    /// The whole tree's: what it costs in memory is what evolution made.
    parsimony: f32,
}

impl Evaluator {
    /// Takes a population's trees; those not met in the last one are reduced and compiled.
    pub fn prepare(&mut self, trees: &[&Tree]) {
        self.prepare_with(trees, &[]);
    }

    /// As [`Evaluator::prepare`]; teams may also have mates, programs that run as they are. Their numbers go on from the
    /// trees'.
    pub fn prepare_with(&mut self, trees: &[&Tree], mates: &[Program]) {
        let mut before = take(&mut self.known);
        let keys: Vec<Vec<u8>> = trees.iter().map(|tree| tree.key()).collect();
        let mut new: BTreeMap<&Vec<u8>, &Tree> = BTreeMap::new();
        for (tree, key) in trees.iter().zip(&keys) {
            match before.remove(key) {
                Some(controller) => drop(self.known.insert(key.clone(), controller)),
                None if !self.known.contains_key(key) => drop(new.insert(key, tree)),
                None => {}
            }
        }
        let compiled = new.into_par_iter().filter_map(|(key, tree)| Some((key.clone(), Controller::of(tree).ok()?)));
        self.known.extend(compiled.collect::<Vec<_>>());
        let numbers: BTreeMap<&Vec<u8>, usize> = self.known.keys().zip(0..).collect();
        self.places = keys.iter().map(|key| numbers.get(key).copied()).collect();
        self.programs = self.known.values().map(|c| c.program.clone()).collect();
        self.parsimonies = self.known.values().map(|c| c.parsimony).collect();
        self.places.extend((self.programs.len()..).map(Some).take(mates.len()));
        self.programs.extend_from_slice(mates);
        // What a mate costs is not the tree's fault.
        self.parsimonies.extend(mates.iter().map(|_| 1.0));
    }

    /// The fitness that evolution maximises (Eq. 8.3 for transport) of each job; teams are indices into the trees last
    /// prepared, each of which runs under `sel2(avoiding, tree)`. A mixed team is derated by its largest tree.
    ///
    /// A team with a tree that does not fit a robot's memory is not run and scores 0: the derating of a full memory.
    pub fn fitness(&self, engine: &dyn Engine, jobs: &[Job<'_>]) -> Vec<f32> {
        let runnable = self.runnable(jobs);
        let owned: Vec<Job<'_>> = runnable.iter().flatten().cloned().collect();
        let mut outcomes = engine.run(&self.programs, &owned).into_iter();
        let score = |job: &Option<Job<'_>>| {
            let Some(job) = job else { return 0.0 };
            let outcome = outcomes.next().expect("an outcome for every runnable job");
            let parsimony = |robot| self.parsimonies[job.team.program(robot)];
            let least = (0..job.spec.robots).map(parsimony).fold(1.0, f32::min);
            job.spec.task.evolution_fitness(outcome.fitness, least)
        };
        runnable.iter().map(score).collect()
    }

    /// Lets an engine settle on jobs as [`Evaluator::fitness`] takes them.
    pub fn settle(&self, engine: &ChosenEngine, jobs: &[Job<'_>]) {
        engine.settle(&self.programs, &self.runnable(jobs).into_iter().flatten().collect::<Vec<_>>());
    }

    /// The jobs with the places of their programs; `None` where a tree does not fit a robot.
    fn runnable<'a>(&self, jobs: &[Job<'a>]) -> Vec<Option<Job<'a>>> {
        let placed = |job: &Job<'a>| job.team.renumbered(job.spec.robots, |tree| self.places[tree]);
        jobs.iter().map(|job| placed(job).map(|team| Job { team, ..job.clone() })).collect()
    }
}

impl Controller {
    fn of(tree: &Tree) -> Result<Controller, CompileError> {
        let whole = tree.under_avoiding();
        let parsimony = Program::compile(&whole)?.parsimony();
        let reduced = reduce(&whole, Options { executable: false }).tree;
        Ok(Controller { program: Program::compile(&reduced)?, parsimony })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Simd, Team};
    use crate::world::WorldSpec;

    #[test]
    fn trees_are_known_while_they_are_there_and_score_alike_every_time() {
        let texts = ["seq\n  successl\n  upfield -1\n", "upfield -1", "mulav v_goal v_zero 3 v_blue"];
        let trees: Vec<Tree> = texts.iter().map(|t| Tree::parse(t).unwrap()).collect();
        let huge = Tree::parse(&format!("seq\n{}", "  avoiding\n".repeat(500))).unwrap();
        let spec = WorldSpec::benchmark(9);
        let job = |tree| Job { spec: &spec, start: 1, team: Team::all(tree), seed: 1, world: 2, updates: 300 };
        let mut evaluator = Evaluator::default();
        let all: Vec<&Tree> = trees.iter().chain([&huge]).collect();
        evaluator.prepare(&all);
        let first = evaluator.fitness(&Simd::default(), &[0, 1, 2, 3].map(job));
        assert_eq!(first[3], 0.0, "too large to run");
        assert!(first[2] != 0.0 && evaluator.known.len() == 3);
        assert_eq!(first[0], first[1], "the same behaviour in the same world");
        evaluator.prepare(&[&trees[2]]);
        let second = evaluator.fitness(&Simd::default(), &[job(0)]);
        assert_eq!((second[0], evaluator.known.len()), (first[2], 1));
    }

    #[test]
    fn mates_run_as_they_are_beside_the_tree_that_is_tried() {
        let tree = Tree::parse("mulav v_goal v_zero 3 v_blue").unwrap();
        let mate = Program::compile(&Tree::parse("movcv v_goal 90deg").unwrap()).unwrap();
        let spec = WorldSpec::benchmark(9);
        let job = |team| Job { spec: &spec, start: 1, team, seed: 1, world: 2, updates: 300 };
        let mut evaluator = Evaluator::default();
        evaluator.prepare_with(&[&tree], std::slice::from_ref(&mate));
        let mixed = || Team::of([1, 1, 0, 0, 0, 0, 0, 0, 0]);
        let [alone, with] = [Team::all(0), mixed()].map(|team| evaluator.fitness(&Simd::default(), &[job(team)])[0]);
        let whole = Program::compile(&tree.under_avoiding()).unwrap();
        let raw = Simd::default().run(&[whole, mate], &[job(mixed())])[0].fitness;
        assert_eq!(with, raw);
        assert_ne!(with, alone);
    }
}
