//! Draws a network as a graph with one arrow per synapse. The width of an arrow is proportional to the magnitude of the
//! weight, relative to the largest magnitude. Positive weights are blue, negative weights are orange.

use super::super::Node;
use super::super::network::{Source, networks};
use super::super::registers::scalar_name;
use std::fmt::Write;

/// Width of the thickest arrow (points).
const THICKEST: f32 = 4.0;

/// Appends the graph of a network to `dot`. In the graph of the tree, the network node has the name `n{place}`. `nodes`
/// contains the network node and its descendants.
pub(super) fn write(dot: &mut String, place: usize, nodes: &[Node]) {
    let Some(network) = networks(nodes).pop() else { return };
    let most = network.synapses.iter().map(|synapse| synapse.weight.abs()).fold(f32::MIN_POSITIVE, f32::max);
    for number in 0..network.neurons.len() {
        let drives = ["\\nv_goal.x", "\\nv_goal.y"].get(number).unwrap_or(&"");
        let _ = writeln!(dot, "  n{place}_{number} [label=\"n{}{drives}\", shape=circle];", number + 1);
    }
    for cell in network.cells() {
        let _ = writeln!(dot, "  n{place}_r{cell} [label=\"{}\", shape=plaintext];", scalar_name(cell));
    }
    for number in 0..2 {
        let _ = writeln!(dot, "  n{place} -> n{place}_{number} [style=dotted, dir=back];");
    }
    for (number, (_, synapses)) in network.rows().enumerate() {
        for synapse in synapses {
            let from = match synapse.source {
                Source::Cell(cell) => format!("r{cell}"),
                Source::Neuron(source) => source.to_string(),
            };
            let (colour, weight) = (if synapse.weight < 0.0 { "#d9480f" } else { "#1f6fd0" }, synapse.weight);
            let width = (THICKEST * weight.abs() / most).max(0.1);
            let _ = writeln!(
                dot,
                "  n{place}_{from} -> n{place}_{number} [color=\"{colour}\", penwidth={width:.2}, tooltip=\"{weight}\"];"
            );
        }
    }
}
