//! A program as plain numbers, for interpreters in other languages.

use super::network::{Source, source_of_neuron};
use super::{Kind, Program};

/// What an interpreter needs of a [`Program`].
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The instructions in preorder.
    pub lines: Vec<Line>,
    /// Number of nodes that remember something between ticks.
    pub memories: usize,
    /// The networks, each as its neurons; a line of the kind `network` names its place here as its memory.
    pub networks: Vec<Vec<NeuronLine>>,
}

/// An instruction with decoded operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// What it does.
    pub kind: Kind,
    /// Cells of the full register map: destination, first source, second source.
    pub cells: [u8; 3],
    /// A factor, a unit vector, a steepness and place, a sector in radians or a count.
    pub numbers: [f32; 2],
    /// The parent's place among the lines; 0 for the root.
    pub parent: u16,
    /// One past its subtree.
    pub end: u16,
    /// The place of what it remembers.
    pub memory: u16,
}

/// A neuron and its synapses.
#[derive(Clone, Debug, PartialEq)]
pub struct NeuronLine {
    /// Added to the sum over the synapses.
    pub bias: f32,
    /// What that is multiplied by.
    pub gain: f32,
    /// Where each comes from, a cell or 128 and the place of a neuron in its network, and its weight.
    pub synapses: Vec<(u8, f32)>,
}

impl Program {
    /// The program as plain numbers.
    pub fn listing(&self) -> Listing {
        let line = |i: &super::Instruction| Line {
            kind: i.kind,
            cells: [i.d, i.s1, i.s2],
            numbers: [i.a, i.b],
            parent: i.parent,
            end: i.end,
            memory: i.memory,
        };
        let place = |source: Source| match source {
            Source::Cell(cell) => cell,
            Source::Neuron(number) => source_of_neuron(usize::from(number) + 1).unwrap_or(u8::MAX),
        };
        let networks = self.networks().iter().map(|network| {
            let neuron = |(neuron, synapses): (&super::network::Neuron, &[super::network::Synapse])| NeuronLine {
                bias: neuron.bias,
                gain: neuron.gain,
                synapses: synapses.iter().map(|synapse| (place(synapse.source), synapse.weight)).collect(),
            };
            network.rows().map(neuron).collect()
        });
        Listing { lines: self.code.iter().map(line).collect(), memories: self.memories(), networks: networks.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    #[test]
    fn lines_and_networks_are_those_of_the_program() {
        let text = "selm\n  network\n    neuron 0.5 1\n      synapse s_n 2\n      synapse n2 -1\n    neuron 0 1\n  movcs v_goal.y 3\n";
        let listing = Program::compile(&Tree::parse(text).unwrap()).unwrap().listing();
        let kinds: Vec<Kind> = listing.lines.iter().map(|line| line.kind).collect();
        assert_eq!(kinds, [Kind::Selm, Kind::Network, Kind::Movcs]);
        assert_eq!((listing.lines[2].cells[0], listing.lines[2].numbers[0], listing.lines[2].end), (3, 3.0, 3));
        assert_eq!(listing.networks[0][0].synapses, [(16, 2.0), (129, -1.0)]);
        assert_eq!((listing.memories, listing.networks[0].len()), (1, 2));
    }
}
