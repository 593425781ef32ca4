//! Drawings of automata: states on a circle, an arrow for each pair of states, and what triggers it.

use super::text::message_text;
use super::{Automaton, Transition};
use crate::math::Vec2;
use std::collections::BTreeMap;
use std::f32::consts::{FRAC_PI_2, TAU};
use std::fmt::Write;

/// Radius of a state, pixels.
const STATE: f32 = 18.0;
/// Height of a line of text, pixels.
const LINE: f32 = 11.0;

/// An automaton as SVG. Triggers are upright, what they send to the module is in italics after a slash.
pub fn draw(automaton: &Automaton) -> String {
    let n = automaton.states.len();
    let radius = 60.0 + 40.0 * n as f32;
    let size = 2.0 * radius + 360.0;
    let centre = size / 2.0;
    let at = |state: usize| {
        let direction = Vec2::unit(TAU * state as f32 / n as f32 - FRAC_PI_2);
        let middle = crate::math::vec2(centre, centre);
        if n == 1 { middle } else { middle + direction * radius }
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size:.0} {size:.0}\" font-family=\"sans-serif\" \
         font-size=\"9\" text-anchor=\"middle\">\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" \
         markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"
    );
    for ((from, to), labels) in arrows(automaton) {
        let (a, b) = (at(from), at(to));
        let outward = a - crate::math::vec2(centre, centre);
        let (path, label) = if from == to {
            let up =
                if outward.length() > 1.0 { outward * (1.0 / outward.length()) } else { crate::math::vec2(0.0, -1.0) };
            let (side, far) = (up.perp() * 26.0, up * 58.0);
            let (first, last) = (a + up.perp() * 8.0 + up * STATE, a - up.perp() * 8.0 + up * STATE);
            let (c1, c2) = (a + side + far, a - side + far);
            (bezier(first, c1, c2, last), a + up * 66.0)
        } else {
            // There and back bend to different sides.
            let along = (b - a) * (1.0 / (b - a).length());
            let bend = along.perp() * 26.0;
            let (first, last) = (a + along * STATE + bend * 0.3, b - along * STATE + bend * 0.3);
            let middle = (a + b) * 0.5 + bend;
            (bezier(first, middle, middle, last), middle)
        };
        let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"black\" marker-end=\"url(#tip)\"/>");
        for (row, text) in labels.iter().enumerate() {
            let y = label.y + LINE * row as f32;
            let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{y:.1}\">{text}</text>", label.x);
        }
    }
    for state in 0..n {
        let centre = at(state);
        let fill = if state == usize::from(automaton.start) { "#ffe08a" } else { "white" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{STATE}\" fill=\"{fill}\" stroke=\"black\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"14\">{}</text>",
            centre.x,
            centre.y,
            centre.x,
            centre.y + 5.0,
            state + 1
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The labels of each pair of states that transitions join.
fn arrows(automaton: &Automaton) -> BTreeMap<(usize, usize), Vec<String>> {
    let mut arrows: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (from, state) in automaton.states.iter().enumerate() {
        let lists = [("", &state.incoming), ("out ", &state.outgoing)];
        for (direction, transition) in lists.iter().flat_map(|(d, list)| list.iter().map(move |t| (d, t))) {
            arrows.entry((from, usize::from(transition.to))).or_default().push(label(direction, transition));
        }
    }
    arrows
}

fn label(direction: &str, transition: &Transition) -> String {
    let mut text = format!("{direction}{}", transition.trigger.name());
    if transition.inward.is_some() {
        let _ = write!(text, " / <tspan font-style=\"italic\">{}</tspan>", message_text(transition.inward));
    }
    if transition.out.is_some() {
        let _ = write!(text, " / all: <tspan font-style=\"italic\">{}</tspan>", message_text(transition.out));
    }
    text
}

fn bezier(from: Vec2, a: Vec2, b: Vec2, to: Vec2) -> String {
    let point = |p: Vec2| format!("{:.1} {:.1}", p.x, p.y);
    format!("M{} C{} {} {}", point(from), point(a), point(b), point(to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::{Module, parse};

    #[test]
    fn drawings_are_xml_with_all_states_and_arrows() {
        let text =
            "1 -> 2: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n2 -> 2: (SENSORS_LINE_LEAVE), in:-, out:-\n";
        let svg = draw(&parse("test", Module::LineFollower, text).unwrap());
        let document = roxmltree::Document::parse(&svg).unwrap();
        let count = |name: &str| {
            document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", name))).count()
        };
        assert_eq!(count("circle"), 2);
        assert_eq!(count("path"), 1 + 2);
        assert!(svg.contains("SENSORS_LINE_ENTER / <tspan"));
    }
}
