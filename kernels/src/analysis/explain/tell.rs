//! Descriptions of the nodes of a tree.

use super::Item;
use super::cases::{Case, NO_NEIGHBOUR, cases};
use super::conditions::{after_if, condition};
use super::drive::{bias, drive};
use super::facts::{Facts, drives};
use super::formula::assignment;
use super::linear::{CellValue, Linear, Pair};
use super::motion::Motion;
use super::network::network;
use super::words::{direction, is_goal};
use crate::analysis::reduce::branch::Branch;
use crate::math::Vec2;
use crate::tree::registers::{PROX, scalar_name, vector_name};
use crate::tree::{Kind, PROX_GAIN, Status};

/// Explains a subtree. The text of the result starts with a capital letter.
pub(super) fn explain_subtree(branch: &Branch, facts: &Facts) -> Item {
    let mut item = describe(branch, facts);
    item.text = capital(&item.text);
    item
}

fn describe(branch: &Branch, facts: &Facts) -> Item {
    if let Some(condition) = condition(branch, facts) {
        return item(branch, facts, format!("succeed if {}, else fail", after_if(&[condition])));
    }
    match branch.kind() {
        Kind::Seq | Kind::Seqm => sequence(branch, facts),
        Kind::Sel | Kind::Selm => selection(branch, facts),
        Kind::Par => {
            let mut all =
                item(branch, facts, format!("all of these in every update; success if {} succeed", branch.code.a));
            all.children = branch.kids.iter().map(|kid| explain_subtree(kid, facts)).collect();
            all
        }
        Kind::Successd => changed(branch, facts, "report success, even if it failed"),
        Kind::Failed => changed(branch, facts, "report failure, even if it succeeded"),
        Kind::Invert => changed(branch, facts, "report the opposite: failure if it succeeded, success if it failed"),
        Kind::Repeati => repeated(branch, facts, times(branch.code.a)),
        Kind::Repeatr => repeated(branch, facts, format!("a number of times drawn from 1 to {}", branch.code.a)),
        Kind::Successl => item(branch, facts, "report success".into()),
        Kind::Failurel => item(branch, facts, "report failure".into()),
        Kind::Signal => item(branch, facts, format!("show signal {} on the lamps", branch.code.a)),
        Kind::Network => network(branch, facts),
        _ if drives(branch) => driving(branch, facts),
        Kind::Movcs | Kind::Movcv | Kind::Mulas | Kind::Mulav | Kind::Rotav => setting(branch, facts),
        _ => subtree(branch, facts),
    }
}

fn item(branch: &Branch, facts: &Facts, text: String) -> Item {
    Item { node: facts.place(branch), text, formula: None, cases: Vec::new(), children: Vec::new() }
}

fn times(n: f32) -> String {
    if n == 1.0 { "once".into() } else { format!("{n} times") }
}

/// Describes a decorator. The text is the description of the child, followed by `how`, which describes the change of
/// the child's result.
fn changed(branch: &Branch, facts: &Facts, how: &str) -> Item {
    let kid = describe(&branch.kids[0], facts);
    if kid.children.is_empty() {
        return Item { node: facts.place(branch), text: format!("{}; then {how}", kid.text), ..kid };
    }
    Item {
        children: vec![Item { text: capital(&kid.text), ..kid }],
        ..item(branch, facts, format!("do the following, then {how}"))
    }
}

/// Describes a repeat node. The node ticks its child once per update, until the child has succeeded the required number
/// of times. `count` is the text for this number.
fn repeated(branch: &Branch, facts: &Facts, count: String) -> Item {
    let lead = format!("once in each update, until it has succeeded {count}");
    let kid = describe(&branch.kids[0], facts);
    if kid.children.is_empty() {
        return Item { node: facts.place(branch), text: format!("{lead}: {}", kid.text), ..kid };
    }
    Item { children: vec![Item { text: capital(&kid.text), ..kid }], ..item(branch, facts, lead) }
}

/// Describes a selection node, which ends at the first child that does not fail.
fn selection(branch: &Branch, facts: &Facts) -> Item {
    let mut text = "try these rules in order, up to the first that does not fail".to_string();
    if branch.kind() == Kind::Selm {
        text.push_str("; the one that was running is resumed in the next update");
    }
    let mut all = item(branch, facts, text);
    for (i, kid) in branch.kids.iter().enumerate() {
        let mut rule = match condition(kid, facts) {
            Some(condition) => {
                item(kid, facts, format!("if {}, stop here: no later rule is tried", after_if(&[condition])))
            }
            None => describe(kid, facts),
        };
        let lead = if i == 0 { String::new() } else { "otherwise, ".into() };
        rule.text = capital(&format!("{lead}{}", rule.text));
        all.children.push(rule);
    }
    all
}

