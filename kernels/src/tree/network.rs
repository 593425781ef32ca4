//! Recurrent neural networks as parts of trees. The outputs are y = tanh(g (b + W x)), with gains g, biases b and
//! weights W. The vector x contains the current registers and the previous outputs of the neurons.
//!
//! A network is a leaf of the tree. The outputs of its first two neurons are written to v_goal, so each component of
//! v_goal is in -1..=1. The initial output of a neuron is 0. Neurons keep their outputs while the tree does not tick
//! their network.

use super::nodes::Kind;
use super::registers::{CELLS, GOAL};
use super::{Node, Tree};
use crate::math::tanh;

/// Maximum number of neurons in all networks of a tree.
pub const MAX_NEURONS: usize = 64;
/// Smallest source operand of a synapse that denotes a neuron. Smaller values are cells of the full register map.
const FIRST_NEURON: u8 = 128;

/// A network with decoded operands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Network {
    /// Index of the network's first neuron among all neurons of the program.
    pub first: usize,
    pub neurons: Vec<Neuron>,
    pub synapses: Vec<Synapse>,
}

/// A neuron. `end` is an index into the list of the network's synapses. The synapses of the neuron start at the `end`
/// of the previous neuron and stop before the neuron's own `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Neuron {
    pub bias: f32,
    pub gain: f32,
    pub end: usize,
}

/// A weighted connection from a register or a neuron to a neuron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Synapse {
    pub source: Source,
    pub weight: f32,
}

/// Source of a synapse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A cell of the full register map.
    Cell(u8),
    /// A neuron of the same network, counted from 0.
    Neuron(u8),
}

/// Returns the source operand of a synapse for the neuron `number`, counted from 1; `None` unless `number` is in
/// 1..=64.
pub fn source_of_neuron(number: usize) -> Option<u8> {
    (1..=MAX_NEURONS).contains(&number).then(|| FIRST_NEURON + (number - 1) as u8)
}

/// Returns the number of the neuron, counted from 1, that the source operand of a synapse denotes; `None` if the
/// operand denotes a register.
pub fn neuron_of_source(source: u8) -> Option<usize> {
    source.checked_sub(FIRST_NEURON).map(|number| usize::from(number) + 1)
}

/// Computes the output of a neuron from the weighted sum of its synapses. The output is 0 instead of NaN.
#[inline(always)]
pub(crate) fn fire(bias: f32, gain: f32, sum: f32) -> f32 {
    let out = tanh(gain * (bias + sum));
    if out.is_nan() { 0.0 } else { out }
}

impl Network {
    /// Decodes a network. `nodes` contains the network node and its descendants in preorder. `first` is the index of
    /// the network's first neuron among all neurons of the program.
    fn decode(nodes: &[Node], first: usize) -> Network {
        let mut network = Network { first, ..Network::default() };
        for node in &nodes[1..] {
            let [a, b, ..] = node.operands;
            if node.kind == Kind::Neuron {
                network.neurons.push(Neuron { bias: a, gain: b, end: network.synapses.len() });
                continue;
            }
            let source = match neuron_of_source(a as u8) {
                Some(number) => Source::Neuron((number - 1) as u8),
                None => Source::Cell(a as u8),
            };
            network.synapses.push(Synapse { source, weight: b });
            if let Some(neuron) = network.neurons.last_mut() {
                neuron.end = network.synapses.len();
            }
        }
        network
    }

    /// Returns each neuron with its synapses.
    #[inline(always)]
    pub fn rows(&self) -> impl Iterator<Item = (&Neuron, &[Synapse])> {
        let mut begin = 0;
        self.neurons.iter().map(move |neuron| {
            let synapses = &self.synapses[begin..neuron.end];
            begin = neuron.end;
            (neuron, synapses)
        })
    }

    /// Returns the register cells that the network reads, in ascending order.
    pub fn cells(&self) -> impl Iterator<Item = u8> {
        let reads = self.reads();
        (0..CELLS as u8).filter(move |cell| reads >> cell & 1 != 0)
    }

