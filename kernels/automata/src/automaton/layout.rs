//! Positions of the states, arrows and labels of a drawing. The circle of states is enlarged until the labels fit.

use super::text::message_text;
use super::{Automaton, Transition};
use std::collections::BTreeMap;
use std::f32::consts::{FRAC_PI_2, TAU};
use xpuck_kernels::math::{Vec2, vec2};

/// Radius of a state (px).
pub(super) const STATE_RADIUS: f32 = 18.0;
/// Height of a label row (px).
pub(super) const ROW: f32 = 13.0;
/// Width of a letter (px); labels use a monospaced font.
const LETTER: f32 = 6.7;
/// Padding around labels (px).
pub(super) const GAP: f32 = 4.0;
/// Sideways offset of an arrow if another arrow connects the same states in the opposite direction (px).
const BEND: f32 = 30.0;
/// Maximum number of enlargements of the circle, each by a quarter.
const GROWTHS: usize = 8;
/// Number of sample points per arrow, which are used to keep labels off other arrows.
const POINTS: usize = 16;
/// Maximum number of sample points that a label may cover on its own arrow without a penalty.
const MOST_HIDDEN: usize = 10;

/// Candidate label positions along an arrow, as shares of its length, the best position first.
const LABEL_POSITIONS: [f32; 13] = [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8];

/// Axis-aligned rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub centre: Vec2,
    /// Half the width and half the height (px).
    pub half: Vec2,
}

impl Area {
    fn square(centre: Vec2, half: f32) -> Area {
        Area { centre, half: vec2(half, half) }
    }

    fn from_corners(a: Vec2, b: Vec2) -> Area {
        let half = (b - a) * 0.5;
        Area { centre: (a + b) * 0.5, half: vec2(half.x.abs(), half.y.abs()) }
    }

    /// Counts the points inside the rectangle.
    fn covers(&self, points: &[Vec2]) -> usize {
        let inside = |at: &&Vec2| {
            let away = **at - self.centre;
            away.x.abs() < self.half.x && away.y.abs() < self.half.y
        };
        points.iter().filter(inside).count()
    }

    /// Returns the penalty of a label in this rectangle: the overlap with the areas in `taken`. A label that covers
    /// most of its own arrow gets an extra penalty. The sample points of this arrow are in `own`.
    fn crowding(&self, taken: &[Area], own: &[Vec2]) -> f32 {
        let overlap: f32 = taken.iter().map(|other| other.overlap(self)).sum();
        overlap + if self.covers(own) > MOST_HIDDEN { self.half.x } else { 0.0 }
    }

    /// Returns the overlap of two rectangles (px²).
    fn overlap(&self, other: &Area) -> f32 {
        let away = self.centre - other.centre;
        let common = vec2(self.half.x + other.half.x - away.x.abs(), self.half.y + other.half.y - away.y.abs());
        if common.x > 0.0 && common.y > 0.0 { common.x * common.y } else { 0.0 }
    }
}

/// Row of a label: upright text, then text in italics.
#[derive(Clone, Debug)]
pub(super) struct Row(pub String, pub String);

/// Arrow for all transitions from one state to another.
#[derive(Clone, Debug)]
pub(super) struct Arrow {
    /// Index of the state that the arrow leaves.
    pub from: usize,
    /// Control points of a cubic Bezier curve.
    pub curve: [Vec2; 4],
    pub rows: Vec<Row>,
    pub label: Area,
}

/// Positions of all elements of a drawing.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub states: Vec<Vec2>,
    pub arrows: Vec<Arrow>,
    /// Tail and tip of the arrow that marks the start state.
    pub start: [Vec2; 2],
    /// Total penalty of all labels. It is 0 if no label overlaps another label or a state, and no label covers most of
    /// its own arrow.
    pub crowding: f32,
}

impl Layout {
    pub fn new(automaton: &Automaton) -> Layout {
        let n = automaton.states.len();
        let mut radius = if n == 1 { 0.0 } else { 80.0 + 30.0 * n as f32 };
        let mut best = Layout::on_circle(automaton, radius);
        for _ in 0..GROWTHS {
            if best.crowding == 0.0 || n == 1 {
                break;
            }
            radius *= 1.25;
            let wider = Layout::on_circle(automaton, radius);
            if wider.crowding < best.crowding {
                best = wider;
            }
        }
        best
    }

    fn on_circle(automaton: &Automaton, radius: f32) -> Layout {
        let n = automaton.states.len();
        let outward = |state: usize| Vec2::unit(TAU * state as f32 / n as f32 - FRAC_PI_2);
        let states: Vec<Vec2> = (0..n).map(|state| outward(state) * radius).collect();
        // The arrow to the start state is placed beside the loop of the start state.
        let first = usize::from(automaton.start);
        let from = outward(first).rotate(Vec2::unit(0.9));
        let start = [states[first] + from * (STATE_RADIUS + 32.0), states[first] + from * STATE_RADIUS];
        let labels = labels(automaton);
        let mut arrows = Vec::new();
        for (&(from, to), rows) in &labels {
            let half = size(rows) * 0.5;
            let (curve, choices) = if from == to {
                let curve = looped(states[from], outward(from));
                (curve, beside_loop(&curve, outward(from), half))
            } else {
                let bend = if labels.contains_key(&(to, from)) { BEND } else { 0.0 };
                let curve = bent(states[from], states[to], bend);
                (curve, LABEL_POSITIONS.map(|share| point(&curve, share)).to_vec())
            };
            let label = Area { centre: choices[0], half };
            arrows.push((Arrow { from, curve, rows: rows.clone(), label }, from == to, choices));
        }
        // Labels of loops are placed first, because loops have the fewest candidate positions. Labels with many rows
        // come before labels with few rows.
        arrows.sort_by_key(|(arrow, is_loop, _)| (!is_loop, std::cmp::Reverse(arrow.rows.len())));
        let curves: Vec<[Vec2; 4]> = arrows.iter().map(|(arrow, ..)| arrow.curve).collect();
        let mut taken: Vec<Area> = states.iter().map(|&at| Area::square(at, STATE_RADIUS + GAP)).collect();
        taken.push(Area::from_corners(start[0], start[1]));
        let mut crowding = 0.0;
        for (number, (arrow, is_loop, choices)) in arrows.iter_mut().enumerate() {
            // A label may overlap its own arrow, unless the arrow is a loop.
            let others = curves.iter().enumerate().filter(|(other, _)| *other != number || *is_loop);
            let others: Vec<Vec2> = others.flat_map(|(_, curve)| points(curve)).collect();
            let own: Vec<Vec2> = if *is_loop { vec![] } else { points(&arrow.curve).collect() };
            let labels = choices.iter().map(|&centre| Area { centre, half: arrow.label.half });
            let costed = labels.map(|label| (label.crowding(&taken, &own), label.covers(&others), label));
            let best = costed.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            if let Some((crowded, _, label)) = best {
                crowding += crowded;
                arrow.label = label;
            }
            taken.push(arrow.label);
        }
        let arrows = arrows.into_iter().map(|(arrow, ..)| arrow).collect();
        Layout { states, arrows, start, crowding }
    }