/// Describes a sequence node, which ticks each child only if the previous children have succeeded. Tests before the
/// first other child form the condition, and the remaining children form the steps.
fn sequence(branch: &Branch, facts: &Facts) -> Item {
    let shown: Vec<&Branch> = branch.kids.iter().filter(|kid| !facts.is_described_by_readers(kid)).collect();
    let tests: Vec<String> = shown.iter().map_while(|kid| condition(kid, facts)).collect();
    let steps = steps(&shown[tests.len()..], facts);
    let memory = branch.kind() == Kind::Seqm;
    let lead = match (tests.is_empty(), memory) {
        (true, _) => String::new(),
        (false, false) => format!("if {}, ", after_if(&tests)),
        (false, true) => format!("if {} (not checked again while the following steps are running), ", after_if(&tests)),
    };
    let place = facts.place(branch);
    match <[Item; 1]>::try_from(steps) {
        Ok([only]) => Item { node: place, text: format!("{lead}{}", only.text), ..only },
        Err(steps) if steps.is_empty() && tests.is_empty() => item(branch, facts, "only report success".into()),
        Err(steps) if steps.is_empty() => item(branch, facts, format!("succeed if {}, else fail", after_if(&tests))),
        Err(steps) => {
            let resumed = if memory { ", resuming at the one that was running" } else { "" };
            let text = format!("{lead}do these in order, up to the first that fails{resumed}");
            let children = steps.into_iter().map(|step| Item { text: capital(&step.text), ..step }).collect();
            Item { children, ..item(branch, facts, text) }
        }
    }
}

/// Describes the steps of a sequence. Consecutive writes to both components of v_goal form one step.
fn steps(kids: &[&Branch], facts: &Facts) -> Vec<Item> {
    let mut steps = Vec::new();
    let mut i = 0;
    while i < kids.len() {
        let pair = kids.get(i + 1).filter(|next| completes(kids[i], next, facts));
        if let Some(next) = pair {
            steps.push(Item { node: facts.place(kids[i]), ..driving(next, facts) });
            i += 2;
        } else {
            steps.push(match condition(kids[i], facts) {
                Some(test) => item(kids[i], facts, format!("go on only if {}", after_if(&[test]))),
                None => describe(kids[i], facts),
            });
            i += 1;
        }
    }
    steps
}

/// Returns whether two nodes always succeed and write different components of v_goal.
fn completes(first: &Branch, second: &Branch, facts: &Facts) -> bool {
    let component = |kid: &Branch| matches!(kid.kind(), Kind::Movcs | Kind::Mulas) && is_goal(kid.code.d);
    let surely = |kid: &Branch| facts.only(kid, Status::Success);
    [first, second].into_iter().all(|kid| component(kid) && surely(kid)) && first.code.d != second.code.d
}

/// Describes a leaf that writes v_goal.
fn driving(branch: &Branch, facts: &Facts) -> Item {
    let Some(state) = facts.entry(branch) else { return item(branch, facts, never(branch)) };
    if facts.only(branch, Status::Running) {
        return item(branch, facts, "v_goal is written already, so change nothing and report running".into());
    }
    let scalar = matches!(branch.kind(), Kind::Movcs | Kind::Mulas);
    let goal: [CellValue; 2] = if scalar {
        facts.goal_after(branch).unwrap_or([CellValue::Unwritten, CellValue::Unwritten])
    } else {
        facts.computed(branch).map(|c| c.map_or(CellValue::Unwritten, CellValue::Sum))
    };
    let mut told = match &goal {
        [CellValue::Unwritten, CellValue::Unwritten] => {
            item(branch, facts, "v_goal stays unwritten, because its new value is computed from it".into())
        }
        [CellValue::Unsure, _] | [_, CellValue::Unsure] => {
            let formula = own_formula(branch, facts).unwrap_or_else(|| "v_goal as it is".into());
            item(branch, facts, format!("set {formula}"))
        }
        [x, y] => {
            let sum = |known: &CellValue| if let CellValue::Sum(sum) = known { sum.clone() } else { Linear::default() };
            let pair: Pair = [sum(x), sum(y)];
            let drive = drive(&pair, state);
            let mut text = drive.words;
            let mut formula = assignment("v_goal", &pair);
            if let Some(bias) = bias(&pair, state) {
                text = format!("{text}; {bias}");
            }
            for (known, cell) in [(x, "v_goal.x"), (y, "v_goal.y")] {
                if *known == CellValue::Unwritten {
                    formula = format!("{formula}, {cell} being unwritten and 0 unless a later rule writes it");
                }
            }
            if branch.kind() == Kind::Attract {
                text = format!("with neighbours, {text}; without neighbours, drive straight ahead");
                formula = format!("{formula} with neighbours, unit(0 deg) without neighbours");
            }
            let mut cases = drive.cases;
            cases.retain(|case| branch.kind() != Kind::Attract || !case.when.contains(NO_NEIGHBOUR));
            Item { formula: Some(formula), cases, ..item(branch, facts, text) }
        }
    };
    if facts.visit(branch).can(Status::Running) {
        told.text.push_str(" (if an earlier rule has set v_goal: no effect, and the result is running)");
    }
    told
}

