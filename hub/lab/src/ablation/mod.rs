//! Ablation of a tree in simulation: the usage of nodes, and the contribution of each branch and constant to fitness.
//!
//! Every variant runs in the same worlds as the original tree. Differences are therefore paired: the effects of start
//! poses and noise cancel.

mod variants;

pub use variants::{Change, Variant, variants};

use crate::measure::{Plan, fitness_of_runs};
use xpuck_kernels::engine::{Count, Engine, Team, observe};
use xpuck_kernels::tree::{CompileError, Program, Tree};
use xpuck_stats::statistics::mean_and_sd;

/// Maximum number of variants per ablation. Further variants of a large tree are not run.
pub const MAX_VARIANTS: usize = 300;

/// Result of an ablation.
#[derive(Clone, Debug, PartialEq)]
pub struct Ablation {
    /// Tick results of each node, in preorder.
    pub counts: Vec<Count>,
    /// Number of robot updates in all runs. A node that is ticked at every update has this number of ticks.
    pub updates: u64,
    /// Mean fitness of the original tree, and its standard error.
    pub fitness: (f64, f64),
    /// Effects of removals. The largest effects are first.
    pub removals: Vec<Effect>,
    /// Effects of changed constants. The largest effects are first.
    pub constants: Vec<Effect>,
    /// Number of variants beyond [`MAX_VARIANTS`], which were not run.
    pub left_out: usize,
}

/// Effect of a variant of the tree on the fitness.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Preorder index of the changed or removed node.
    pub node: usize,
    /// Change of the tree.
    pub change: Change,
    /// Mean difference between the variant's fitness and the original tree's fitness, paired by world.
    pub mean: f64,
    /// Standard error of the mean; 0 for a single run.
    pub error: f64,
}

impl Ablation {
    /// Returns the share of robot updates in which a node was ticked (0..=1).
    pub fn share(&self, node: usize) -> f64 {
        self.counts[node].ticks() as f64 / self.updates as f64
    }
}

/// Measures a tree and its variants by a plan. `progress` is called with the number of finished measurements and the
/// total number.
///
/// # Errors
/// The tree cannot be compiled for a robot.
pub fn ablate(
    engine: &dyn Engine,
    tree: &Tree,
    plan: &Plan<'_>,
    mut progress: impl FnMut(usize, usize),
) -> Result<Ablation, CompileError> {
    let program = Program::compile(tree)?;
    let mut variants = variants(tree);
    let left_out = variants.len().saturating_sub(MAX_VARIANTS);
    variants.truncate(MAX_VARIANTS);
    let total = variants.len() + 2;
    progress(0, total);
    let counts = observe(&program, tree.nodes().len(), &plan.jobs(&Team::all(0)));
    progress(1, total);
    let whole = fitness_of_runs(engine, &program, plan);
    progress(2, total);
    let (mut removals, mut constants) = (Vec::new(), Vec::new());
    for (i, Variant { tree, node, change }) in variants.into_iter().enumerate() {
        let changed = fitness_of_runs(engine, &Program::compile(&tree)?, plan);
        let (mean, error) = mean_and_error(&changed.iter().zip(&whole).map(|(a, b)| a - b).collect::<Vec<_>>());
        let group = if matches!(change, Change::Removed { .. }) { &mut removals } else { &mut constants };
        group.push(Effect { node, change, mean, error });
        progress(i + 3, total);
    }
    for effects in [&mut removals, &mut constants] {
        effects.sort_by(|a: &Effect, b| b.mean.abs().total_cmp(&a.mean.abs()));
    }
    let updates = u64::from(plan.runs) * u64::from(plan.updates()) * plan.spec.robots as u64;
    Ok(Ablation { counts, updates, fitness: mean_and_error(&whole), removals, constants, left_out })
}

fn mean_and_error(sample: &[f64]) -> (f64, f64) {
    let (mean, sd) = mean_and_sd(sample);
    (mean, sd / (sample.len() as f64).sqrt())
}
