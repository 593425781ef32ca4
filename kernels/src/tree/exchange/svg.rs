//! SVG writer for trees in the usual notation of behaviour trees (thesis 3.1.1). Sequences have an arrow, selections a
//! question mark, and nodes with memory a dot above. Decorators are diamonds, leaves are rounded boxes.

use super::super::nodes::{Group, Kind};
use super::super::{Node, Tree};
use super::parents;
use super::svg_layout::{Direction, MARGIN, Place, place};
use super::svg_network::{self, Hinton};
use crate::fonts;
use crate::markup::escape;
use std::fmt::Write;

const STYLE: &str = "  <style>
    text { font: 13px monospace; text-anchor: middle; dominant-baseline: central; fill: #1b1f24 }
    .line { fill: none; stroke: #57606a; stroke-width: 1.4 }
    .inner { fill: #eef2f7; stroke: #44546a; stroke-width: 1.4 }
    .mark { fill: none; stroke: #1b1f24; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round }
    .dot { fill: #1b1f24 }
    .action { fill: #e3f3e6; stroke: #2f7d43; stroke-width: 1.4 }
    .query { fill: #fdf3d8; stroke: #9a6b00; stroke-width: 1.4 }
    .never { fill: #ffffff; stroke: #a0a6ad; stroke-dasharray: 4 3 }
    .line.never, .mark.never { fill: none }
    text.never { fill: #8c939b; stroke: none }
    .dot.never { fill: #a0a6ad; stroke: none }
    .share { font-size: 10px; fill: #57606a; paint-order: stroke; stroke: #ffffff; stroke-width: 3 }
    .beside { text-anchor: start }
  </style>
";

/// Additional CSS class for nodes that are never ticked, and for the lines to these nodes.
const UNUSED_CLASS: &str = " never";
/// Width of the line to a node that is ticked in every update (px).
const MAX_LINE_WIDTH: f32 = 6.0;

/// Draws the tree at its natural size, with the root at the top or at the left.
pub fn to_svg(tree: &Tree, direction: Direction) -> String {
    draw(tree, direction, None)
}

/// Draws the tree like [`to_svg`], with the usage of each node in a run. For each node, `shares` contains the
/// fraction of updates in which the node is ticked (0 to 1). The width of a node's line shows this fraction. Nodes
/// that are never ticked are grey and dashed.
pub fn to_svg_with_usage(tree: &Tree, direction: Direction, shares: &[f32]) -> String {
    draw(tree, direction, Some(shares))
}

fn draw(tree: &Tree, direction: Direction, shares: Option<&[f32]>) -> String {
    let labels: Vec<String> = tree.nodes().iter().map(label).collect();
    let places = place(tree, &labels, direction);
    let width = places.iter().map(|p| p.x + p.width / 2.0).fold(0.0, f32::max) + MARGIN;
    let height = places.iter().map(|p| p.y + p.height / 2.0).fold(0.0, f32::max) + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n{}  <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        fonts::with_fonts(STYLE)
    );
    let in_picture = |i: usize| tree.nodes()[i].kind.spec().group == Group::Part;
    if tree.has_network() {
        svg.push_str(svg_network::STYLE);
    }
    for (i, parent) in parents(tree).into_iter().enumerate().skip(1).filter(|(i, _)| !in_picture(*i)) {
        line(&mut svg, &places[parent], &places[i], direction, shares.map(|s| s[i]));
    }
    for (i, (node, place)) in tree.nodes().iter().zip(&places).enumerate().filter(|(i, _)| !in_picture(*i)) {
        let share = shares.map(|s| s[i]);
        let never = if share == Some(0.0) { UNUSED_CLASS } else { "" };
        shape(&mut svg, node, place, never);
        if node.kind == Kind::Network {
            Hinton::from_nodes(&tree.nodes()[i..tree.end(i)]).draw(
                &mut svg,
                place.x - place.width / 2.0,
                place.y - place.height / 2.0,
            );
        }
        if !labels[i].is_empty() {
            let (Place { x, y, .. }, label) = (place, escape(&labels[i]));
            let _ = writeln!(svg, "  <text class=\"label{never}\" x=\"{x:.1}\" y=\"{y:.1}\">{label}</text>");
        }
        if let Some(share) = share {
            note(&mut svg, node, place, direction, share);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns the text inside the shape of a node. The text is empty if the node has a drawn symbol.
fn label(node: &Node) -> String {
    match node.kind {
        Kind::Seq | Kind::Seqm | Kind::Successd | Kind::Failed | Kind::Network => String::new(),
        Kind::Sel | Kind::Selm => "?".into(),
        Kind::Invert => "!".into(),
        Kind::Par => format!("par {}", node.operands[0]),
        Kind::Repeati => format!("{}", node.operands[0]),
        Kind::Repeatr => format!("\u{2264}{}", node.operands[0]),
        _ => label_text(node),
    }
}

/// Returns the text of a node in drawings. -180 degrees of the text form becomes 180 degrees, which is the usual
/// notation of the same angle.
pub(super) fn label_text(node: &Node) -> String {
    node.to_string().replace(" -180deg", " 180deg")
}

/// Draws the line from the edge of a parent to the edge of its child. `share` is the fraction of updates in which the
/// child is ticked, if known.
fn line(svg: &mut String, from: &Place, to: &Place, direction: Direction, share: Option<f32>) {
    let [x1, y1, x2, y2] = match direction {
        Direction::Down => [from.x, from.y + from.height / 2.0, to.x, to.y - to.height / 2.0],
        Direction::Right => [from.x + from.width / 2.0, from.y, to.x - to.width / 2.0, to.y],
    };
    let (never, width) = match share {
        Some(0.0) => (UNUSED_CLASS, String::new()),
        Some(share) => ("", format!(" style=\"stroke-width: {:.1}\"", 1.0 + (MAX_LINE_WIDTH - 1.0) * share)),
        None => ("", String::new()),
    };
    let _ = writeln!(svg, "  <path class=\"line{never}\"{width} d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\"/>");
}

/// Writes the share of updates in which a node is ticked. The text is below the node, or beside the node if the lines
/// to its children start below.
fn note(svg: &mut String, node: &Node, place: &Place, direction: Direction, share: f32) {
    let Place { x, y, width, height } = *place;
    let text = if share == 0.0 { "never".into() } else { format!("{:.1} %", 100.0 * share) };
    let (class, x, y) = if node.kind.spec().group.is_inner() && direction == Direction::Down {
        (" beside", x + width / 2.0 + 4.0, y)
    } else {
        ("", x, y + height / 2.0 + 8.0)
    };
    let _ = writeln!(svg, "  <text class=\"share{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
}

fn shape(svg: &mut String, node: &Node, place: &Place, never: &str) {
    let Place { x, y, width, height } = *place;
    let (left, top, right, bottom) = (x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0);
    if node.kind.spec().group == Group::Decorator {
        let points = format!("{x:.1},{top:.1} {right:.1},{y:.1} {x:.1},{bottom:.1} {left:.1},{y:.1}");
        let _ = writeln!(svg, "  <polygon class=\"inner{never}\" points=\"{points}\"/>");
    } else {
        let (class, radius) = match (node.children, node.kind.spec().writes) {
            _ if node.kind == Kind::Network => ("action", 12),
            (1.., _) => ("inner", 0),
            (0, true) => ("action", 12),
            (0, false) => ("query", 12),
        };
        let _ = writeln!(
            svg,
            "  <rect class=\"{class}{never}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             rx=\"{radius}\"/>"
        );
    }
    if matches!(node.kind, Kind::Seqm | Kind::Selm) {
        let _ = writeln!(svg, "  <circle class=\"dot{never}\" cx=\"{x:.1}\" cy=\"{:.1}\" r=\"2.4\"/>", top + 5.0);
    }
    let mark = match node.kind {
        Kind::Seq | Kind::Seqm => "m-9 0h18m-6 -5l6 5l-6 5",
        Kind::Successd => "m-7 0l5 6l9 -12",
        Kind::Failed => "m-6 -6l12 12m0 -12l-12 12",
        _ => return,
    };
    let _ = writeln!(svg, "  <path class=\"mark{never}\" d=\"M{x:.1} {y:.1}{mark}\"/>");
}