    /// Returns the bit mask of the register cells that the network reads.
    pub fn reads(&self) -> u32 {
        let cells = self.synapses.iter().filter_map(|synapse| match synapse.source {
            Source::Cell(cell) => Some(1u32 << cell),
            Source::Neuron(_) => None,
        });
        cells.fold(0, |all, cell| all | cell)
    }

    /// Updates all neurons of this network. `outputs` contains the outputs of the neurons of all networks. `scratch`
    /// is a buffer of the same length.
    pub fn fire(&self, cells: &[f32; CELLS], outputs: &mut [f32], scratch: &mut [f32]) {
        let range = self.first..self.first + self.neurons.len();
        let (outputs, scratch) = (&mut outputs[range.clone()], &mut scratch[range]);
        for ((neuron, synapses), new) in self.rows().zip(scratch.iter_mut()) {
            let mut sum = 0.0;
            for synapse in synapses {
                let from = match synapse.source {
                    Source::Cell(cell) => cells[usize::from(cell)],
                    Source::Neuron(number) => outputs[usize::from(number)],
                };
                sum += synapse.weight * from;
            }
            *new = fire(neuron.bias, neuron.gain, sum);
        }
        outputs.copy_from_slice(scratch);
    }
}

/// Decodes the networks of a tree in preorder.
pub(crate) fn networks(nodes: &[Node]) -> Vec<Network> {
    let mut networks = Vec::new();
    let mut first = 0;
    for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.kind == Kind::Network) {
        let network = Network::decode(&nodes[at..at + parts(&nodes[at..])], first);
        assert_eq!(network.neurons.len(), usize::from(node.children));
        first += network.neurons.len();
        networks.push(network);
    }
    networks
}

/// Returns the number of nodes of the network at the start of `nodes`, including the network node.
pub(crate) fn parts(nodes: &[Node]) -> usize {
    1 + nodes[1..].iter().take_while(|node| matches!(node.kind, Kind::Neuron | Kind::Synapse)).count()
}

/// Finds the first node that violates the rules for networks. Returns the index of the node and an error message, or
/// `None` if all nodes are valid. Neurons are allowed only in networks, and synapses only in neurons. The source of a
/// synapse must exist and must not be v_goal. `nodes` must be in preorder.
pub(crate) fn find_violation(nodes: &[Node]) -> Option<(usize, String)> {
    let mut open: Vec<(usize, u16)> = Vec::new();
    let mut neurons = 0;
    for (at, node) in nodes.iter().enumerate() {
        let parent = open.last().map(|(at, _)| nodes[*at].kind);
        let wanted = match node.kind {
            Kind::Neuron => Some(Kind::Network),
            Kind::Synapse => Some(Kind::Neuron),
            _ => None,
        };
        let inside = parent.is_some_and(|kind| kind.spec().group.is_network());
        if wanted != parent && (wanted.is_some() || inside) {
            let name = node.kind.spec().name;
            return Some((
                at,
                match (wanted, parent) {
                    (Some(wanted), _) => format!("{name} is only allowed under {}", wanted.spec().name),
                    (None, Some(Kind::Network)) => format!("{name} is not allowed under network; use neuron"),
                    _ => format!("{name} is not allowed under neuron; use synapse"),
                },
            ));
        }
        neurons += usize::from(node.kind == Kind::Neuron);
        if neurons > MAX_NEURONS {
            return Some((at, format!("more than {MAX_NEURONS} neurons in a tree")));
        }
        if node.kind == Kind::Synapse {
            let network = open[open.len() - 2].0;
            if let Some(message) = bad_source(node.operands[0] as u8, usize::from(nodes[network].children)) {
                return Some((at, message));
            }
        }
        if let Some(last) = open.last_mut() {
            last.1 -= 1;
        }
        if node.children > 0 {
            open.push((at, node.children));
        }
        while open.last().is_some_and(|(_, left)| *left == 0) {
            open.pop();
        }
    }
    None
}

