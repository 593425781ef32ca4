//! Checker of trees: each tree in control comes from an island or from a valid experiment.

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

/// Number of runs whose trees are stored, including the current one; trees of older runs are no longer in control.
const RUNS: usize = 8;

/// Trees and experiments of a run, by hash.
#[derive(Debug, Default)]
struct RunTrees {
    /// Trees bred by islands or given by experiments.
    trees: HashSet<u64>,
    /// Experiments already checked.
    texts: HashSet<u64>,
}

/// Trees bred by islands or given by experiments in the last runs.
#[derive(Debug, Default)]
pub struct TreeChecker {
    now: RunTrees,
    before: VecDeque<RunTrees>,
    /// Last checked tree of each robot.
    last: [Option<Arc<Tree>>; ROBOTS],
    pub(super) fault: Fault,
}

impl TreeChecker {
    /// Called when a run is accepted.
    pub(super) fn run_began(&mut self) {
        self.before.push_front(std::mem::take(&mut self.now));
        self.before.truncate(RUNS - 1);
    }

    /// Adds the trees of an island that has received no genes since they were bred; forged ones are excluded.
    pub fn add_island(&mut self, island: &Island) {
        let own = island.population().iter().filter(|i| i.id.number < 1_000_000);
        self.now.trees.extend(own.map(|i| fnv1a(i.tree.under_avoiding().key())));
    }

    /// Adds the trees of an experiment sent to robots; only one signed by the operator is valid.
    pub(super) fn on_experiment(&mut self, signed: &Signed) {
        if !self.now.texts.insert(fnv1a(signed.manifest.bytes().chain(signed.signature.bytes()))) {
            return;
        }
        let Ok((plan, _)) = Plan::open(signed, &trust(), ROBOTS) else { return };
        let given = plan.phases.iter().flat_map(|phase| phase.given.iter().flatten());
        self.now.trees.extend(given.map(|tree| fnv1a(tree.key())));
    }

    /// Checks the tree of a controller that a robot's wheels follow.
    pub(super) fn check_controller(&mut self, now: u32, robot: usize, controller: &Controller) {
        let tree = controller.tree();
        if self.last[robot].as_ref().is_some_and(|last| Arc::ptr_eq(last, tree)) {
            return;
        }
        self.last[robot] = Some(tree.clone());
        let key = fnv1a(tree.key());
        if ![&self.now].into_iter().chain(&self.before).any(|run| run.trees.contains(&key)) {
            let what = format!("runs a tree that no island bred and no experiment gave:\n{tree}");
            self.fault.say(now, "no robot runs a tree that was not verified", id(robot), what);
        }
    }
}