/// Returns the formula of a node's own write, without the writes of other nodes; `None` if a component is NaN.
fn own_formula(branch: &Branch, facts: &Facts) -> Option<String> {
    let [x, y] = facts.computed(branch);
    if matches!(branch.kind(), Kind::Movcs | Kind::Mulas) {
        return Some(format!("{} = {}", scalar_name(branch.code.d), x?.formula()));
    }
    let name = if drives(branch) { "v_goal" } else { vector_name(branch.code.d) };
    Some(assignment(name, &[x?, y?]))
}

/// Describes a leaf that writes a register other than v_goal.
fn setting(branch: &Branch, facts: &Facts) -> Item {
    let text = match own_formula(branch, facts) {
        Some(formula) => format!("set {formula}"),
        None => format!("set {} to NaN, which is computed from an unwritten v_goal", destination(branch)),
    };
    item(branch, facts, text)
}

fn destination(branch: &Branch) -> String {
    match branch.kind() {
        Kind::Movcs | Kind::Mulas => scalar_name(branch.code.d),
        _ => vector_name(branch.code.d).into(),
    }
}

fn never(branch: &Branch) -> String {
    format!("`{}`, which is never reached", branch.node)
}

/// Describes a subtree leaf, which expands to a small tree that drives the robot.
fn subtree(branch: &Branch, facts: &Facts) -> Item {
    let [a, ..] = branch.node.operands;
    let Some(state) = facts.entry(branch) else { return item(branch, facts, never(branch)) };
    let mut told = match branch.kind() {
        Kind::Avoiding => {
            let prox = PROX as u8;
            let away = [0, 1].map(|i| Linear::default().plus(-f64::from(PROX_GAIN), &Linear::cell(prox + i)));
            let text = "if an obstacle is in front (at the front left or front right), turn away from it on the spot";
            Item {
                formula: Some(assignment("v_goal", &away)),
                cases: cases(&away, &[prox], facts.entry(&branch.kids[0].kids[1]).unwrap_or(state)),
                ..item(branch, facts, text.into())
            }
        }
        Kind::Explore => {
            let (updates, seconds) = (a, a / 10.0);
            item(
                branch,
                facts,
                format!(
                    "explore: drive straight ahead; when an obstacle is at the front left turn right on the spot, when \
                     it is at the front right turn left, for a number of updates drawn from 1 to {updates} (up to \
                     {seconds} s), and finish the turn before anything else"
                ),
            )
        }
        Kind::Bsearch => {
            let Motion { wheels, words } =
                Motion::from_goal(Vec2::unit(branch.node.operands[0] * std::f32::consts::PI / 128.0) * 0.25);
            let towards = direction((f64::from(a) * 180.0 / 128.0).round());
            let when = "the frisbee is not dead ahead".into();
            Item {
                cases: vec![Case { when, does: words, wheels }],
                ..item(
                    branch,
                    facts,
                    format!(
                        "search for the frisbee: if it is dead ahead (blue within 7 deg of straight ahead) succeed, \
                         otherwise creep at a quarter of full speed with the goal {towards}, and fail"
                    ),
                )
            }
        }
        _ => item(branch, facts, format!("`{}`: {}", branch.node, branch.kind().spec().meaning)),
    };
    if facts.visit(branch).can(Status::Running) && branch.kind() == Kind::Avoiding {
        told.text.push_str(" (if an earlier rule has set v_goal: no effect, and the result is running)");
    }
    told
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
