//! Variation operators: crossover of whole neurons, Gaussian mutation with an inherited step size, and addition and
//! removal of hidden neurons.

use super::super::parameters::NetParameters;
use super::super::random::Random;
use super::genotype::{self, Genotype, Lengths, Neuron};
use serde::Deserialize;

/// Limits of the mutation step size, as fractions of a value's range.
const STEPS: std::ops::RangeInclusive<f64> = 0.001..=0.5;
/// Standard deviation of the change of a step size's natural logarithm.
const STEP_CHANGE: f64 = 0.25;

/// Parameters of mutation and crossover.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variation {
    /// Probability that a child has two parents, 0 to 1.
    pub crossover: f64,
    /// Probability that a value mutates, 0 to 1.
    pub mutation: f64,
    /// Initial standard deviation of mutations as a fraction of each value's range, 0.001 to 0.5.
    pub step: f64,
    /// Probability that a child gains a hidden neuron, 0 to 1. A child that gains no neuron loses one with the same
    /// probability.
    pub growth: f64,
}

impl Default for Variation {
    fn default() -> Self {
        Self { crossover: 0.5, mutation: 0.3, step: 0.1, growth: 0.05 }
    }
}

impl Variation {
    /// Checks the parameters.
    ///
    /// # Errors
    /// A parameter is invalid; the error names it and its allowed range.
    pub fn check(&self) -> Result<(), String> {
        let parts = [("crossover", self.crossover), ("mutation", self.mutation), ("growth", self.growth)];
        if let Some((what, value)) = parts.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            return Err(format!("{what} is {value}, but must be 0 to 1"));
        }
        match STEPS.contains(&self.step) {
            true => Ok(()),
            false => Err(format!("step is {}, but must be {} to {}", self.step, STEPS.start(), STEPS.end())),
        }
    }

    /// Creates a child of `first`, or of both parents with probability `crossover`.
    pub(super) fn child(
        &self,
        random: &mut Random,
        parameters: &NetParameters,
        first: &Genotype,
        second: &Genotype,
    ) -> Genotype {
        let mut child = first.clone();
        if random.chance(self.crossover) {
            cross(random, parameters, &mut child, second);
        }
        if random.chance(self.growth) {
            grow(random, parameters, &mut child);
        } else if random.chance(self.growth) {
            shrink(random, parameters, &mut child);
        }
        self.mutate(random, parameters, &mut child);
        child
    }

    fn mutate(&self, random: &mut Random, parameters: &NetParameters, child: &mut Genotype) {
        child.step = (child.step * (STEP_CHANGE * random.normal()).exp()).clamp(*STEPS.start(), *STEPS.end());
        let step = child.step;
        let mut change = |values: &mut [f64], low: f64, high: f64| {
            for value in values {
                if random.chance(self.mutation) {
                    // Halves both limits first, because their difference could overflow.
                    let moved = *value + step * random.normal() * (high / 2.0 - low / 2.0) * 2.0;
                    *value = if moved.is_nan() { *value } else { moved.clamp(low, high) };
                }
            }
        };
        let NetParameters { globals, inputs, outputs, hidden, weights, .. } = parameters;
        change(&mut child.globals, globals.low, globals.high);
        change(&mut child.inputs, inputs.low, inputs.high);
        child.outputs.iter_mut().for_each(|neuron| change(&mut neuron.values, outputs.low, outputs.high));
        child.hidden.iter_mut().for_each(|neuron| change(&mut neuron.values, hidden.low, hidden.high));
        for neuron in child.outputs.iter_mut().chain(&mut child.hidden) {
            change(&mut neuron.fixed, weights.low, weights.high);
            change(&mut neuron.hidden, weights.low, weights.high);
        }
    }
}

/// Replaces each neuron of the child with the corresponding neuron of the other parent with probability 0.5. Global
/// and input parameters are exchanged in the same way. The number of hidden neurons stays the same.
fn cross(random: &mut Random, parameters: &NetParameters, child: &mut Genotype, other: &Genotype) {
    child.step = (child.step * other.step).sqrt();
    let size = parameters.inputs.values.max(1) as usize;
    exchange(random, &mut child.globals, &other.globals, 1);
    exchange(random, &mut child.inputs, &other.inputs, size);
    let neurons = child.outputs.iter_mut().zip(&other.outputs).chain(child.hidden.iter_mut().zip(&other.hidden));
    for (mine, others) in neurons {
        if random.chance(0.5) {
            mine.values.clone_from(&others.values);
            mine.fixed.clone_from(&others.fixed);
            mine.hidden.iter_mut().zip(&others.hidden).for_each(|(mine, others)| *mine = *others);
        }
    }
}

