//! Parameters of the networks that a robot simulator supports (`NetParameters` in section 3.1 of the specification).

use std::ops::RangeInclusive;

use super::error::{MessageError, in_range};
pub use super::number::MAX_VALUES;
use super::number::{COUNTS, FINITE};
use super::reader::Reader;
use super::visit::Visit;

const SIZES: RangeInclusive<f64> = 0.0..=MAX_VALUES as f64;
const FLAGS: RangeInclusive<f64> = 0.0..=1.0;

// Names of the values in error messages.
const CONCURRENT: &str = "count of concurrent individuals";
const GLOBAL: [&str; 3] = ["count of global parameters", "lowest global parameter", "highest global parameter"];
const INPUT: [&str; 4] = [
    "count of input neurons",
    "count of values per input neuron",
    "lowest value of input neurons",
    "highest value of input neurons",
];
const OUTPUT: [&str; 4] = [
    "count of output neurons",
    "count of values per output neuron",
    "lowest value of output neurons",
    "highest value of output neurons",
];
const HIDDEN: [&str; 5] = [
    "minimum count of hidden neurons",
    "maximum count of hidden neurons",
    "count of values per hidden neuron",
    "lowest value of hidden neurons",
    "highest value of hidden neurons",
];
const WEIGHT: [&str; 3] = ["count of values per weight", "lowest value of weights", "highest value of weights"];
const INPUT_TO_OUTPUT: &str = "flag of weights from input to output";
const RECURRENT: &str = "flag of recurrent connections";

/// Answer to `SendNetParameters`. It has 22 values on the line, in the order of the specification.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetParameters {
    /// Cci: maximum number of individuals that the simulator evaluates concurrently, >= 1.
    pub max_concurrent: u32,
    /// Cgp, Lgp, Hgp: global parameters, which do not belong to a neuron.
    pub globals: Globals,
    /// Cin, Vin, Lin, Hin: input neurons.
    pub inputs: Neurons,
    /// Con, Von, Lon, Hon: output neurons.
    pub outputs: Neurons,
    /// `CIhn`, `CAhn`, Vhn, Lhn, Hhn: hidden neurons.
    pub hidden: HiddenNeurons,
    /// Vw, Lw, Hw: weights of the connections between neurons.
    pub weights: Weights,
    /// Fio: whether weights from input neurons to output neurons are used; if false, they are nulled.
    pub input_to_output: bool,
    /// Fre: whether recurrent connections are used; if false, their weights are nulled.
    pub recurrent: bool,
}

/// Global parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Globals {
    /// Number of parameters.
    pub count: u32,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
}

/// Input or output neurons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neurons {
    /// Number of neurons.
    pub count: u32,
    /// Number of parameter values per neuron.
    pub values: u32,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
}

/// Hidden neurons. Their number varies between individuals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HiddenNeurons {
    /// Minimum number of hidden neurons per individual.
    pub min: u32,
    /// Maximum number of hidden neurons per individual.
    pub max: u32,
    /// Number of parameter values per neuron.
    pub values: u32,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
}

/// Weights of the connections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// Number of parameter values per weight.
    pub values: u32,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
}

impl NetParameters {
    pub(super) fn read(values: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(Self {
            max_concurrent: values.count(CONCURRENT)?,
            globals: Globals {
                count: values.count(GLOBAL[0])?,
                low: values.real(GLOBAL[1])?,
                high: values.real(GLOBAL[2])?,
            },
            inputs: Neurons::read(values, INPUT)?,
            outputs: Neurons::read(values, OUTPUT)?,
            hidden: HiddenNeurons {
                min: values.count(HIDDEN[0])?,
                max: values.count(HIDDEN[1])?,
                values: values.count(HIDDEN[2])?,
                low: values.real(HIDDEN[3])?,
                high: values.real(HIDDEN[4])?,
            },
            weights: Weights {
                values: values.count(WEIGHT[0])?,
                low: values.real(WEIGHT[1])?,
                high: values.real(WEIGHT[2])?,
            },
            input_to_output: values.flag(INPUT_TO_OUTPUT)?,
            recurrent: values.flag(RECURRENT)?,
        })
    }