    /// Returns the bounding box of the drawing.
    pub fn bounds(&self) -> Area {
        let states = self.states.iter().map(|&at| Area::square(at, STATE_RADIUS));
        let labels = self.arrows.iter().map(|arrow| arrow.label);
        let points = self.arrows.iter().flat_map(|arrow| points(&arrow.curve)).chain(self.start);
        let all: Vec<Area> = states.chain(labels).chain(points.map(|at| Area::square(at, 1.0))).collect();
        let extreme = |of: &dyn Fn(&Area) -> f32| all.iter().map(of).fold(0.0, f32::max);
        let least = vec2(extreme(&|a| a.half.x - a.centre.x), extreme(&|a| a.half.y - a.centre.y)) * -1.0;
        let most = vec2(extreme(&|a| a.centre.x + a.half.x), extreme(&|a| a.centre.y + a.half.y));
        Area::from_corners(least, most)
    }
}

/// Returns the label rows for each pair of states that transitions connect.
fn labels(automaton: &Automaton) -> BTreeMap<(usize, usize), Vec<Row>> {
    let mut labels: BTreeMap<_, Vec<Row>> = BTreeMap::new();
    for (from, state) in automaton.states.iter().enumerate() {
        let lists = [("", &state.incoming), ("out ", &state.outgoing)];
        for (direction, transition) in lists.iter().flat_map(|(d, list)| list.iter().map(move |t| (d, t))) {
            labels.entry((from, usize::from(transition.to))).or_default().extend(rows(direction, transition));
        }
    }
    labels
}

fn rows(direction: &str, transition: &Transition) -> Vec<Row> {
    let trigger = format!("{direction}{}", transition.trigger.name());
    let mut rows = vec![match transition.inward {
        Some(_) => Row(format!("{trigger} / "), message_text(transition.inward)),
        None => Row(trigger, String::new()),
    }];
    if transition.out.is_some() {
        rows.push(Row("/ all: ".into(), message_text(transition.out)));
    }
    rows
}

/// Returns the width and height of a label (px).
fn size(rows: &[Row]) -> Vec2 {
    let letters = rows.iter().map(|Row(upright, italic)| upright.len() + italic.len()).max().unwrap_or(0);
    vec2(LETTER * letters as f32 + 2.0 * GAP, ROW * rows.len() as f32 + GAP)
}

/// Returns a curve from a state to itself, on the outer side of the circle of states.
fn looped(at: Vec2, out: Vec2) -> [Vec2; 4] {
    let side = out.perp();
    let foot = |sign: f32| at + (out + side * (0.5 * sign)) * (STATE_RADIUS / 1.118);
    let far = |sign: f32| at + out * 66.0 + side * (34.0 * sign);
    [foot(1.0), far(1.0), far(-1.0), foot(-1.0)]
}

/// Returns candidate label positions for a loop, at increasing distance from the loop.
fn beside_loop(curve: &[Vec2; 4], out: Vec2, half: Vec2) -> Vec<Vec2> {
    let beside = point(curve, 0.5) + vec2(out.x * half.x, out.y * half.y);
    (0..6).map(|i| beside + out * (GAP + 14.0 * i as f32)).collect()
}

/// Returns a curve from a state at `a` to a state at `b`, with sideways offset `bend` (px).
fn bent(a: Vec2, b: Vec2, bend: f32) -> [Vec2; 4] {
    let along = (b - a) * (1.0 / (b - a).length());
    let side = along.perp() * bend;
    let lean = side * (0.6 * STATE_RADIUS / BEND);
    let foot = along * if bend == 0.0 { STATE_RADIUS } else { 0.8 * STATE_RADIUS };
    let (first, last) = (a + foot + lean, b - foot + lean);
    let third = (last - first) * (1.0 / 3.0);
    [first, first + third + side, last - third + side, last]
}

/// Returns the point of a Bezier curve at parameter `at` (0..=1).
fn point([a, b, c, d]: &[Vec2; 4], at: f32) -> Vec2 {
    let rest = 1.0 - at;
    *a * (rest * rest * rest) + *b * (3.0 * rest * rest * at) + *c * (3.0 * rest * at * at) + *d * (at * at * at)
}

fn points(curve: &[Vec2; 4]) -> impl Iterator<Item = Vec2> {
    (0..=POINTS).map(|i| point(curve, i as f32 / POINTS as f32))
}
