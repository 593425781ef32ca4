//! An account and an ablation as one JSON object.

use super::Ablated;
use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};
use xpuck_kernels::analysis::explain::{Account, Item};
use xpuck_lab::ablation::Effect;

/// A node of the account.
#[derive(Serialize)]
struct Rule {
    /// Line of the reduced tree, from 1.
    line: usize,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    cases: Vec<Value>,
    children: Vec<Rule>,
}

/// The object, with a line feed at its end.
pub fn object(account: &Account, ablated: Option<&Ablated<'_>>) -> Result<String> {
    let mut object = json!({
        "nodes_before": account.before,
        "nodes": account.tree.nodes().len(),
        "tree": account.tree.to_string(),
        "notes": account.notes,
        "account": rule(&account.root),
    });
    if let Some(ablated) = ablated {
        object["study"] = ablation(account, ablated);
    }
    Ok(serde_json::to_string(&object)? + "\n")
}

fn rule(item: &Item) -> Rule {
    let cases = item.cases.iter();
    Rule {
        line: item.node + 1,
        text: item.text.clone(),
        formula: item.formula.clone(),
        cases: cases.map(|c| json!({ "when": c.when, "does": c.does, "wheels": c.wheels })).collect(),
        children: item.children.iter().map(rule).collect(),
    }
}

fn ablation(account: &Account, Ablated { ablation, plan }: &Ablated<'_>) -> Value {
    let nodes = account.tree.nodes().iter().zip(&ablation.counts).enumerate();
    let nodes: Vec<Value> = nodes
        .map(|(i, (node, count))| {
            json!({
                "line": i + 1, "node": node.to_string(), "ticked": ablation.share(i),
                "success": count.success, "failure": count.failure, "running": count.running,
            })
        })
        .collect();
    let effects = |effects: &[Effect]| -> Vec<Value> {
        effects
            .iter()
            .map(|e| json!({ "line": e.node + 1, "variant": e.change.words(), "mean": e.mean, "error": e.error }))
            .collect()
    };
    json!({
        "runs": plan.runs, "seconds": plan.seconds, "robots": plan.spec.robots, "seed": plan.seed,
        "fitness": ablation.fitness.0, "error": ablation.fitness.1, "updates": ablation.updates, "nodes": nodes,
        "removals": effects(&ablation.removals), "constants": effects(&ablation.constants), "left_out": ablation.left_out,
    })
}
