//! Recurrent network of a genome: `y(t) = tanh(g (b + W x(t-1)))`, `y(0) = 0` (section 3.1 of the specification). `W`
//! is the weight matrix, and `x` are the inputs and the outputs `y` of all neurons.
//!
//! The parameter values of an output or hidden neuron are its bias `b` (default 0) and its gain `g` (default 1).
//! Further values are ignored. Nulled weights ([`NetParameters::is_nulled`]) are 0; their transmitted values are
//! ignored.

use super::individual::Genome;
use super::parameters::NetParameters;

/// Network with the outputs of its neurons at the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    inputs: usize,
    outputs: usize,
    neurons: Vec<Neuron>,
    /// Row-major weight matrix. It has a row for each of `neurons`; columns are the inputs, then the neurons.
    weights: Vec<f64>,
    /// Inputs, then outputs of the output neurons and of the hidden neurons, at the last step.
    state: Vec<f64>,
    next: Vec<f64>,
}

/// Bias and gain of a neuron: `tanh(gain * (bias + sum))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Neuron {
    pub bias: f64,
    pub gain: f64,
}

impl Neuron {
    fn from_values(values: &[f64]) -> Neuron {
        let value = |at: usize, none: f64| values.get(at).copied().unwrap_or(none);
        Neuron { bias: value(0, 0.0), gain: value(1, 1.0) }
    }
}

impl Network {
    /// Builds the network of a genome that was checked against these parameters. If weights have several values, only
    /// the first value is used.
    pub fn new(genome: &Genome<'_>, parameters: &NetParameters) -> Network {
        let hidden = genome.hidden_count();
        let [inputs, outputs] = [parameters.inputs.count, parameters.outputs.count].map(|count| count as usize);
        let (rows, columns) = (parameters.rows(hidden), parameters.columns(hidden));
        let neuron = |row: usize| match row.checked_sub(outputs) {
            None => Neuron::from_values(genome.output(row)),
            Some(hidden) => Neuron::from_values(genome.hidden(hidden)),
        };
        let weight = |at: usize| {
            let (row, column) = (at / columns, at % columns);
            let nulled = parameters.is_nulled(row, column, hidden);
            if nulled { 0.0 } else { genome.weight(row, column).first().copied().unwrap_or(0.0) }
        };
        Network {
            inputs,
            outputs,
            neurons: (0..rows).map(neuron).collect(),
            weights: (0..rows * columns).map(weight).collect(),
            state: vec![0.0; columns],
            next: vec![0.0; rows],
        }
    }

    /// Returns the output neurons, then the hidden neurons. Each comes with its weights from the inputs, the output
    /// neurons and the hidden neurons.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Neuron, &[f64])> {
        self.neurons.iter().zip(self.weights.chunks_exact(self.state.len().max(1)))
    }

    /// Sets all neurons to 0, the initial state.
    pub fn reset(&mut self) {
        self.state.fill(0.0);
    }

    /// Computes a step. Missing inputs are 0. Returns the outputs of the output neurons, each from -1 to 1.
    pub fn step(&mut self, inputs: &[f64]) -> &[f64] {
        for (at, state) in self.state[..self.inputs].iter_mut().enumerate() {
            *state = inputs.get(at).copied().unwrap_or(0.0);
        }
        let rows = self.weights.chunks_exact(self.state.len().max(1));
        for ((next, neuron), row) in self.next.iter_mut().zip(&self.neurons).zip(rows) {
            let sum: f64 = row.iter().zip(&self.state).map(|(weight, state)| weight * state).sum();
            // Terms that overflow can make the output NaN.
            let output = (neuron.gain * (neuron.bias + sum)).tanh();
            *next = if output.is_nan() { 0.0 } else { output };
        }
        self.state[self.inputs..].copy_from_slice(&self.next);
        &self.next[..self.outputs]
    }
}

#[cfg(test)]
mod tests {
    use super::super::individual::Individual;
    use super::super::parameters::{HiddenNeurons, Neurons, Weights};
    use super::*;

    /// Returns parameters for one input, one output, and at most one hidden neuron. Neurons have a bias and a gain.
    fn parameters(input_to_output: bool, recurrent: bool) -> NetParameters {
        let (low, high) = (-f64::MAX, f64::MAX);
        NetParameters {
            max_concurrent: 1,
            inputs: Neurons { count: 1, ..Neurons::default() },
            outputs: Neurons { count: 1, values: 2, low, high },
            hidden: HiddenNeurons { min: 0, max: 1, values: 2, low, high },
            weights: Weights { values: 1, low, high },
            input_to_output,
            recurrent,
            ..NetParameters::default()
        }
    }

    fn network(parameters: &NetParameters, values: &[f64]) -> Network {
        let individual = Individual { generation: 1, number: 1, hidden: 1, values: values.to_vec() };
        Network::new(&individual.genome(parameters).expect("a genome"), parameters)
    }

    /// Bias and gain of the output neuron, bias and gain of the hidden neuron, then the weights. Rows of the weight
    /// matrix are output and hidden; columns are input, output and hidden.
    const VALUES: [f64; 10] = [0.1, 2.0, -0.3, 0.5, 1.5, -0.7, 0.9, -1.1, 0.4, 0.6];

    #[test]
    fn each_step_uses_what_was_put_out_at_the_step_before() {
        let mut network = network(&parameters(true, true), &VALUES);
        let (mut y, mut h) = (0.0f64, 0.0f64);
        for input in [0.5, -1.0, 0.25, 0.0] {
            let next_y = (2.0 * (0.1 + (1.5 * input - 0.7 * y + 0.9 * h))).tanh();
            let next_h = (0.5 * (-0.3 + (-1.1 * input + 0.4 * y + 0.6 * h))).tanh();
            (y, h) = (next_y, next_h);
            assert_eq!(network.step(&[input]), [y]);
        }
        let went_on = network.step(&[0.5])[0];
        network.reset();
        let first = network.step(&[0.5])[0];
        assert_eq!(first, (2.0 * (0.1 + 1.5 * 0.5f64)).tanh());
        assert_ne!(went_on, first);
    }

    #[test]
    fn nulled_weights_have_no_effect() {
        let other = |at: usize| {
            let mut values = VALUES;
            values[at] = 9.0;
            values
        };
        let run = |parameters: &NetParameters, values: &[f64]| {
            let mut network = network(parameters, values);
            [0.5, -1.0, 0.25].map(|input| network.step(&[input])[0])
        };
        // `places` are the indices of the nulled weights in `VALUES`. In the first case, this is the weight from input
        // to output. In the second case, these are output to output, output to hidden and hidden to hidden.
        for (input_to_output, recurrent, places) in [(false, true, &[4][..]), (true, false, &[5, 8, 9])] {
            let parameters = parameters(input_to_output, recurrent);
            for place in 4..10 {
                let equal = run(&parameters, &VALUES) == run(&parameters, &other(place));
                assert_eq!(equal, places.contains(&place), "{place}");
            }
        }
    }

    #[test]
    fn huge_values_put_out_numbers() {
        let most = f64::MAX;
        let mut network =
            network(&parameters(true, true), &[most, -most, most, most, most, -most, most, -most, most, most]);
        for _ in 0..10 {
            assert!(network.step(&[1.0])[0].abs() <= 1.0);
        }
    }
}
