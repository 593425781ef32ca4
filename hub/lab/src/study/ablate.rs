//! Ablation as a study: a row for each change of the tree.

use super::ablate_figure::{draw, sentence};
use super::{Budget, StudyError};
use crate::ablation::{Ablation, Effect, ablate};
use serde::Serialize;
use xpuck_kernels::engine::Engine;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::WorldSpec;

/// One change of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// "branch" for one that is left out, "constant" for a number that is another.
    pub kind: &'static str,
    /// Line of the tree's text.
    pub line: usize,
    /// The change in words.
    pub change: String,
    /// Mean change of the fitness, world by world.
    pub effect: f64,
    /// Its standard error.
    pub error: f64,
}

/// The study.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AblationStudy {
    /// What each variant is measured by.
    pub budget: Budget,
    /// Fitness of the whole tree.
    pub fitness: f64,
    /// Its standard error.
    pub error: f64,
    /// Variants beyond the limit, which were not run.
    pub left_out: usize,
    /// Branches, then constants, each with the largest effect first.
    pub changes: Vec<Change>,
    #[serde(skip)]
    found: Ablation,
}

impl AblationStudy {
    /// The result in a sentence.
    pub fn sentence(&self) -> String {
        sentence(&self.found)
    }

    /// The figure, as SVG.
    pub fn draw(&self) -> String {
        draw(&self.found)
    }
}

/// Measures a tree and its variants.
///
/// # Errors
/// If the tree does not fit a robot.
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
