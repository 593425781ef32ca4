//! Descriptions of goal velocities: the relevant senses, and the motion in typical situations.

use super::cases::{Case, always_present, cases, max_component, max_length, may_be, min_length, velocity};
use super::formula::{Terms, terms, vectors};
use super::linear::{Linear, Pair};
use super::motion::Motion;
use super::words::{direction, list, number, side, signs, target};
use crate::analysis::reduce::state::State;
use crate::tree::registers::{UP, scalar_name};

/// Share of the largest weight. A sense with at most this share is described as minor.
const LITTLE: f64 = 0.1;

/// Description of a goal velocity, with typical situations.
pub(super) struct Drive {
    pub words: String,
    pub cases: Vec<Case>,
}

/// Describes a goal velocity that a node writes in `state`.
pub(super) fn drive(goal: &Pair, state: &State) -> Drive {
    let mut senses: Vec<u8> = vectors(goal).into_iter().collect();
    if senses.is_empty() {
        return Drive { words: Motion::from_goal(velocity(goal, &[])).words, cases: Vec::new() };
    }
    let weight = |cell: u8| weight_of(goal, cell, state);
    senses.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)));
    // The scale is the largest weight of the constant and of the senses that always have a value. A sense that is often
    // zero must not make these appear minor.
    let steady = senses.iter().filter(|cell| always_present(**cell, state)).map(|cell| weight(*cell));
    let heaviest = steady.fold(goal[0].constant.hypot(goal[1].constant), f64::max);
    let matter: Vec<u8> = senses.iter().copied().filter(|cell| weight(*cell) > LITTLE * heaviest).collect();
    let words = match terms(goal) {
        Some(terms) => by_vectors(&terms, &matter),
        None => by_components(goal, heaviest, state),
    };
    let known = goal.iter().flat_map(Linear::registers).next().is_none();
    let cases = if known { cases(goal, &matter, state) } else { Vec::new() };
    Drive { words, cases }
}

fn weight_of(goal: &Pair, cell: u8, state: &State) -> f64 {
    let factor = |c: u8| goal[0].factor(c).abs().max(goal[1].factor(c).abs());
    [cell, cell + 1]
        .map(|c| if factor(c) == 0.0 { 0.0 } else { factor(c) * max_component(c, state) })
        .into_iter()
        .fold(0.0, f64::max)
}

/// Describes a goal velocity as a sum of vectors. Example: "steer towards the frisbee, biased 39 deg to the left".
fn by_vectors(Terms { constant: (length, angle), terms }: &Terms, matter: &[u8]) -> String {
    let (mut parts, mut sizes, mut little) = (Vec::new(), Vec::new(), Vec::new());
    let mut ordered = terms.clone();
    let rank = |cell: u8| matter.iter().position(|c| *c == cell).unwrap_or(matter.len());
    ordered.sort_by_key(|term| rank(term.cell));
    for term in &ordered {
        let name = target(term.cell);
        if rank(term.cell) == matter.len() {
            little.push(name.to_string());
            continue;
        }
        sizes.push(number(term.size));
        parts.push(match term.turn {
            0.0 => format!("towards {name}"),
            180.0 | -180.0 => format!("away from {name}"),
            turn => format!("{} of {name}", direction(turn)),
        });
    }
    let mut words = match parts.as_slice() {
        [] => "steer".into(),
        parts => format!("steer {}", list(parts, "and")),
    };
    if *length > 0.0 {
        let word = if parts.is_empty() { "" } else { ", biased" };
        words.push_str(&format!("{word} {}", direction(*angle)));
        sizes.push(number(*length));
    }
    if sizes.len() > 1 {
        words.push_str(&format!(" (weights {})", sizes.join(" : ")));
    }
    if !little.is_empty() {
        words.push_str(&format!("; {} matters little", list(&little, "and")));
    }
    words
}

/// Describes a goal velocity by its components. Example: "forward when it faces downfield (20.7), left when upfield is
/// on its left (6.55)".
fn by_components(goal: &Pair, heaviest: f64, state: &State) -> String {
    let (mut parts, mut little) = (Vec::new(), Vec::new());
    for (component, [positive, negative]) in goal.iter().zip([["forward", "backward"], ["left", "right"]]) {
        if component.constant != 0.0 {
            let word = if component.constant > 0.0 { positive } else { negative };
            parts.push((component.constant.abs(), format!("always {word} ({})", number(component.constant.abs()))));
        }
        for (cell, factor) in &component.factors {
            let weight = factor.abs() * max_component(*cell, state);
            if weight <= LITTLE * heaviest {
                little.push((weight, *cell));
                continue;
            }
            let size = number(factor.abs());
            let text = match signs(*cell) {
                Some([more, less]) => {
                    // Describes the situation in which the robot moves forward or left. If this situation is impossible
                    // in `state`, describes the opposite situation.
                    let [may_more, may_less] = may_be(*cell, state);
                    let up = *factor > 0.0;
                    let by_more = if up { may_more || !may_less } else { !may_less || less.is_empty() };
                    let way = if by_more == up { positive } else { negative };
                    format!("{way} when {} ({size})", if by_more { more } else { less })
                }
                None => format!("{positive} by {} {}", number(*factor), scalar_name(*cell)),
            };
            parts.push((weight, text));
        }
    }
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let parts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
    let mut words = format!("steer {}; the opposite otherwise (backward is turning on the spot)", list(&parts, "and"));
    if parts.is_empty() {
        words = "hardly move".into();
    }
    if !little.is_empty() {
        let most = little.iter().map(|(weight, _)| *weight).fold(0.0, f64::max);
        // A sense with a low weight in both components is listed once.
        let mut cells: Vec<u8> = Vec::new();
        little.iter().for_each(|(_, cell)| cells.extend((!cells.contains(cell)).then_some(*cell)));
        let names: Vec<String> = cells.into_iter().map(scalar_name).collect();
        let verb = if names.len() > 1 { "matter" } else { "matters" };
        let most =
            if most > 0.0 { format!("at most {} against {}", number(most), number(heaviest)) } else { "0 here".into() };
        words.push_str(&format!("; {} {verb} little ({most})", list(&names, "and")));
    }
    words
}

/// Describes the angle by which a constant vector turns the heading away from a single sense. Returns `None` if the
/// goal does not consist of a constant and one sense, or if the constant dominates.
pub(super) fn bias(goal: &Pair, state: &State) -> Option<String> {
    let Terms { constant: (length, angle), terms } = terms(goal)?;
    let [term] = terms.as_slice() else { return None };
    let seen = min_length(term.cell, state);
    let size = term.size * seen.unwrap_or_else(|| max_length(term.cell, state));
    if length == 0.0 || size <= length || !size.is_finite() || usize::from(term.cell) == UP {
        return None;
    }
    let (sin, cos) = (angle - term.turn).to_radians().sin_cos();
    let turned = (length * sin).atan2(size + length * cos).to_degrees();
    let turned = format!("{:.0} deg to the {}", turned.abs(), side(turned));
    Some(match seen {
        Some(_) => {
            format!(
                "while it is seen, the bias turns the heading by at most {turned}; otherwise, the bias alone decides"
            )
        }
        None => format!(
            "at full strength, the bias turns the heading by {turned}; at zero strength, the bias alone decides"
        ),
    })
}
