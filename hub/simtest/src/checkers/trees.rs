//! Checker of trees. Each tree that controls a robot must come from an island or from a valid experiment.

use super::Fault;
use crate::text::trust;
use crate::{ROBOTS, id};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use xpuck_evolve::Island;
use xpuck_experiment::Plan;
use xpuck_kernels::hash::fnv1a;
use xpuck_kernels::tree::Tree;
use xpuck_robot_core::controller::Controller;
use xpuck_wire::signed::Signed;

/// Number of runs whose trees are stored, including the current run. Trees of older runs no longer control robots.
const RUNS: usize = 8;

/// Hashes of a run's trees and experiments.
#[derive(Debug, Default)]
struct RunTrees {
    /// Hashes of trees that islands have bred or experiments contain.
    trees: HashSet<u64>,
    /// Hashes of experiments that were already checked.
    texts: HashSet<u64>,
}

/// Checker of trees, with the trees of the last runs.
#[derive(Debug, Default)]
pub struct TreeChecker {
    now: RunTrees,
    before: VecDeque<RunTrees>,
    /// Last checked tree of each robot.
    last: [Option<Arc<Tree>>; ROBOTS],
    pub(super) fault: Fault,
}

impl TreeChecker {
    /// Handles the acceptance of a run.
    pub(super) fn run_began(&mut self) {
        self.before.push_front(std::mem::take(&mut self.now));
        self.before.truncate(RUNS - 1);
    }

    /// Adds the trees in the population of an island. The island must not have received genes since it bred this
    /// population. Forged genes, which have high numbers, are excluded.
    pub fn add_island(&mut self, island: &Island) {
        let own = island.population().iter().filter(|i| i.id.number < 1_000_000);
        self.now.trees.extend(own.map(|i| fnv1a(i.tree.under_avoiding().key())));
    }

    /// Adds the trees of an experiment sent to robots, if an operator has signed the experiment.
    pub(super) fn on_experiment(&mut self, signed: &Signed) {
        if !self.now.texts.insert(fnv1a(signed.manifest.bytes().chain(signed.signature.bytes()))) {
            return;
        }
        let Ok((plan, _)) = Plan::open(signed, &trust(), ROBOTS) else { return };
        let given = plan.phases.iter().flat_map(|phase| phase.given.iter().flatten());
        self.now.trees.extend(given.map(|tree| fnv1a(tree.key())));
    }

    /// Checks the tree of a controller that currently drives a robot.
    pub(super) fn check_controller(&mut self, now: u32, robot: usize, controller: &Controller) {
        let tree = controller.tree();
        if self.last[robot].as_ref().is_some_and(|last| Arc::ptr_eq(last, tree)) {
            return;
        }
        self.last[robot] = Some(tree.clone());
        let key = fnv1a(tree.key());
        if ![&self.now].into_iter().chain(&self.before).any(|run| run.trees.contains(&key)) {
            let what = format!("runs a tree that comes neither from an island nor from an experiment:\n{tree}");
            self.fault.say(now, "no robot runs a tree that was not verified", id(robot), what);
        }
    }
}
