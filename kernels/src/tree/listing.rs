//! Listing of a compiled program in plain numbers, for interpreters in other languages.

use super::network::{Source, source_of_neuron};
use super::{Kind, Program};

/// Contents of a [`Program`] for an interpreter.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramListing {
    /// Instructions in preorder.
    pub lines: Vec<InstructionLine>,
    /// Number of nodes with memory.
    pub memories: usize,
    /// Neurons of each network. The `memory` of a line of kind `network` is an index into this list.
    pub networks: Vec<Vec<NeuronLine>>,
}

/// An instruction with decoded operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstructionLine {
    /// Kind of the instruction.
    pub kind: Kind,
    /// Cells of the full register map: destination, first source, second source.
    pub cells: [u8; 3],
    /// Numeric operands. Depending on the kind, they are a factor, a unit vector, steepness and offset, centre and half
    /// width of a sector (rad), or a count.
    pub numbers: [f32; 2],
    /// Index of the parent instruction; 0 for the root.
    pub parent: u16,
    /// Index of the first instruction after the subtree of this instruction.
    pub end: u16,
    /// Index of the instruction's memory; for a network, index of the network.
    pub memory: u16,
}

/// A neuron and its synapses.
#[derive(Clone, Debug, PartialEq)]
pub struct NeuronLine {
    /// Bias, added to the weighted sum of the synapses.
    pub bias: f32,
    /// Gain, the factor of the biased sum.
    pub gain: f32,
    /// Source and weight of each synapse. The source is a register cell, or 128 plus the index of a neuron of the
    /// same network.
    pub synapses: Vec<(u8, f32)>,
}

impl Program {
    /// Converts the program to plain numbers.
    pub fn listing(&self) -> ProgramListing {
        let line = |i: &super::Instruction| InstructionLine {
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
        ProgramListing {
            lines: self.code.iter().map(line).collect(),
            memories: self.memories(),
            networks: networks.collect(),
        }
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
