//! Draws a network as a Hinton diagram, with one row per neuron and one column per source. The area of a square shows
//! the magnitude of the weight, relative to the largest magnitude. The colour of the square shows the sign.

use super::super::Node;
use super::super::network::{Network, Source, networks};
use super::super::registers::scalar_name;
use std::fmt::Write;

/// Edge of a weight's cell (`CELL`), width of the row labels (`LEFT`), height of the column labels (`TOP`) and margin
/// (`EDGE`), all in px.
const CELL: f32 = 16.0;
const LEFT: f32 = 58.0;
const TOP: f32 = 74.0;
const EDGE: f32 = 10.0;
/// Height of the line that states the scale of the squares (px).
const SCALE: f32 = 14.0;

/// Style sheet for drawings of trees that contain a network.
pub(super) const STYLE: &str = "  <style>
    .positive { fill: #1f6fd0 }
    .negative { fill: #d9480f }
    .small { font-size: 10px; text-anchor: end }
  </style>
";

/// Contents of a network's Hinton diagram.
pub(super) struct Hinton {
    columns: Vec<(String, Source)>,
    network: Network,
}

impl Hinton {
    /// Creates the diagram of a network from its nodes, which start with the network node.
    pub fn from_nodes(nodes: &[Node]) -> Hinton {
        let network = networks(nodes).pop().unwrap_or_default();
        let cells = network.cells();
        let mut columns: Vec<(String, Source)> = cells.map(|cell| (scalar_name(cell), Source::Cell(cell))).collect();
        let neurons = 0..network.neurons.len() as u8;
        columns.extend(neurons.map(|neuron| (format!("n{}", neuron + 1), Source::Neuron(neuron))));
        columns.retain(|(_, source)| network.synapses.iter().any(|synapse| synapse.source == *source));
        Hinton { columns, network }
    }

    /// Returns width and height of the diagram (px), with a first column for the bias and a last column for the gain.
    pub fn size(&self) -> (f32, f32) {
        let (columns, rows) = (self.columns.len() + 2, self.network.neurons.len());
        (LEFT + columns as f32 * CELL + EDGE, TOP + rows as f32 * CELL + EDGE + SCALE)
    }

    /// Appends the drawing of the diagram, with its top left corner at (x, y) (px).
    pub fn draw(&self, svg: &mut String, x: f32, y: f32) {
        let Network { neurons, synapses, .. } = &self.network;
        let biases = neurons.iter().map(|neuron| neuron.bias.abs());
        let most = synapses.iter().map(|synapse| synapse.weight.abs()).chain(biases).fold(0.0, f32::max);
        let most_gain = neurons.iter().map(|neuron| neuron.gain.abs()).fold(0.0, f32::max);
        let middle =
            |column: usize, row: usize| (x + LEFT + (column as f32 + 0.5) * CELL, y + TOP + (row as f32 + 0.5) * CELL);
        let last = self.columns.len() + 1;
        let names = self.columns.iter().map(|(name, _)| name.as_str());
        for (column, name) in ["bias"].into_iter().chain(names).chain(["gain"]).enumerate() {
            let (x, y) = (middle(column, 0).0, y + TOP - 4.0);
            let _ = writeln!(
                svg,
                "  <text class=\"small\" style=\"text-anchor: start\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{name}</text>"
            );
        }
        let below = y + TOP + neurons.len() as f32 * CELL + EDGE;
        let _ = writeln!(
            svg,
            "  <text class=\"small\" style=\"text-anchor: start\" x=\"{:.1}\" y=\"{below:.1}\">full square: \
             {most:.2}, for gains {most_gain:.2}</text>",
            x + EDGE
        );
        for (row, (neuron, synapses)) in self.network.rows().enumerate() {
            let (_, at) = middle(0, row);
            let name = match row {
                0 => "n1 ahead".to_string(),
                1 => "n2 left".to_string(),
                _ => format!("n{}", row + 1),
            };
            let _ = writeln!(svg, "  <text class=\"small\" x=\"{:.1}\" y=\"{at:.1}\">{name}</text>", x + LEFT - 4.0);
            square(svg, middle(0, row), neuron.bias, most);
            for synapse in synapses {
                if let Some(column) = self.columns.iter().position(|(_, source)| *source == synapse.source) {
                    square(svg, middle(column + 1, row), synapse.weight, most);
                }
            }
            square(svg, middle(last, row), neuron.gain, most_gain);
        }
    }
}

fn square(svg: &mut String, (x, y): (f32, f32), value: f32, most: f32) {
    let side = (CELL - 2.0) * (value.abs() / most).sqrt();
    if !side.is_finite() || side < 0.5 {
        return;
    }
    let sign = if value < 0.0 { "negative" } else { "positive" };
    let (left, top) = (x - side / 2.0, y - side / 2.0);
    let _ = writeln!(
        svg,
        "  <rect class=\"{sign}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{side:.1}\" height=\"{side:.1}\"><title>{value}</title></rect>"
    );
}
