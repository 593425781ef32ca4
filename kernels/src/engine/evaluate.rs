//! Evaluation of the fitness of evolved trees.

use super::{Engine, Job, Outcome, Piece, Suspended};
use crate::analysis::reduce::{Options, reduce};
use crate::tree::{CompileError, Program, Tree};
use crate::world::task::{Task, reduced_by_size};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::mem::take;

/// Evaluates a population's trees and caches the compiled programs of trees that remain in the next generation.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    /// Compiled trees by [`Tree::key`].
    cache: BTreeMap<Vec<u8>, CompiledTree>,
    /// Index of each tree's program; `None` if the tree does not fit a robot.
    program_indices: Vec<Option<usize>>,
    programs: Vec<Program>,
    parsimonies: Vec<f32>,
    /// Whether trees run as they are, without the collision avoidance.
    bare: bool,
}

/// Compiled controller of a tree.
#[derive(Clone, Debug)]
struct CompiledTree {
    /// Program of the tree, usually of `sel2(avoiding, tree)`, in reduced form. It behaves identically to the
    /// unreduced form.
    program: Program,
    /// Parsimony factor of the unreduced tree, because the fitness depends on the unreduced size.
    parsimony: f32,
}

impl Evaluator {
    /// Creates an evaluator. If `avoiding` is false, trees run as they are, instead of under `sel2(avoiding, tree)`.
    pub fn new(avoiding: bool) -> Evaluator {
        Evaluator { bare: !avoiding, ..Evaluator::default() }
    }

    /// Sets the trees of the population. Trees that were not in the previous population are reduced and compiled.
    pub fn prepare(&mut self, trees: &[&Tree]) {
        self.prepare_with(trees, &[]);
    }

    /// Performs [`Evaluator::prepare`] and appends the programs `mates`, which run unchanged in mixed teams. The
    /// indices of the mates follow those of the trees.
    pub fn prepare_with(&mut self, trees: &[&Tree], mates: &[Program]) {
        let mut before = take(&mut self.cache);
        let keys: Vec<Vec<u8>> = trees.iter().map(|tree| tree.key()).collect();
        let mut new: BTreeMap<&Vec<u8>, &Tree> = BTreeMap::new();
        for (tree, key) in trees.iter().zip(&keys) {
            match before.remove(key) {
                Some(controller) => drop(self.cache.insert(key.clone(), controller)),
                None if !self.cache.contains_key(key) => drop(new.insert(key, tree)),
                None => {}
            }
        }
        let bare = self.bare;
        let compiled =
            new.into_par_iter().filter_map(|(key, tree)| Some((key.clone(), CompiledTree::compile(tree, bare).ok()?)));
        self.cache.extend(compiled.collect::<Vec<_>>());
        let numbers: BTreeMap<&Vec<u8>, usize> = self.cache.keys().zip(0..).collect();
        self.program_indices = keys.iter().map(|key| numbers.get(key).copied()).collect();
        self.programs = self.cache.values().map(|c| c.program.clone()).collect();
        self.parsimonies = self.cache.values().map(|c| c.parsimony).collect();
        self.program_indices.extend((self.programs.len()..).map(Some).take(mates.len()));
        self.programs.extend_from_slice(mates);
        // The parsimony of a mate is 1, so that the size of the mate does not reduce the fitness of the tree.
        self.parsimonies.extend(mates.iter().map(|_| 1.0));
    }

