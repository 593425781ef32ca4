//! Genomes in the form in which they are transmitted (`Individual` in section 3.1 of the specification).

use super::error::{MessageError, ValueCount, in_range};
use super::number::{COUNTS, FINITE};
use super::parameters::{MAX_VALUES, NetParameters};
use super::reader::Reader;
use super::visit::Visit;

const NAME: &str = "Individual";
/// Number of values that precede the genome: Gen, Ind and Chn.
const HEAD: usize = 3;

/// One genome of a generation. The [`NetParameters`] of the receiving program define the meaning of its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Individual {
    /// Gen: generation number.
    pub generation: u32,
    /// Ind: number of the individual in its generation.
    pub number: u32,
    /// Chn: number of hidden neurons.
    pub hidden: u32,
    /// Global parameters, parameters of the input, output and hidden neurons, and weights. At most [`MAX_VALUES`]
    /// values.
    pub values: Vec<f64>,
}

impl Individual {
    pub(super) fn read(values: &mut Reader<'_>) -> Result<Self, MessageError> {
        ValueCount::AtMost(HEAD + MAX_VALUES).check(NAME, values.came())?;
        let [generation, number] = [values.count("generation")?, values.count("number")?];
        let hidden = values.count("count of hidden neurons")?;
        let values = (HEAD..values.came()).map(|_| values.real("value")).collect::<Result<_, _>>()?;
        Ok(Self { generation, number, hidden, values })
    }

    pub(super) fn visit(&self, visit: &mut Visit<'_>) -> Result<(), MessageError> {
        ValueCount::AtMost(HEAD + MAX_VALUES).check(NAME, HEAD + self.values.len())?;
        visit("generation", self.generation.into(), COUNTS)?;
        visit("number", self.number.into(), COUNTS)?;
        visit("count of hidden neurons", self.hidden.into(), COUNTS)?;
        self.values.iter().try_for_each(|&value| visit("value", value, FINITE))
    }

    /// Interprets the values as a genome. The parameters have to satisfy [`NetParameters::check`].
    ///
    /// # Errors
    /// The number of hidden neurons, a value or the number of values is out of range.
    pub fn genome<'a>(&'a self, parameters: &'a NetParameters) -> Result<Genome<'a>, MessageError> {
        let NetParameters { globals, inputs, outputs, hidden, weights, .. } = parameters;
        in_range(NAME, "count of hidden neurons", self.hidden.into(), hidden.min.into()..=hidden.max.into())?;
        ValueCount::Exactly(HEAD + parameters.value_count(self.hidden)).check(NAME, HEAD + self.values.len())?;

        let size = |count: u32, values: u32| count as usize * values as usize;
        let (global_values, rest) = self.values.split_at(globals.count as usize);
        let (input_values, rest) = rest.split_at(size(inputs.count, inputs.values));
        let (output_values, rest) = rest.split_at(size(outputs.count, outputs.values));
        let (hidden_values, weight_values) = rest.split_at(size(self.hidden, hidden.values));
        let groups = [
            ("global parameter", global_values, globals.low, globals.high),
            ("value of an input neuron", input_values, inputs.low, inputs.high),
            ("value of an output neuron", output_values, outputs.low, outputs.high),
            ("value of a hidden neuron", hidden_values, hidden.low, hidden.high),
            ("value of a weight", weight_values, weights.low, weights.high),
        ];
        for (what, values, low, high) in groups {
            values.iter().try_for_each(|&value| in_range(NAME, what, value, low..=high))?;
        }
        Ok(Genome {
            parameters,
            hidden_count: self.hidden,
            globals: global_values,
            inputs: input_values,
            outputs: output_values,
            hidden: hidden_values,
            weights: weight_values,
        })
    }
}

/// Genome of an individual, checked against the parameters.
#[derive(Clone, Copy, Debug)]
pub struct Genome<'a> {
    parameters: &'a NetParameters,
    hidden_count: u32,
    globals: &'a [f64],
    inputs: &'a [f64],
    outputs: &'a [f64],
    hidden: &'a [f64],
    weights: &'a [f64],
}

impl<'a> Genome<'a> {
    /// Returns the number of hidden neurons.
    pub fn hidden_count(&self) -> u32 {
        self.hidden_count
    }

