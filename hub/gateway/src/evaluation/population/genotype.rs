//! Genotype of a network. The values are grouped by neuron, so that neurons can be added, removed and exchanged.

use super::super::individual::Individual;
use super::super::parameters::NetParameters;
use super::super::random::Random;

/// Maximum number of hidden neurons in the first generation, in excess of the minimum.
const FIRST_HIDDEN: u32 = 3;

/// Output or hidden neuron with its incoming weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Neuron {
    /// Parameter values of the neuron.
    pub values: Vec<f64>,
    /// Weights from the inputs, then from the output neurons.
    pub fixed: Vec<f64>,
    /// Weights from the hidden neurons.
    pub hidden: Vec<f64>,
}

/// Genome with its mutation step size.
#[derive(Clone, Debug, PartialEq)]
pub struct Genotype {
    /// Standard deviation of mutations as a fraction of each value's range. Children inherit it and mutate it.
    pub step: f64,
    /// Global parameters.
    pub globals: Vec<f64>,
    /// Values of the input neurons, concatenated.
    pub inputs: Vec<f64>,
    /// Output neurons.
    pub outputs: Vec<Neuron>,
    /// Hidden neurons.
    pub hidden: Vec<Neuron>,
}

/// Numbers of values in the parts of a genotype.
pub(super) struct Lengths {
    pub output_values: usize,
    pub hidden_values: usize,
    /// Number of values of a neuron's weights from inputs and output neurons.
    pub fixed: usize,
    /// Number of values of a weight.
    pub weight: usize,
}

impl Lengths {
    pub(super) fn from_parameters(parameters: &NetParameters) -> Lengths {
        let size = |a: u32, b: u32| a as usize * b as usize;
        let sources = parameters.inputs.count + parameters.outputs.count;
        Lengths {
            output_values: parameters.outputs.values as usize,
            hidden_values: parameters.hidden.values as usize,
            fixed: size(sources, parameters.weights.values),
            weight: parameters.weights.values as usize,
        }
    }
}

fn draw(random: &mut Random, count: usize, low: f64, high: f64) -> Vec<f64> {
    (0..count).map(|_| random.between(low, high)).collect()
}

/// Creates a random output neuron for a network of `hidden` hidden neurons.
pub(super) fn output(random: &mut Random, parameters: &NetParameters, hidden: usize) -> Neuron {
    let lengths = Lengths::from_parameters(parameters);
    neuron(random, parameters, lengths.output_values, (parameters.outputs.low, parameters.outputs.high), hidden)
}

/// Creates a random hidden neuron for a network of `hidden` hidden neurons.
pub(super) fn hidden(random: &mut Random, parameters: &NetParameters, hidden: usize) -> Neuron {
    let lengths = Lengths::from_parameters(parameters);
    neuron(random, parameters, lengths.hidden_values, (parameters.hidden.low, parameters.hidden.high), hidden)
}

fn neuron(
    random: &mut Random,
    parameters: &NetParameters,
    values: usize,
    (low, high): (f64, f64),
    hidden: usize,
) -> Neuron {
    let (lengths, weights) = (Lengths::from_parameters(parameters), &parameters.weights);
    Neuron {
        values: draw(random, values, low, high),
        fixed: draw(random, lengths.fixed, weights.low, weights.high),
        hidden: draw(random, hidden * lengths.weight, weights.low, weights.high),
    }
}

impl Genotype {
    /// Creates a random genotype with few hidden neurons. All values are uniformly distributed over their ranges.
    pub(super) fn random(random: &mut Random, parameters: &NetParameters, step: f64) -> Genotype {
        let range = &parameters.hidden;
        let most = range.max.min(range.min.saturating_add(FIRST_HIDDEN));
        let count = range.min as usize + random.below((most - range.min) as usize + 1);
        let size = parameters.inputs.count as usize * parameters.inputs.values as usize;
        Genotype {
            step,
            globals: draw(random, parameters.globals.count as usize, parameters.globals.low, parameters.globals.high),
            inputs: draw(random, size, parameters.inputs.low, parameters.inputs.high),
            outputs: (0..parameters.outputs.count).map(|_| output(random, parameters, count)).collect(),
            hidden: (0..count).map(|_| hidden(random, parameters, count)).collect(),
        }
    }

    /// Returns the individual in the form in which it is transmitted.
    pub fn individual(&self, generation: u32, number: u32) -> Individual {
        let neurons = || self.outputs.iter().chain(&self.hidden);
        let mut values = self.globals.clone();
        values.extend(&self.inputs);
        neurons().for_each(|neuron| values.extend(&neuron.values));
        for neuron in neurons() {
            values.extend(&neuron.fixed);
            values.extend(&neuron.hidden);
        }
        Individual { generation, number, hidden: self.hidden.len() as u32, values }
    }
}
