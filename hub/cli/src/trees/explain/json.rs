//! JSON form of an explanation and an ablation.

use super::Ablated;
use crate::terminal::json;
use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use xpuck_kernels::analysis::explain::{Account, Item};
use xpuck_kernels::engine::Count;
use xpuck_kernels::tree::Node;
use xpuck_lab::ablation::Effect;

/// Explanation of a tree, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Explanation<'a> {
    /// Number of nodes before reduction.
    nodes_before: usize,
    /// Number of nodes of the reduced tree.
    nodes: usize,
    /// The reduced tree as text.
    tree: String,
    /// Remarks about the whole tree.
    notes: &'a [String],
    /// Explanation of the root, with its children.
    account: Rule,
    /// Results of `--simulate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    study: Option<Study>,
}

/// Explanation of one node.
#[derive(Serialize, JsonSchema)]
struct Rule {
    /// Line of the reduced tree, from 1.
    line: usize,
    /// Sentence in English.
    text: String,
    /// Condition or assignment as a formula.
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    /// Cases of an action by its inputs.
    cases: Vec<Case>,
    /// Explanations of the children, in order.
    children: Vec<Rule>,
}

/// One case of an action.
#[derive(Serialize, JsonSchema)]
struct Case {
    /// Condition in English.
    when: String,
    /// Motion in English.
    does: String,
    /// Speeds of the left and right wheel (m/s).
    wheels: [f32; 2],
}

/// Simulations in which each node was counted, removed and varied.
#[derive(Serialize, JsonSchema)]
struct Study {
    /// Number of runs of each variant.
    runs: u32,
    /// Simulated time of a run (s).
    seconds: f32,
    /// Number of robots.
    robots: usize,
    /// Seed of the runs.
    seed: u64,
    /// Mean fitness of the unchanged tree.
    fitness: f64,
    /// Standard error of the fitness.
    error: f64,
    /// Number of updates of all robots.
    updates: u64,
    /// Counts of each node, by line.
    nodes: Vec<NodeCount>,
    /// Effect of the removal of each node.
    removals: Vec<Variant>,
    /// Effect of other constants.
    constants: Vec<Variant>,
    /// Number of variants that were not measured, as there are too many.
    left_out: usize,
}

/// Number of ticks of a node, by their result.
#[derive(Serialize, JsonSchema)]
struct NodeCount {
    /// Line of the reduced tree, from 1.
    line: usize,
    /// The node as text.
    node: String,
    /// Share of the updates in which the node was ticked, 0 to 1.
    ticked: f64,
    /// Number of ticks that returned success.
    success: u64,
    /// Number of ticks that returned failure.
    failure: u64,
    /// Number of ticks that returned running.
    running: u64,
}

/// Fitness of a tree with one change, compared with the unchanged tree.
#[derive(Serialize, JsonSchema)]
struct Variant {
    /// Line of the changed node, from 1.
    line: usize,
    /// The change in English.
    variant: String,
    /// Mean change of the fitness.
    mean: f64,
    /// Standard error of the mean.
    error: f64,
}

/// Formats the object, with a final line feed.
pub(super) fn object(account: &Account, ablated: Option<&Ablated<'_>>) -> Result<String> {
    let explanation = Explanation {
        nodes_before: account.before,
        nodes: account.tree.nodes().len(),
        tree: account.tree.to_string(),
        notes: &account.notes,
        account: rule(&account.root),
        study: ablated.map(|ablated| study(account, ablated)),
    };
    Ok(json(&explanation)? + "\n")
}

fn rule(item: &Item) -> Rule {
    let cases = item.cases.iter();
    Rule {
        line: item.node + 1,
        text: item.text.clone(),
        formula: item.formula.clone(),
        cases: cases.map(|c| Case { when: c.when.clone(), does: c.does.clone(), wheels: c.wheels }).collect(),
        children: item.children.iter().map(rule).collect(),
    }
}

fn study(account: &Account, Ablated { ablation, plan }: &Ablated<'_>) -> Study {
    let nodes = account.tree.nodes().iter().zip(&ablation.counts).enumerate();
    let node = |(i, (node, count)): (usize, (&Node, &Count))| NodeCount {
        line: i + 1,
        node: node.to_string(),
        ticked: ablation.share(i),
        success: count.success,
        failure: count.failure,
        running: count.running,
    };
    let variant = |e: &Effect| Variant { line: e.node + 1, variant: e.change.words(), mean: e.mean, error: e.error };
    Study {
        runs: plan.runs,
        seconds: plan.seconds,
        robots: plan.spec.robots,
        seed: plan.seed,
        fitness: ablation.fitness.0,
        error: ablation.fitness.1,
        updates: ablation.updates,
        nodes: nodes.map(node).collect(),
        removals: ablation.removals.iter().map(variant).collect(),
        constants: ablation.constants.iter().map(variant).collect(),
        left_out: ablation.left_out,
    }
}
