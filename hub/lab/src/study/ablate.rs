//! Ablation study: a row for each change of the tree.

use super::ablate_figure::{draw, sentence};
use super::{Budget, StudyError};
use crate::ablation::{Ablation, Effect, ablate};
use serde::Serialize;
use xpuck_kernels::engine::Engine;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::WorldSpec;

/// A change of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// "branch" for a removed branch, "constant" for a changed number.
    pub kind: &'static str,
    /// Line of the tree's text.
    pub line: usize,
    /// Description of the change.
    pub change: String,
    /// Mean change of the fitness, paired by world.
    pub effect: f64,
    /// Standard error of the effect.
    pub error: f64,
}

/// The study.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AblationStudy {
    /// Simulations of each variant.
    pub budget: Budget,
    /// Fitness of the original tree.
    pub fitness: f64,
    /// Standard error of the fitness.
    pub error: f64,
    /// Number of variants beyond the limit, which were not run.
    pub left_out: usize,
    /// Branches, then constants, each with the largest effect first.
    pub changes: Vec<Change>,
    #[serde(skip)]
    found: Ablation,
}

impl AblationStudy {
    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        sentence(&self.found)
    }

    /// Returns the figure as SVG.
    pub fn draw(&self) -> String {
        draw(&self.found)
    }
}

/// Measures a tree and its variants.
///
/// # Errors
/// If the tree cannot be compiled for a robot.
pub fn study(
    engine: &dyn Engine,
    tree: &Tree,
    spec: &WorldSpec,
    budget: Budget,
    progress: impl FnMut(usize, usize),
) -> Result<AblationStudy, StudyError> {
    let found = ablate(engine, tree, &budget.plan(spec), progress).map_err(|error| StudyError(error.to_string()))?;
    let change = |kind| {
        move |effect: &Effect| Change {
            kind,
            line: effect.node + 1,
            change: effect.change.words().replace('`', ""),
            effect: effect.mean,
            error: effect.error,
        }
    };
    Ok(AblationStudy {
        budget,
        fitness: found.fitness.0,
        error: found.fitness.1,
        left_out: found.left_out,
        changes: found
            .removals
            .iter()
            .map(change("branch"))
            .chain(found.constants.iter().map(change("constant")))
            .collect(),
        found,
    })
}