fn exchange(random: &mut Random, mine: &mut [f64], others: &[f64], size: usize) {
    for (mine, others) in mine.chunks_mut(size).zip(others.chunks(size)) {
        if random.chance(0.5) {
            mine.copy_from_slice(others);
        }
    }
}

/// Adds a hidden neuron, unless the network has the maximum number. The outgoing weights of the new neuron are as close
/// to 0 as allowed, so that the behaviour of the network hardly changes at first.
fn grow(random: &mut Random, parameters: &NetParameters, child: &mut Genotype) {
    let count = child.hidden.len();
    if count >= parameters.hidden.max as usize {
        return;
    }
    let small = 0f64.clamp(parameters.weights.low, parameters.weights.high);
    let size = Lengths::from_parameters(parameters).weight;
    for neuron in child.outputs.iter_mut().chain(&mut child.hidden) {
        neuron.hidden.extend(std::iter::repeat_n(small, size));
    }
    child.hidden.push(genotype::hidden(random, parameters, count + 1));
}

/// Removes a random hidden neuron, unless the network has the minimum number.
fn shrink(random: &mut Random, parameters: &NetParameters, child: &mut Genotype) {
    let count = child.hidden.len();
    if count <= parameters.hidden.min as usize {
        return;
    }
    let gone = random.below(count);
    let size = Lengths::from_parameters(parameters).weight;
    child.hidden.remove(gone);
    let all = child.outputs.iter_mut().chain(&mut child.hidden);
    all.for_each(|Neuron { hidden, .. }| drop(hidden.drain(gone * size..(gone + 1) * size)));
}

#[cfg(test)]
mod tests {
    use super::super::super::parameters::{Globals, HiddenNeurons, Neurons, Weights};
    use super::*;

    fn parameters(low: f64, high: f64) -> NetParameters {
        NetParameters {
            max_concurrent: 1,
            globals: Globals { count: 2, low, high },
            inputs: Neurons { count: 3, values: 2, low, high },
            outputs: Neurons { count: 2, values: 1, low, high },
            hidden: HiddenNeurons { min: 1, max: 4, values: 3, low, high },
            weights: Weights { values: 2, low, high },
            ..NetParameters::default()
        }
    }

    #[test]
    fn children_of_any_parents_fit_the_parameters() {
        for (low, high) in [(-1.0, 1.0), (2.0, 2.0), (-f64::MAX, f64::MAX), (5.0, 9.0)] {
            let parameters = parameters(low, high);
            let variation = Variation { growth: 0.4, ..Variation::default() };
            let mut random = Random::new(3);
            let mut parents: Vec<Genotype> = (0..4).map(|_| Genotype::random(&mut random, &parameters, 0.1)).collect();
            let mut counts = [0; 5];
            for turn in 0..400 {
                let child = variation.child(&mut random, &parameters, &parents[turn % 4], &parents[(turn + 1) % 4]);
                let individual = child.individual(1, 1);
                individual.genome(&parameters).expect("a genome");
                counts[child.hidden.len()] += 1;
                parents[turn % 4] = child;
            }
            assert!(counts[0] == 0 && counts[1..].iter().all(|count| *count > 10), "{counts:?}");
        }
    }

    #[test]
    fn adding_or_removing_neuron_keeps_the_others() {
        let parameters = parameters(-1.0, 1.0);
        let mut random = Random::new(5);
        let old = Genotype { hidden: Vec::new(), ..Genotype::random(&mut random, &parameters, 0.1) };
        let old = Genotype {
            outputs: old.outputs.into_iter().map(|one| Neuron { hidden: Vec::new(), ..one }).collect(),
            ..old
        };
        let mut child = old.clone();
        grow(&mut random, &parameters, &mut child);
        grow(&mut random, &parameters, &mut child);
        assert_eq!(child.outputs[0].hidden, [0.0; 4]);
        assert_eq!(child.hidden[0].hidden.len(), 4);
        let two = child.clone();
        shrink(&mut random, &parameters, &mut child);
        let stayed = if child.hidden[0].values == two.hidden[0].values { 0 } else { 1 };
        assert_eq!(child.hidden[0].hidden, two.hidden[stayed].hidden[2 * stayed..2 * stayed + 2]);
        assert_eq!((&child.outputs[1].fixed, child.outputs[1].hidden.len()), (&old.outputs[1].fixed, 2));
    }
}
