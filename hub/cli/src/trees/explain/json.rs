//! JSON form of a tree's explanation and of the simulations of its variants.

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
    /// Text form of the reduced tree.
    tree: String,
    /// Remarks about the whole tree.
    notes: &'a [String],
    /// Explanation of the root, which contains the explanations of all other nodes.
    account: Rule,
    /// Results of `--simulate`; missing without this option.
    #[serde(skip_serializing_if = "Option::is_none")]
    study: Option<Study>,
}

/// Explanation of one node and its children.
#[derive(Serialize, JsonSchema)]
struct Rule {
    /// Line of the node in the reduced tree, from 1.
    line: usize,
    /// Explanation of the node as an English sentence.
    text: String,
    /// Condition or assignment as a formula; missing for other nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    /// Cases of an action for typical inputs.
    cases: Vec<Case>,
    /// Explanations of the children, in order.
    children: Vec<Rule>,
}

/// Motion that an action causes in one typical situation.
#[derive(Serialize, JsonSchema)]
struct Case {
    /// Description of the situation in English.
    when: String,
    /// Description of the motion in English.
    does: String,
    /// Speeds of the left and right wheel (m/s).
    wheels: [f32; 2],
}

/// Results of simulations: the ticks of each node, and the effects of removed nodes and changed constants on the
/// fitness.
#[derive(Serialize, JsonSchema)]
struct Study {
    /// Number of runs for each variant of the tree.
    runs: u32,
    /// Simulated time of a run (s).
    seconds: f32,
    /// Number of robots.
    robots: usize,
    /// Seed of the runs.
    seed: u64,
    /// Mean fitness of the unchanged tree.
    fitness: f64,
    /// Standard error of `fitness`.
    error: f64,
    /// Number of controller updates, summed over all robots and runs.
    updates: u64,
    /// Tick counts of each node, in the order of lines.
    nodes: Vec<NodeCount>,
    /// Effects of the removal of single nodes on the fitness.
    removals: Vec<Variant>,
    /// Effects of changed constants on the fitness.
    constants: Vec<Variant>,
    /// Number of variants that were not measured, because there are too many.
    left_out: usize,
}

/// Number of ticks of a node for each result.
#[derive(Serialize, JsonSchema)]
struct NodeCount {
    /// Line of the node in the reduced tree, from 1.
    line: usize,
    /// Text form of the node.
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

/// Variant of the tree with one change, and the effect of this change on the fitness.
#[derive(Serialize, JsonSchema)]
struct Variant {
    /// Line of the changed node in the reduced tree, from 1.
    line: usize,
    /// Description of the change in English.
    variant: String,
    /// Mean of the variant's fitness minus the fitness of the unchanged tree in the same world.
    mean: f64,
    /// Standard error of `mean`.
    error: f64,
}

/// Formats the explanation as one JSON object, with a final line feed.
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
