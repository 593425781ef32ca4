//! Ablation study: measures the effect of each change of a tree on the fitness.

use super::ablate_figure::{draw, sentence};
use super::{Budget, StudyError};
use crate::ablation::{Ablation, Effect, ablate};
use serde::Serialize;
use xpuck_kernels::engine::Engine;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::WorldSpec;

/// A change of the tree, and its effect on the fitness.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// Kind of the change: "branch" for a removed branch, or "constant" for a changed number.
    pub kind: &'static str,
    /// Line of the changed node in the tree's text, from 1.
    pub line: usize,
    /// Description of the change.
    pub change: String,
    /// Mean change of the fitness (changed minus original tree in the same worlds).
    pub effect: f64,
    /// Standard error of the effect.
    pub error: f64,
}

/// Results of an ablation study.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AblationStudy {
    /// Simulations of each variant.
    pub budget: Budget,
    /// Fitness of the original tree.
    pub fitness: f64,
    /// Standard error of the fitness.
    pub error: f64,
    /// Number of variants that were not run, because a study runs at most 300 variants.
    pub left_out: usize,
    /// Removed branches, then changed constants, each in descending order of their effects.
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

/// Measures the fitness of a tree and of its variants.
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
