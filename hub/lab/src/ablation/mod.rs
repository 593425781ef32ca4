//! Ablation of a tree in simulation: which nodes are in use, and what each branch and each constant is worth.
//!
//! Every variant of the tree runs in the same worlds as the whole tree, so that differences are paired: what the starts
//! and the noise do to both cancels.

mod variants;

pub use variants::{Change, Variant, variants};

use crate::measure::{Plan, fitness_of_runs};
use xpuck_kernels::engine::{Count, Engine, Team, observe};
use xpuck_kernels::tree::{CompileError, Program, Tree};
use xpuck_stats::statistics::mean_and_sd;

/// Most variants that an ablation runs; a larger tree's last ones are left out.
pub const MAX_VARIANTS: usize = 300;

/// What came out of an ablation.
#[derive(Clone, Debug, PartialEq)]
pub struct Ablation {
    /// Results of each node in the order of the tree.
    pub counts: Vec<Count>,
    /// Robot updates in all runs: what a node that is ticked in every update counts.
    pub updates: u64,
    /// Mean fitness of the whole tree, and its standard error.
    pub fitness: (f64, f64),
    /// What removals do, the largest effect first.
    pub removals: Vec<Effect>,
    /// What changed constants do, the largest effect first.
    pub constants: Vec<Effect>,
    /// Number of variants beyond [`MAX_VARIANTS`], which were not run.
    pub left_out: usize,
}

/// What a variant does to the fitness.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Place of the node that was changed or removed.
    pub node: usize,
    /// What was changed.
    pub change: Change,
    /// Mean of the variant's fitness minus the whole tree's, world by world.
    pub mean: f64,
    /// Standard error of that mean; 0 for a single run.
    pub error: f64,
}

impl Ablation {
    /// The part of all robot updates in which a node was ticked, 0..=1.
    pub fn share(&self, node: usize) -> f64 {
        self.counts[node].ticks() as f64 / self.updates as f64
    }
}

/// Measures a tree and its variants by a plan. `progress` is told how many of how many measurements are done.
///
/// # Errors
/// If the tree does not fit a robot.
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
