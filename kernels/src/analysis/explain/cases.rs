//! Tables of typical situations and the resulting motion of the robot.

use super::linear::Pair;
use super::motion::Motion;
use super::words::vector;
use crate::analysis::reduce::state::State;
use crate::math::{Vec2, vec2};
use crate::model::PROX_ANGLES;
use crate::tree::registers::{ATTR, GROUND, LIGHT, NEIGHBOURS, PROX, RED, SCRATCH, UP};

/// Typical length of the proximity vector, and of the vector to a neighbour at a distance of 15 cm.
const TYPICAL: f32 = 0.5;

/// Description of the situation without neighbours.
pub(super) const NO_NEIGHBOUR: &str = "no neighbour";

/// One situation and the robot's motion in this situation.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Description of the situation.
    pub when: String,
    /// Description of the motion.
    pub does: String,
    /// Speeds of the left and right wheel (m/s).
    pub wheels: [f32; 2],
}

/// Sense with its typical values and a description of each value.
struct Axis {
    cell: u8,
    values: Vec<(String, Vec2)>,
}

/// Tabulates the motion for `goal` in the possible situations of the senses at `cells`.
///
/// First, the first sense takes all its values while all other senses are at rest: no obstacles, no colours in view,
/// no neighbours. Then each other sense takes its values while the first sense has its first value.
pub(super) fn cases(goal: &Pair, cells: &[u8], state: &State) -> Vec<Case> {
    situations(cells, state, |senses| {
        let Motion { wheels, words } = Motion::from_goal(velocity(goal, senses));
        (wheels, words)
    })
}

/// Tabulates the same situations as [`cases`]. `does` computes the wheel speeds and the description of the motion from
/// the senses.
pub(super) fn situations(cells: &[u8], state: &State, does: impl Fn(&[(u8, Vec2)]) -> ([f32; 2], String)) -> Vec<Case> {
    let mut axes: Vec<Axis> = cells.iter().map(|cell| axis(*cell, state)).collect();
    axes.sort_by_key(|axis| !always_present(axis.cell, state));
    let Some((base, others)) = axes.split_first() else { return Vec::new() };
    let mut table: Vec<Case> = Vec::new();
    let mut add = |when: &str, senses: &[(u8, Vec2)]| {
        let (wheels, words) = does(senses);
        match table.iter_mut().find(|case| case.does == words) {
            Some(same) => same.when = format!("{}; {}", same.when, when.strip_prefix("heading ").unwrap_or(when)),
            None => table.push(Case { when: when.into(), does: words, wheels }),
        }
    };
    base.values.iter().for_each(|(word, v)| add(word, &[(base.cell, *v)]));
    let (first, at_first) = &base.values[0];
    for other in others {
        for (word, v) in other.values.iter().filter(|(_, v)| *v != at_rest(other.cell)) {
            add(&format!("{word}, {first}"), &[(base.cell, *at_first), (other.cell, *v)]);
        }
    }
    table
}

/// Returns whether a sense always has a value in `state`.
pub(super) fn always_present(cell: u8, state: &State) -> bool {
    match usize::from(cell) {
        UP | ATTR => true,
        RED..NEIGHBOURS => state.patterns(cell).all(|(seen, _)| seen != 0),
        _ => false,
    }
}

/// Returns the goal velocity in one situation. Senses that are not in `senses` are at rest.
pub(super) fn velocity(goal: &Pair, senses: &[(u8, Vec2)]) -> Vec2 {
    let value = |cell: u8| {
        let v = senses.iter().find(|(c, _)| *c == cell & !1).map_or_else(|| at_rest(cell & !1), |(_, v)| *v);
        f64::from(if cell & 1 == 0 { v.x } else { v.y })
    };
    vec2(goal[0].value(value) as f32, goal[1].value(value) as f32)
}

pub(super) fn at_rest(cell: u8) -> Vec2 {
    if matches!(usize::from(cell), UP | ATTR) { vec2(1.0, 0.0) } else { Vec2::ZERO }
}