    /// Returns the global parameters.
    pub fn globals(&self) -> &'a [f64] {
        self.globals
    }

    /// Returns the parameters of an input neuron; empty if the index (from 0) is out of range.
    pub fn input(&self, neuron: usize) -> &'a [f64] {
        part(self.inputs, neuron, self.parameters.inputs.values)
    }

    /// Returns the parameters of an output neuron; empty if the index (from 0) is out of range.
    pub fn output(&self, neuron: usize) -> &'a [f64] {
        part(self.outputs, neuron, self.parameters.outputs.values)
    }

    /// Returns the parameters of a hidden neuron; empty if the index (from 0) is out of range.
    pub fn hidden(&self, neuron: usize) -> &'a [f64] {
        part(self.hidden, neuron, self.parameters.hidden.values)
    }

    /// Returns the values of a weight; empty outside the matrix. Rows are output neurons, then hidden neurons.
    /// Columns are input, output, then hidden neurons. Both indices start at 0. For nulled weights
    /// ([`NetParameters::is_nulled`]), the transmitted values are returned, too.
    pub fn weight(&self, row: usize, column: usize) -> &'a [f64] {
        let columns = self.parameters.columns(self.hidden_count);
        if row >= self.parameters.rows(self.hidden_count) || column >= columns {
            return &[];
        }
        part(self.weights, row * columns + column, self.parameters.weights.values)
    }
}

/// Divides `values` into consecutive slices of `size` values, and returns the slice at `index`. Returns an empty slice
/// if `values` is too short.
fn part(values: &[f64], index: usize, size: u32) -> &[f64] {
    let size = size as usize;
    let start = index.saturating_mul(size);
    values.get(start..start.saturating_add(size)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::parameters::{Globals, HiddenNeurons, Neurons, Weights};
    use super::*;

    /// Returns parameters with one global value and two inputs of one value each. There is one output of two values,
    /// and up to two hidden neurons of three values each. Weights have two values.
    fn parameters() -> NetParameters {
        let (low, high) = (-100.0, 100.0);
        NetParameters {
            max_concurrent: 1,
            globals: Globals { count: 1, low, high },
            inputs: Neurons { count: 2, values: 1, low, high },
            outputs: Neurons { count: 1, values: 2, low, high },
            hidden: HiddenNeurons { min: 1, max: 2, values: 3, low, high },
            weights: Weights { values: 2, low, high },
            ..NetParameters::default()
        }
    }

    /// Returns an individual whose values equal their indices.
    fn individual(hidden: u32, count: u8) -> Individual {
        Individual { generation: 1, number: 1, hidden, values: (0..count).map(f64::from).collect() }
    }

    #[test]
    fn values_are_in_the_order_of_the_document() {
        let (parameters, individual) = (parameters(), individual(1, 24));
        let genome = individual.genome(&parameters).expect("a genome");
        assert_eq!(genome.hidden_count(), 1);
        assert_eq!(genome.globals(), [0.0]);
        assert_eq!((genome.input(0), genome.input(1)), (&[1.0][..], &[2.0][..]));
        assert_eq!(genome.output(0), [3.0, 4.0]);
        assert_eq!(genome.hidden(0), [5.0, 6.0, 7.0]);
        // The weight matrix has two rows and four columns.
        assert_eq!((genome.weight(0, 0), genome.weight(0, 3)), (&[8.0, 9.0][..], &[14.0, 15.0][..]));
        assert_eq!((genome.weight(1, 0), genome.weight(1, 3)), (&[16.0, 17.0][..], &[22.0, 23.0][..]));
        for nothing in [genome.input(2), genome.output(1), genome.hidden(1), genome.weight(0, 4), genome.weight(2, 0)] {
            assert!(nothing.is_empty());
        }
        assert!(genome.hidden(usize::MAX).is_empty());
    }

    #[test]
    fn genomes_that_do_not_fit_are_refused() {
        let parameters = parameters();
        let refusal = |individual: Individual| individual.genome(&parameters).expect_err("refused").to_string();
        assert_eq!(refusal(individual(1, 25)), "Individual: 28 values, expected 27");
        assert_eq!(refusal(individual(2, 24)), "Individual: 27 values, expected 44");
        assert_eq!(refusal(individual(3, 24)), "Individual: count of hidden neurons 3 is out of range 1 to 2");
        assert_eq!(refusal(individual(0, 24)), "Individual: count of hidden neurons 0 is out of range 1 to 2");
        let mut outside = individual(1, 24);
        outside.values[23] = 100.5;
        assert_eq!(refusal(outside), "Individual: value of a weight 100.5 is out of range -100 to 100");
        let mut outside = individual(1, 24);
        outside.values[0] = f64::NAN;
        assert_eq!(refusal(outside), "Individual: global parameter NaN is out of range -100 to 100");
    }
}
