//! Drawings of automata: states on a circle, and a labelled arrow for each pair of states that transitions connect.

use super::Automaton;
use super::layout::{Area, Arrow, GAP, Layout, ROW, Row, STATE_RADIUS};
use std::fmt::Write;
use xpuck_kernels::fonts;

const STYLE: &str = "  <style>
    text { font: 11px monospace; text-anchor: middle; dominant-baseline: central }
    .number { font-size: 14px; fill: #1b1f24 }
    .line { fill: none; stroke-width: 1.4 }
    .behind { fill: #ffffff; fill-opacity: 0.85 }
    .state { fill: #eef2f7; stroke-width: 1.4 }
    .start { fill: #fdf3d8; stroke-width: 2.5 }
    .from-nowhere { fill: none; stroke: #1b1f24; stroke-width: 2.5 }
  </style>
";

/// Colours of states and of the arrows that leave them.
const COLOURS: [&str; 8] = ["#1f5fa8", "#b3261e", "#2f7d43", "#7b3fa0", "#8a5a00", "#0b7a75", "#a13d70", "#57606a"];
/// Colour of the arrow to the start state.
const BLACK: &str = "#1b1f24";

/// Margin around the drawing (px).
const MARGIN: f32 = 16.0;

/// Returns an automaton as SVG. Labels show the trigger upright, the message to the module in italics after a slash,
/// and the broadcast message on its own line. An arrow and its label have the colour of the state at the tail of the
/// arrow. A black arrow marks the start state.
pub fn draw(automaton: &Automaton) -> String {
    let layout = Layout::new(automaton);
    let bounds = layout.bounds();
    let size = (bounds.half.x + MARGIN, bounds.half.y + MARGIN);
    let corner = (bounds.centre.x - size.0, bounds.centre.y - size.1);
    let (left, top, width, height) = (corner.0, corner.1, 2.0 * size.0, 2.0 * size.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"{left:.0} {top:.0} {width:.0} {height:.0}\">\n{}  \
         <rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        fonts::with_fonts(STYLE)
    );
    svg.push_str("  <defs>\n");
    COLOURS.iter().chain([&BLACK]).for_each(|colour| tip(colour, &mut svg));
    svg.push_str("  </defs>\n");
    for arrow in &layout.arrows {
        let [a, b, c, d] = arrow.curve.map(|at| format!("{:.1} {:.1}", at.x, at.y));
        let colour = colour(arrow.from);
        let (number, path) = (&colour[1..], format!("M{a} C{b} {c} {d}"));
        let _ = writeln!(
            svg,
            "  <path class=\"line\" stroke=\"{colour}\" d=\"{path}\" marker-end=\"url(#tip-{number})\"/>"
        );
    }
    let [from, to] = layout.start.map(|at| format!("{:.1} {:.1}", at.x, at.y));
    let number = &BLACK[1..];
    let _ = writeln!(svg, "  <path class=\"from-nowhere\" d=\"M{from} L{to}\" marker-end=\"url(#tip-{number})\"/>");
    for (state, at) in layout.states.iter().enumerate() {
        let class = if state == usize::from(automaton.start) { "start" } else { "state" };
        let (x, y, colour) = (at.x, at.y, colour(state));
        let _ = writeln!(
            svg,
            "  <circle class=\"{class}\" stroke=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{STATE_RADIUS}\"/>\
             <text class=\"number\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            state + 1
        );
    }
    layout.arrows.iter().for_each(|arrow| label(arrow, &mut svg));
    svg.push_str("</svg>\n");
    svg
}

fn colour(state: usize) -> &'static str {
    COLOURS[state % COLOURS.len()]
}

/// Writes the SVG marker for arrow tips of a colour.
fn tip(colour: &str, svg: &mut String) {
    let number = &colour[1..];
    let _ = writeln!(
        svg,
        "    <marker id=\"tip-{number}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"10\" markerHeight=\"10\" \
         markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path fill=\"{colour}\" d=\"M0 0L8 4L0 8z\"/></marker>"
    );
}

fn label(arrow: &Arrow, svg: &mut String) {
    let Area { centre, half } = arrow.label;
    let (left, top) = (centre.x - half.x, centre.y - half.y);
    let (width, height) = (2.0 * half.x, 2.0 * half.y);
    let _ = writeln!(
        svg,
        "  <rect class=\"behind\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
    );
    for (i, Row(upright, italic)) in arrow.rows.iter().enumerate() {
        let (x, y) = (centre.x, top + 0.5 * (GAP + ROW) + ROW * i as f32);
        let _ = write!(svg, "  <text fill=\"{}\" x=\"{x:.1}\" y=\"{y:.1}\">{upright}", colour(arrow.from));
        if !italic.is_empty() {
            let _ = write!(svg, "<tspan font-style=\"italic\">{italic}</tspan>");
        }
        svg.push_str("</text>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::test_support::random;
    use crate::automaton::{Module, parse};
    use xpuck_kernels::random::{Draws, Stream};

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
        assert_eq!(count("path"), 9 + 1 + 2, "tips, the start's arrow and those of transitions");
        assert!(svg.contains("SENSORS_LINE_ENTER / <tspan"));
    }

    #[test]
    fn labels_lie_over_nothing_that_must_be_read() {
        let mut draws = Draws::new(8, 0, 0, 0, Stream::Evolution);
        let hand_made = crate::cargo::hand_made_automata().0.into_iter().flatten();
        let random = (0..60).map(|number| random(1 + number % 16, &mut draws));
        for automaton in hand_made.chain(random) {
            let layout = Layout::new(&automaton);
            assert_eq!(layout.crowding, 0.0, "{} states", automaton.states.len());
            let bounds = layout.bounds();
            let inside = |arrow: &Arrow| {
                let away = arrow.label.centre - bounds.centre;
                away.x.abs() + arrow.label.half.x <= bounds.half.x + 0.1
                    && away.y.abs() + arrow.label.half.y <= bounds.half.y + 0.1
            };
            assert!(layout.arrows.iter().all(inside));
        }
    }
}