fn axis(cell: u8, state: &State) -> Axis {
    let words = |values: &[(&str, Vec2)]| values.iter().map(|(word, v)| (word.to_string(), *v)).collect();
    let ray = |sensor: usize| Vec2::unit(PROX_ANGLES[sensor]) * TYPICAL;
    let mut values: Vec<(String, Vec2)> = match usize::from(cell) {
        PROX => words(&[
            ("nothing near", Vec2::ZERO),
            ("an obstacle ahead on the left", ray(0)),
            ("an obstacle ahead on the right", ray(7)),
            ("an obstacle behind", vec2(-TYPICAL, 0.0)),
            ("an obstacle on the left", ray(2)),
            ("an obstacle on the right", ray(5)),
        ]),
        UP => [0, 90, -90, 180, 45, -45, 135, -135].map(heading).to_vec(),
        ATTR => words(&[
            ("neighbours ahead", vec2(TYPICAL, 0.0)),
            ("neighbours on the left", vec2(0.0, TYPICAL)),
            ("neighbours on the right", vec2(0.0, -TYPICAL)),
            ("neighbours behind", vec2(-TYPICAL, 0.0)),
            (NO_NEIGHBOUR, vec2(1.0, 0.0)),
        ]),
        RED..NEIGHBOURS => {
            let colour = ["red", "green", "blue"][(usize::from(cell) - RED) / 2];
            state.patterns(cell).map(|(seen, v)| (pattern(colour, seen), v)).collect()
        }
        LIGHT => words(&[
            ("darkness", Vec2::ZERO),
            ("a light ahead", vec2(TYPICAL, 0.0)),
            ("a light on the left", vec2(0.0, TYPICAL)),
            ("a light on the right", vec2(0.0, -TYPICAL)),
            ("a light behind", vec2(-TYPICAL, 0.0)),
        ]),
        GROUND => words(&[
            ("a grey floor", Vec2::ZERO),
            ("a white floor", vec2(1.0, 0.0)),
            ("a black floor", vec2(-1.0, 0.0)),
        ]),
        NEIGHBOURS => [0.0, 1.0, 3.0, 8.0].iter().map(|n| (format!("{n} neighbours"), vec2(*n, 0.0))).collect(),
        _ => vec![(vector(cell).to_string(), Vec2::ZERO)],
    };
    let possible: Vec<(String, Vec2)> =
        values.iter().filter(|(_, v)| usize::from(cell) == NEIGHBOURS || state.allows(cell, *v)).cloned().collect();
    if !possible.is_empty() {
        values = possible;
    }
    Axis { cell, values }
}

/// Returns the description of a heading, and the upfield vector in the robot's frame. `degrees` is the heading's angle
/// to the left of upfield.
fn heading(degrees: i32) -> (String, Vec2) {
    let word = match degrees {
        0 => "heading 0 (upfield)".into(),
        180 => "heading 180 (downfield)".into(),
        _ => format!("heading {degrees} deg"),
    };
    (word, Vec2::unit(-(degrees as f32).to_radians()))
}

/// Returns the description of the camera segments in which a colour is seen. Bits 4, 2 and 1 are the left, centre and
/// right segment.
fn pattern(colour: &str, seen: usize) -> String {
    match seen {
        0 => format!("no {colour}"),
        1 => format!("{colour} right"),
        2 => format!("{colour} centre"),
        3 => format!("{colour} centre and right"),
        4 => format!("{colour} left"),
        5 => format!("{colour} left and right"),
        6 => format!("{colour} left and centre"),
        _ => format!("{colour} everywhere"),
    }
}

/// Returns the maximum length of a sense's vector in `state` (thesis 8.6.3 for v_prox). For the neighbour count,
/// returns the maximum number of neighbours.
pub(super) fn max_length(cell: u8, state: &State) -> f64 {
    match usize::from(cell) {
        PROX | LIGHT => 2.0,
        RED..NEIGHBOURS => state.patterns(cell).map(|(_, v)| f64::from(v.length())).fold(0.0, f64::max),
        NEIGHBOURS => 15.0,
        GROUND => 1.0,
        SCRATCH.. => f64::INFINITY,
        _ => 1.0,
    }
}

/// Returns the minimum length of a colour's vector over the patterns in `state` in which the colour is seen. Returns
/// `None` for other senses, and if the colour is never seen.
pub(super) fn min_length(cell: u8, state: &State) -> Option<f64> {
    let colour = (RED..NEIGHBOURS).contains(&usize::from(cell));
    let seen = colour.then(|| state.patterns(cell).filter(|(seen, _)| *seen != 0))?;
    seen.map(|(_, v)| f64::from(v.length())).reduce(f64::min)
}

/// Returns whether a cell of a sense may be positive in `state`, and whether it may be negative. For colours and
/// neighbours, both are true.
pub(super) fn may_be(cell: u8, state: &State) -> [bool; 2] {
    let corners =
        [(TYPICAL, TYPICAL), (TYPICAL, -TYPICAL), (-TYPICAL, TYPICAL), (-TYPICAL, -TYPICAL)].map(|(x, y)| vec2(x, y));
    let component = |v: &Vec2| if cell & 1 == 0 { v.x } else { v.y };
    let may = |sign: f32| corners.iter().any(|v| component(v) * sign > 0.0 && state.allows(cell & !1, *v));
    if usize::from(cell) < RED || usize::from(cell) & !1 == LIGHT { [may(1.0), may(-1.0)] } else { [true, true] }
}

/// Returns the maximum magnitude of a cell of a sense in `state`.
pub(super) fn max_component(cell: u8, state: &State) -> f64 {
    match usize::from(cell) {
        RED..NEIGHBOURS => {
            let component = |v: Vec2| f64::from(if cell & 1 == 0 { v.x } else { v.y }.abs());
            state.patterns(cell & !1).map(|(_, v)| component(v)).fold(0.0, f64::max)
        }
        _ => max_length(cell & !1, state),
    }
}
