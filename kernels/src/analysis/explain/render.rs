//! Formatting of an account as text for a terminal and as Markdown.

use super::{Account, Case, Item};
use std::fmt::Write;

/// Maximum width of lines (characters).
const WIDTH: usize = 100;
/// Maximum indent (characters). Items at greater depths are numbered but not indented further.
const DEEPEST: usize = 20;
/// Maximum width of the column of situations (characters). A longer situation is printed on its own line.
const COLUMN: usize = 34;

/// Part of a text that a terminal may colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Number of an item, such as "2.1.".
    Number,
    /// Formula of an item.
    Formula,
}

/// Formats the account as text.
///
/// `note` may add a remark to a node's sentence, for example the node's number of visits. `paint` may add colour codes
/// to parts of lines.
pub fn to_text(
    account: &Account,
    note: impl Fn(usize) -> Option<String>,
    paint: impl Fn(Part, &str) -> String,
) -> String {
    let mut text = format!("{}\n\n", size(account));
    for note in &account.notes {
        lines(0, "", note).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    text.push('\n');
    visit(account, &mut |item, number, depth| {
        let indent = (3 * depth).min(DEEPEST);
        for (i, line) in lines(indent, &number, &sentence(item, &note)).into_iter().enumerate() {
            let line = if i == 0 && !number.is_empty() {
                line.replacen(&number, &paint(Part::Number, &number), 1)
            } else {
                line
            };
            let _ = writeln!(text, "{line}");
        }
        let indent = indent + number.len() + 2;
        for line in item.formula.iter().flat_map(|formula| lines(indent, "", formula)) {
            let _ = writeln!(text, "{:indent$}{}", "", paint(Part::Formula, line.trim_start()));
        }
        let widths = item.cases.iter().map(|case| case.when.chars().count());
        let widest = widths.filter(|width| *width <= COLUMN).max().unwrap_or(0);
        for case in &item.cases {
            let does = format!("{} {}", case.does, wheels(case));
            let fits = case.when.chars().count() <= COLUMN;
            if !fits {
                lines(indent, "", &case.when).iter().for_each(|line| text.push_str(&format!("{line}\n")));
            }
            let label = format!("{:widest$}  ", if fits { &case.when } else { "" });
            let _ = writeln!(text, "{:indent$}{label}{does}", "");
        }
    });
    text
}

/// Formats the account as Markdown. `note` may add a remark to a node's sentence, as in [`to_text`].
pub fn to_markdown(account: &Account, note: impl Fn(usize) -> Option<String>) -> String {
    let mut text = format!("{}\n\n{}\n\n", size(account), account.notes.join(" "));
    account.tree.to_string().lines().for_each(|line| text.push_str(&format!("    {line}\n")));
    visit(account, &mut |item, number, _| {
        let lead = if number.is_empty() { String::new() } else { format!("**{}** ", number.trim_end()) };
        let _ = write!(text, "\n{lead}{}\n", sentence(item, &note));
        if let Some(formula) = &item.formula {
            let _ = write!(text, "\n`{formula}`\n");
        }
        if !item.cases.is_empty() {
            text.push_str("\n| when | it does | wheels, m/s |\n|---|---|---|\n");
        }
        for case in &item.cases {
            let _ = writeln!(text, "| {} | {} | {} |", case.when, case.does, wheels(case));
        }
    });
    text
}

fn size(account: &Account) -> String {
    let (before, after) = (account.before, account.tree.nodes().len());
    let nodes = |n: usize| if n == 1 { "1 node".to_string() } else { format!("{n} nodes") };
    match before - after {
        0 => format!("{}; none can be removed.", nodes(after)),
        gone => format!("{}; {gone} can be removed without any effect, which leaves {after}.", nodes(before)),
    }
}

/// Formats the speeds of the left and right wheel (m/s). Zero has no sign.
fn wheels(case: &Case) -> String {
    let speed = |v: f32| format!("{v:.3}").replace("-0.000", "0.000");
    format!("({}, {})", speed(case.wheels[0]), speed(case.wheels[1]))
}

fn sentence(item: &Item, note: &impl Fn(usize) -> Option<String>) -> String {
    let end = if item.children.is_empty() { "." } else { ":" };
    let note = note(item.node).map_or(String::new(), |note| format!(" [{note}]"));
    format!("{}{note}{end}", item.text)
}

/// Calls `f` with every item, its number such as "2.1. ", and its depth. The number of the root is empty.
fn visit(account: &Account, f: &mut impl FnMut(&Item, String, usize)) {
    let mut open: Vec<(&Item, String, usize)> = vec![(&account.root, String::new(), 0)];
    while let Some((item, number, depth)) = open.pop() {
        let label = if number.is_empty() { String::new() } else { format!("{number} ") };
        f(item, label, depth);
        for (i, child) in item.children.iter().enumerate().rev() {
            open.push((child, format!("{number}{}.", i + 1), depth + 1));
        }
    }
}

/// Wraps words to lines of at most [`WIDTH`] characters. The first line starts with `label`. All other lines are
/// indented by the width of `label`.
fn lines(indent: usize, label: &str, words: &str) -> Vec<String> {
    let hanging = indent + label.chars().count();
    let width = WIDTH.max(hanging + 40);
    let mut lines = Vec::new();
    let mut line = format!("{:indent$}{label}", "");
    let mut fresh = true;
    for word in words.split(' ') {
        if !fresh && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(line);
            line = format!("{:hanging$}", "");
            fresh = true;
        }
        if !fresh {
            line.push(' ');
        }
        line.push_str(word);
        fresh = false;
    }
    lines.push(line);
    lines
}
