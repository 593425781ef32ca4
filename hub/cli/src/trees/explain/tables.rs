//! Tables with the simulated use and value of a tree's nodes, as text and as Markdown.

use super::Ablated;
use std::fmt::Write;
use xpuck_kernels::analysis::explain::Account;
use xpuck_kernels::engine::Count;
use xpuck_lab::ablation::{Ablation, Effect};
use xpuck_lab::measure::Plan;
use xpuck_stats::figure::Figure;
use xpuck_wire::output::count;

/// Formats the use of a node: "reached in 12.3 % of updates: success 26.9 %, failure 73.1 %", or "never reached".
pub fn share(ablation: &Ablation, node: usize) -> String {
    let count = &ablation.counts[node];
    if count.ticks() == 0 {
        return "never reached".into();
    }
    let results = [("success", count.success), ("failure", count.failure), ("running", count.running)];
    let results = results.iter().filter(|(_, n)| *n > 0);
    let results: Vec<String> =
        results.map(|(name, n)| format!("{name} {}", percent(*n as f64 / count.ticks() as f64))).collect();
    format!("reached in {} of the updates: {}", percent(ablation.share(node)), results.join(", "))
}

/// Formats the tables of node use, removals and constants for a terminal.
pub fn text(account: &Account, ablated: &Ablated<'_>) -> String {
    let mut text = format!("\n{}\n\n", opening(ablated));
    text.push_str("node   ticked  success  failure  running\n");
    for (i, (line, (count, ticked))) in lines(account).iter().zip(rows(&ablated.ablation)).enumerate() {
        let _ = write!(text, "{:>4} ", i + 1);
        match count {
            Some([success, failure, running]) => {
                let _ = writeln!(text, "{ticked:>8} {success:>8} {failure:>8} {running:>8}  {line}");
            }
            None => {
                let _ = writeln!(text, "{:>8} {:26}  {line}", "-", never(ablated));
            }
        }
    }
    for (title, effects) in effects(ablated) {
        let _ = write!(text, "\n{title}\n\n");
        effects.iter().for_each(|effect| {
            let _ = writeln!(
                text,
                "  {}  node {:<3} {}",
                worth(effect),
                effect.node + 1,
                effect.change.words().replace('`', "")
            );
        });
    }
    text.push_str(&left_out(ablated));
    text
}

/// Formats the tables of node use, removals and constants in Markdown.
pub fn markdown(account: &Account, ablated: &Ablated<'_>) -> String {
    let mut text = format!("\n## In simulation\n\n{}\n\n", opening(ablated));
    text.push_str("| number | node | ticked | success | failure | running |\n|---|---|---|---|---|---|\n");
    for (i, (line, (count, ticked))) in lines(account).iter().zip(rows(&ablated.ablation)).enumerate() {
        let indent = "&nbsp;".repeat(line.len() - line.trim_start().len());
        let cells = match count {
            Some([success, failure, running]) => format!("{ticked} | {success} | {failure} | {running}"),
            None => format!("{} | | |", never(ablated)),
        };
        let _ = writeln!(text, "| {} | {indent}`{}` | {cells} |", i + 1, line.trim_start());
    }
    for (title, effects) in effects(ablated) {
        let _ = write!(text, "\n{title}\n\n| change of fitness | node | variant |\n|---|---|---|\n");
        effects.iter().for_each(|effect| {
            let _ = writeln!(text, "| {} | {} | {} |", worth(effect), effect.node + 1, effect.change.words());
        });
    }
    text.push_str(&left_out(ablated));
    text
}

fn opening(Ablated { ablation, plan }: &Ablated<'_>) -> String {
    let (mean, error) = ablation.fitness;
    // A single run has no standard error.
    let error = if plan.runs > 1 { format!(" +- {error:.4}") } else { String::new() };
    format!(
        "Fitness {:.4}{error} over {} of {} s with {}. Ticked: share of all robot updates; results: share of the \
         ticks.",
        Figure(mean),
        runs(plan),
        plan.seconds,
        count(plan.spec.robots, "robot", "robots")
    )
}

fn never(ablated: &Ablated<'_>) -> String {
    format!("never reached in {}", runs(&ablated.plan))
}

fn runs(plan: &Plan<'_>) -> String {
    count(plan.runs as usize, "run", "runs")
}

/// Returns the lines of the tree's text form, one for each node.
fn lines(account: &Account) -> Vec<String> {
    account.tree.to_string().lines().map(String::from).collect()
}

/// Returns a row for each node, with two items. The first item holds the shares of success, failure and running in
/// the node's ticks (%); `None` if the node is never ticked. The second item is the share of updates with a tick (%).
fn rows(ablation: &Ablation) -> impl Iterator<Item = (Option<[String; 3]>, String)> {
    ablation.counts.iter().enumerate().map(|(node, count)| {
        let Count { success, failure, running } = *count;
        let part = |n: u64| percent(n as f64 / count.ticks() as f64);
        let results = (count.ticks() > 0).then(|| [success, failure, running].map(part));
        (results, percent(ablation.share(node)))
    })
}

/// Formats a share (0 to 1) in percent with one decimal. Shares above 0 and below 0.05 % become `< 0.1 %`.
fn percent(part: f64) -> String {
    if part > 0.0 && part < 0.0005 { "< 0.1 %".into() } else { format!("{:.1} %", 100.0 * part) }
}

fn effects<'a>(Ablated { ablation, .. }: &'a Ablated<'_>) -> [(&'static str, &'a [Effect]); 2] {
    [
        ("Change of fitness without a branch, on the same worlds:", &ablation.removals),
        ("Change of fitness with another constant, on the same worlds:", &ablation.constants),
    ]
}

fn worth(effect: &Effect) -> String {
    format!("{:+.4} +- {:.4}", Figure(effect.mean), effect.error)
}

fn left_out(Ablated { ablation, .. }: &Ablated<'_>) -> String {
    match ablation.left_out {
        0 => String::new(),
        n => format!("\n{n} more variants were not run: the tree is too large.\n"),
    }
}