    /// Returns the fitness of each job, which evolution maximises (Eq. 8.3 for transport). A job's team contains
    /// indices of the trees of the last [`Evaluator::prepare`]. Each tree runs under `sel2(avoiding, tree)`. The
    /// parsimony of a mixed team is that of its largest tree.
    ///
    /// A team with a tree that does not fit a robot's memory is not run. Its fitness is 0, the same as for a tree
    /// that fills the memory. In an objective, it has the lowest fitness of all jobs, at most 0.
    pub fn fitness(&self, engine: &dyn Engine, jobs: &[Job<'_>]) -> Vec<f32> {
        let runnable = self.runnable(jobs);
        let owned: Vec<Job<'_>> = runnable.iter().flatten().cloned().collect();
        let outcomes = engine.run(&self.programs, &owned);
        self.scores(jobs, &runnable, outcomes.into_iter())
    }

    /// Returns the fitness so far of each piece, like [`Evaluator::fitness`], and the suspended world, from which
    /// another piece may continue. The world is `None` for a team that is not run.
    pub fn advance(&self, engine: &dyn Engine, pieces: &[Piece<'_>]) -> Vec<(f32, Option<Suspended>)> {
        let jobs: Vec<Job<'_>> = pieces.iter().map(|piece| piece.job.clone()).collect();
        let runnable = self.runnable(&jobs);
        let owned = runnable
            .iter()
            .zip(pieces)
            .filter_map(|(job, piece)| Some(Piece { job: job.clone()?, from: piece.from.clone() }));
        let results = engine.advance(&self.programs, &owned.collect::<Vec<_>>());
        let (outcomes, worlds): (Vec<Outcome>, Vec<Suspended>) = results.into_iter().unzip();
        let scores = self.scores(&jobs, &runnable, outcomes.into_iter());
        let mut worlds = worlds.into_iter();
        let world = |job: &Option<Job<'_>>| job.as_ref().and_then(|_| worlds.next());
        scores.into_iter().zip(runnable.iter().map(world)).collect()
    }

    /// Returns the fitness of each job from the outcomes of the runnable jobs.
    fn scores(
        &self,
        jobs: &[Job<'_>],
        runnable: &[Option<Job<'_>>],
        mut outcomes: impl Iterator<Item = Outcome>,
    ) -> Vec<f32> {
        let score = |job: &Option<Job<'_>>| {
            let job = job.as_ref()?;
            let outcome = outcomes.next().expect("an outcome for every runnable job");
            Some(job.spec.task.evolution_fitness(outcome.fitness, self.parsimony(job)))
        };
        let scores: Vec<Option<f32>> = runnable.iter().map(score).collect();
        let lowest = scores.iter().flatten().copied().fold(0.0, f32::min);
        let unfit = |job: &Job<'_>| if let Task::Objective(_) = job.spec.task { lowest } else { 0.0 };
        jobs.iter().zip(scores).map(|(job, score)| score.unwrap_or_else(|| unfit(job))).collect()
    }

    /// Returns the fitness of each job for evolution, like [`Evaluator::fitness`], with the fitness that `run` returns
    /// for each program job instead of the task's fitness. The parsimony reduces a fitness by the same fraction
    /// whether it is positive or negative. A team with a tree that does not fit a robot's memory has the lowest fitness
    /// of all jobs, at most 0.
    ///
    /// # Errors
    /// The error of `run`.
    ///
    /// # Panics
    /// If `run` returns another number of values than jobs.
    pub fn fitness_with<E>(
        &self,
        jobs: &[Job<'_>],
        run: impl FnOnce(&[Program], &[Job<'_>]) -> Result<Vec<f32>, E>,
    ) -> Result<Vec<f32>, E> {
        let runnable = self.runnable(jobs);
        let owned: Vec<Job<'_>> = runnable.iter().flatten().cloned().collect();
        let values = run(&self.programs, &owned)?;
        assert_eq!(values.len(), owned.len(), "a value for every runnable job");
        let scaled = owned.iter().zip(values).map(|(job, value)| reduced_by_size(value, self.parsimony(job)));
        let scaled: Vec<f32> = scaled.collect();
        let lowest = scaled.iter().copied().fold(0.0, f32::min);
        let mut scaled = scaled.into_iter();
        Ok(runnable.iter().map(|job| job.as_ref().and_then(|_| scaled.next()).unwrap_or(lowest)).collect())
    }

    /// Returns the parsimony factor of a job's largest tree.
    fn parsimony(&self, job: &Job<'_>) -> f32 {
        (0..job.spec.robots).map(|robot| self.parsimonies[job.team.program(robot)]).fold(1.0, f32::min)
    }

    /// Calls [`select_auto`](super::ChosenEngine::select_auto) with jobs whose teams contain tree indices, as in [`Evaluator::fitness`].
    #[cfg(not(target_family = "wasm"))]
    pub fn settle(&self, engine: &super::ChosenEngine, jobs: &[Job<'_>]) {
        engine.select_auto(&self.programs, &self.runnable(jobs).into_iter().flatten().collect::<Vec<_>>());
    }

    /// Returns the jobs with program indices instead of tree indices; `None` for a job with a tree that does not fit
    /// a robot.
    fn runnable<'a>(&self, jobs: &[Job<'a>]) -> Vec<Option<Job<'a>>> {
        let placed = |job: &Job<'a>| job.team.renumbered(job.spec.robots, |tree| self.program_indices[tree]);
        jobs.iter().map(|job| placed(job).map(|team| Job { team, ..job.clone() })).collect()
    }
}

impl CompiledTree {
    fn compile(tree: &Tree, bare: bool) -> Result<CompiledTree, CompileError> {
        let whole = if bare { tree.clone() } else { tree.under_avoiding() };
        let parsimony = Program::compile(&whole)?.parsimony();
        let reduced = reduce(&whole, Options { executable: false }).tree;
        Ok(CompiledTree { program: Program::compile(&reduced)?, parsimony })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Simd, Team};
    use crate::world::WorldSpec;
    use crate::world::task::objective;

    #[test]
    fn cache_keeps_current_trees_and_scores_are_equal() {
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
        assert!(first[2] != 0.0 && evaluator.cache.len() == 3);
        assert_eq!(first[0], first[1], "the same behaviour in the same world");
        evaluator.prepare(&[&trees[2]]);
        let second = evaluator.fitness(&Simd::default(), &[job(0)]);
        assert_eq!((second[0], evaluator.cache.len()), (first[2], 1));
    }

    #[test]
    fn own_fitness_is_derated_by_size_whatever_its_sign() {
        let leaves = |count| Tree::parse(&format!("seq\n{}", "  avoiding\n".repeat(count))).unwrap();
        let trees = [leaves(1), leaves(250), leaves(500)];
        let spec = WorldSpec::benchmark(2);
        let job = |tree| Job { spec: &spec, start: 0, team: Team::all(tree), seed: 1, world: 2, updates: 1 };
        let mut evaluator = Evaluator::default();
        evaluator.prepare(&trees.iter().collect::<Vec<_>>());
        let with = |value: f32| {
            let run = |_: &[Program], jobs: &[Job<'_>]| Ok::<_, ()>(vec![value; jobs.len()]);
            evaluator.fitness_with(&[0, 1, 2].map(job), run).unwrap()
        };
        let (high, low) = (with(1.0), with(-1.0));
        assert!(high[0] == 1.0 && 0.0 < high[1] && high[1] < 1.0 && high[2] == 0.0, "{high:?}");
        assert_eq!(low[..2], [-1.0, high[1] - 2.0]);
        assert_eq!(low[2], low[1], "no better than the worst");
        assert_eq!(evaluator.fitness_with(&[job(0)], |_, _| Err("why")), Err("why"));
    }

    #[test]
    fn tree_that_does_not_fit_has_lowest_fitness_of_objective() {
        let leaves = |count| Tree::parse(&format!("seq\n{}", "  avoiding\n".repeat(count))).unwrap();
        let trees = [leaves(1), leaves(250), leaves(500)];
        let with = |formula: &str| {
            let objective = objective::parse(formula, &[], 0.0, 1.0).unwrap();
            let spec = WorldSpec { task: Task::Objective(objective.into()), ..WorldSpec::benchmark(2) };
            let job = |tree| Job { spec: &spec, start: 0, team: Team::all(tree), seed: 1, world: 2, updates: 1 };
            let mut evaluator = Evaluator::default();
            evaluator.prepare(&trees.iter().collect::<Vec<_>>());
            evaluator.fitness(&Simd::default(), &[0, 1, 2].map(job))
        };
        let (high, low) = (with("last(n(arena))"), with("0 - last(n(arena))"));
        assert!(high[0] == 2.0 && high[1] < 2.0 && high[2] == 0.0, "{high:?}");
        assert!(low[0] == -2.0 && low[1] < -2.0 && low[2] == low[1], "{low:?}");
    }

    #[test]
    fn mates_run_as_they_are_beside_the_tree_that_is_tried() {
        let tree = Tree::parse("mulav v_goal v_zero 3 v_blue").unwrap();
        let mate = Program::compile(&Tree::parse("movcv v_goal 90deg").unwrap()).unwrap();
        let spec = WorldSpec::benchmark(9);
        let job = |team| Job { spec: &spec, start: 1, team, seed: 1, world: 2, updates: 300 };
        let mut evaluator = Evaluator::default();
        evaluator.prepare_with(&[&tree], std::slice::from_ref(&mate));
        let mixed = || Team::from_programs([1, 1, 0, 0, 0, 0, 0, 0, 0]);
        let [alone, with] = [Team::all(0), mixed()].map(|team| evaluator.fitness(&Simd::default(), &[job(team)])[0]);
        let whole = Program::compile(&tree.under_avoiding()).unwrap();
        let raw = Simd::default().run(&[whole, mate], &[job(mixed())])[0].fitness;
        assert_eq!(with, raw);
        assert_ne!(with, alone);
    }
}