fn bad_source(source: u8, neurons: usize) -> Option<String> {
    match neuron_of_source(source) {
        Some(number) if number > neurons => {
            Some(format!("n{number} does not exist: the network has {neurons} neurons"))
        }
        Some(_) => None,
        None if usize::from(source & !1) == GOAL => Some(
            "a synapse cannot read v_goal, because it is unwritten; use n1 or n2 for the network's previous goal"
                .into(),
        ),
        None if usize::from(source) >= CELLS => Some(format!("cell {source} does not exist")),
        None => None,
    }
}

impl Tree {
    /// Whether the tree contains a network.
    pub fn has_network(&self) -> bool {
        self.nodes().iter().any(|node| node.kind == Kind::Network)
    }

    /// Whether the tree contains networks, neurons or synapses.
    pub(super) fn has_parts(&self) -> bool {
        self.nodes().iter().any(|node| node.kind.spec().group.is_network())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Memory, Program, Senses};
    use super::*;
    use crate::math::vec2;
    use crate::random::{Draws, Stream};

    fn error(text: &str) -> String {
        Tree::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn two_neurons_and_what_they_remember_drive_a_robot() {
        let text =
            "network\n  neuron 0.5 1\n    synapse v_prox.x -2\n    synapse n2 0.25\n  neuron 0 2\n    synapse n1 1\n";
        let tree = Tree::parse(text).unwrap();
        assert_eq!(tree.to_string(), text);
        let program = Program::compile(&tree).unwrap();
        let mut memory = Memory::new(&program);
        let mut draws = Draws::new(1, 0, 0, 0, Stream::Controller);
        let mut y = [0f64; 2];
        for prox in [0.0f32, 0.3, -0.2, 1.0] {
            let senses = Senses { prox: vec2(prox, 0.0), ..Senses::default() };
            let (_, goal) = memory.tick(&program, &senses, &mut draws);
            y = [(0.5 - 2.0 * f64::from(prox) + 0.25 * y[1]).tanh(), (2.0 * y[0]).tanh()];
            assert!(
                (f64::from(goal.x) - y[0]).abs() < 1e-6 && (f64::from(goal.y) - y[1]).abs() < 1e-6,
                "{goal:?} {y:?}"
            );
        }
    }

    #[test]
    fn nan_sum_gives_zero_output() {
        let tree =
            Tree::parse("network\n  neuron 0 3e38\n    synapse s_n 3e38\n    synapse v_up.x -3e38\n  neuron 0 1")
                .unwrap();
        let program = Program::compile(&tree).unwrap();
        let mut memory = Memory::new(&program);
        let mut draws = Draws::new(1, 0, 0, 0, Stream::Controller);
        let senses = Senses { neighbours: 200.0, up: vec2(f32::INFINITY, 0.0), ..Senses::default() };
        assert_eq!(memory.tick(&program, &senses, &mut draws).1, vec2(0.0, 0.0));
        let senses = Senses { neighbours: 200.0, ..Senses::default() };
        assert_eq!(memory.tick(&program, &senses, &mut draws).1, vec2(1.0, 0.0), "it goes on");
    }

    #[test]
    fn networks_are_whole_or_refused() {
        assert!(error("seq\n  neuron 0 1").contains("neuron is only allowed under network"));
        assert!(error("synapse n1 1").contains("synapse is only allowed under neuron"));
        assert!(error("network\n  neuron 0 1\n  successl").contains("not allowed under network; use neuron"));
        assert!(
            error("network\n  neuron 0 1\n    successl\n  neuron 0 1")
                .contains("not allowed under neuron; use synapse")
        );
        assert!(error("network\n  neuron 0 1").contains("at least two neurons"));
        assert!(error("network\n  neuron 0 1\n    synapse n3 1\n  neuron 0 1").contains("n3 does not exist"));
        assert!(error("network\n  neuron 0 1\n    synapse v_goal.x 1\n  neuron 0 1").contains("cannot read v_goal"));
        assert!(error("network\n  neuron 0 1\n    synapse n65 1\n  neuron 0 1").contains("n1 to n64"));
        assert!(error(&format!("network\n{}", "  neuron 0 1\n".repeat(65))).contains("more than 64 neurons"));
    }
}
