//! Weights of a fully connected recurrent network: each neuron has a bias, a gain and one weight for each input and
//! each neuron.

use serde::{Deserialize, Serialize};
use xpuck_kernels::random::{Draws, normal_pair};
use xpuck_kernels::tree::{Kind, Node, Tree, source_of_neuron};

/// Standard deviation of new weights.
const SPREAD: f32 = 1.0;
/// Initial value of the step size (standard deviation of a mutation), and minimum and maximum of the step size.
const STEP: f32 = 0.5;
const STEPS: [f32; 2] = [0.02, 2.0];
/// Standard deviation of the natural logarithm of the factor by which a mutation changes the step size.
const STEP_CHANGE: f32 = 0.2;
/// Maximum magnitude of a bias, gain or weight.
const MOST: f32 = 16.0;
/// Reciprocal of the resolution of biases, gains and weights. With rounded values, the text of a network is short and
/// exact.
const GRAIN: f32 = 1000.0;
/// Number of values of a neuron before its weights: bias and gain.
const OWN: usize = 2;

/// Weights of a network, and the step size of their mutation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// One row per neuron: bias, gain, and the weights of all inputs and neurons.
    values: Vec<f32>,
    /// Standard deviation of mutation steps (self-adaptive).
    step: f32,
}

/// Inputs and neuron count of a network.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Input registers, as cells of the full register map.
    pub inputs: Vec<u8>,
    /// Number of neurons, including the two motor neurons.
    pub neurons: usize,
}

impl Shape {
    fn row(&self) -> usize {
        OWN + self.inputs.len() + self.neurons
    }
}

impl Weights {
    /// Draws weights and biases from a normal distribution, and sets gains to 1.
    pub(crate) fn random(shape: &Shape, draws: &mut Draws) -> Weights {
        let value = |at: usize| match at % shape.row() {
            1 => 1.0,
            _ => grained(SPREAD * normal_pair(draws.word(), draws.word()).0),
        };
        Weights { values: (0..shape.row() * shape.neurons).map(value).collect(), step: STEP }
    }

    /// Returns copies of both networks after an exchange of neurons. Each neuron is exchanged with probability 1/2,
    /// together with its bias, gain and input weights.
    pub(crate) fn exchange(&self, other: &Weights, shape: &Shape, draws: &mut Draws) -> (Weights, Weights) {
        let (mut a, mut b) = (self.clone(), other.clone());
        for (left, right) in a.values.chunks_mut(shape.row()).zip(b.values.chunks_mut(shape.row())) {
            if draws.unit() < 0.5 {
                left.swap_with_slice(right);
            }
        }
        let step = (self.step * other.step).sqrt();
        (a.step, b.step) = (step, step);
        (a, b)
    }

    /// Changes the step size, and then changes each value with probability `rate`, but at least one value.
    pub(crate) fn mutate(&mut self, rate: f32, draws: &mut Draws) {
        let change = xpuck_kernels::math::exp(STEP_CHANGE * normal_pair(draws.word(), draws.word()).0);
        self.step = (self.step * change).clamp(STEPS[0], STEPS[1]);
        let surely = draws.below(self.values.len() as u32) as usize;
        for (at, value) in self.values.iter_mut().enumerate() {
            if draws.unit() < rate || at == surely {
                *value = grained(*value + self.step * normal_pair(draws.word(), draws.word()).0);
            }
        }
    }

    /// Returns the tree of the network: a network node with its neurons and synapses.
    pub(crate) fn tree(&self, shape: &Shape) -> Tree {
        let mut nodes = vec![Node::new(Kind::Network, shape.neurons as u16, &[])];
        let neurons = (1..=shape.neurons).filter_map(source_of_neuron);
        let sources: Vec<u8> = shape.inputs.iter().copied().chain(neurons).collect();
        for row in self.values.chunks(shape.row()) {
            nodes.push(Node::new(Kind::Neuron, sources.len() as u16, &row[..OWN]));
            let synapse = |(source, weight): (&u8, &f32)| Node::new(Kind::Synapse, 0, &[f32::from(*source), *weight]);
            nodes.extend(sources.iter().zip(&row[OWN..]).map(synapse));
        }
        Tree::from_preorder(nodes)
    }

    /// Extracts the weights from the tree of a network. `None` if the tree is not a network of this shape.
    pub(crate) fn from_tree(tree: &Tree, shape: &Shape) -> Option<Weights> {
        let parts = tree.nodes().get(1..)?.iter();
        let values: Vec<f32> = parts
            .flat_map(|part| match part.kind {
                Kind::Neuron => part.operands[..OWN].to_vec(),
                _ => vec![part.operands[1]],
            })
            .collect();
        let weights = Weights { values, step: STEP };
        (weights.values.len() == shape.row() * shape.neurons && weights.tree(shape) == *tree).then_some(weights)
    }
}

fn grained(value: f32) -> f32 {
    (value * GRAIN).round().clamp(-MOST * GRAIN, MOST * GRAIN) / GRAIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::Stream;

    fn draws(i: u32) -> Draws {
        Draws::new(1, 0, i, 0, Stream::Evolution)
    }

    #[test]
    fn weights_become_networks_and_back() {
        let shape = &Shape { inputs: vec![4, 5, 16], neurons: 4 };
        let weights = Weights::random(shape, &mut draws(0));
        let tree = weights.tree(shape);
        assert_eq!(tree.nodes().len(), 1 + 4 * (1 + 3 + 4));
        assert_eq!(Weights::from_tree(&tree, shape), Some(weights));
        assert_eq!(Tree::parse(&tree.to_string()).unwrap(), tree);
        assert_eq!(Weights::from_tree(&tree, &Shape { neurons: 3, ..shape.clone() }), None);
        assert_eq!(Weights::from_tree(&tree, &Shape { inputs: vec![4, 5, 14], ..shape.clone() }), None);
    }

    #[test]
    fn crossover_exchanges_whole_neurons() {
        let shape = &Shape { inputs: vec![4, 5], neurons: 8 };
        let [a, b] = [0, 1].map(|i| Weights::random(shape, &mut draws(i)));
        let (child, other) = a.exchange(&b, shape, &mut draws(2));
        let rows = |w: &Weights| w.values.chunks(shape.row()).map(<[f32]>::to_vec).collect::<Vec<_>>();
        let from = |row: &Vec<f32>| rows(&a).contains(row) || rows(&b).contains(row);
        assert!(rows(&child).iter().all(from) && rows(&other).iter().all(from) && child != a && child != b);
        let mut mutant = a.clone();
        mutant.mutate(0.05, &mut draws(3));
        let moved = a.values.iter().zip(&mutant.values).filter(|(a, b)| a != b).count();
        assert!((1..12).contains(&moved), "{moved} of {}", a.values.len());
        assert!(mutant.step != a.step);
    }
}