    pub(super) fn visit(&self, visit: &mut Visit<'_>) -> Result<(), MessageError> {
        visit(CONCURRENT, self.max_concurrent.into(), 1.0..=*COUNTS.end())?;
        visit(GLOBAL[0], self.globals.count.into(), SIZES)?;
        visit(GLOBAL[1], self.globals.low, FINITE)?;
        visit(GLOBAL[2], self.globals.high, FINITE)?;
        self.inputs.visit(INPUT, visit)?;
        self.outputs.visit(OUTPUT, visit)?;
        visit(HIDDEN[0], self.hidden.min.into(), SIZES)?;
        visit(HIDDEN[1], self.hidden.max.into(), SIZES)?;
        visit(HIDDEN[2], self.hidden.values.into(), SIZES)?;
        visit(HIDDEN[3], self.hidden.low, FINITE)?;
        visit(HIDDEN[4], self.hidden.high, FINITE)?;
        visit(WEIGHT[0], self.weights.values.into(), SIZES)?;
        visit(WEIGHT[1], self.weights.low, FINITE)?;
        visit(WEIGHT[2], self.weights.high, FINITE)?;
        visit(INPUT_TO_OUTPUT, self.input_to_output.into(), FLAGS)?;
        visit(RECURRENT, self.recurrent.into(), FLAGS)
    }

    /// Checks that networks with these parameters are possible. Parameters read from a line have already been
    /// checked.
    ///
    /// # Errors
    /// A count or a value is out of range, the end of a range is below its start, or individuals could have more than
    /// [`MAX_VALUES`] values.
    pub fn check(&self) -> Result<(), MessageError> {
        self.visit(&mut |what, value, range| in_range("NetParameters", what, value, range))?;
        let ranges = [
            ("values of global parameters", self.globals.low, self.globals.high),
            ("values of input neurons", self.inputs.low, self.inputs.high),
            ("values of output neurons", self.outputs.low, self.outputs.high),
            ("counts of hidden neurons", self.hidden.min.into(), self.hidden.max.into()),
            ("values of hidden neurons", self.hidden.low, self.hidden.high),
            ("values of weights", self.weights.low, self.weights.high),
        ];
        if let Some(&(what, low, high)) = ranges.iter().find(|(_, low, high)| low > high) {
            return Err(MessageError::LowAboveHigh { what, low, high });
        }
        let values = self.value_count(self.hidden.max);
        if values > MAX_VALUES { Err(MessageError::TooManyValues { values }) } else { Ok(()) }
    }

    /// Returns the number of values of an individual with `hidden` hidden neurons: global, input, output and hidden
    /// parameters, and weights (Nw).
    pub fn value_count(&self, hidden: u32) -> usize {
        let product = |count: u32, values: u32| u128::from(count) * u128::from(values);
        let (inputs, outputs) = (&self.inputs, &self.outputs);
        let neurons = product(inputs.count, inputs.values)
            + product(outputs.count, outputs.values)
            + product(hidden, self.hidden.values);
        // The product fits into 128 bits, because there are at most 2^34 columns, 2^33 rows and 2^32 values per weight.
        let weights = self.columns(hidden) as u128 * self.rows(hidden) as u128 * u128::from(self.weights.values);
        usize::try_from(u128::from(self.globals.count) + neurons + weights).unwrap_or(usize::MAX)
    }

    /// Returns the number of rows of the weight matrix: output neurons, then hidden neurons.
    pub fn rows(&self, hidden: u32) -> usize {
        self.outputs.count as usize + hidden as usize
    }

    /// Returns the number of columns of the weight matrix: input neurons, output neurons, then hidden neurons.
    pub fn columns(&self, hidden: u32) -> usize {
        self.inputs.count as usize + self.rows(hidden)
    }

    /// Returns whether the network replaces the weight in this row and column with 0. Returns true outside the matrix.
    ///
    /// Fio = 0 nulls the weights from inputs to outputs. Fre = 0 nulls the recurrent weights: output to output,
    /// output to hidden and hidden to hidden. Weights from inputs to hidden neurons and from hidden neurons to
    /// outputs are never nulled.
    pub fn is_nulled(&self, row: usize, column: usize, hidden: u32) -> bool {
        if row >= self.rows(hidden) || column >= self.columns(hidden) {
            return true;
        }
        let (inputs, outputs) = (self.inputs.count as usize, self.outputs.count as usize);
        let to_output = row < outputs;
        if column < inputs {
            to_output && !self.input_to_output
        } else {
            let from_output = column < inputs + outputs;
            (from_output || !to_output) && !self.recurrent
        }
    }
}

impl Neurons {
    fn read(values: &mut Reader<'_>, names: [&'static str; 4]) -> Result<Self, MessageError> {
        Ok(Self {
            count: values.count(names[0])?,
            values: values.count(names[1])?,
            low: values.real(names[2])?,
            high: values.real(names[3])?,
        })
    }

    fn visit(&self, names: [&'static str; 4], visit: &mut Visit<'_>) -> Result<(), MessageError> {
        visit(names[0], self.count.into(), SIZES)?;
        visit(names[1], self.values.into(), SIZES)?;
        visit(names[2], self.low, FINITE)?;
        visit(names[3], self.high, FINITE)
    }
}

#[cfg(test)]
mod tests;
