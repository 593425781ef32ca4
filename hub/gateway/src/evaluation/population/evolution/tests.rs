//! Tests of the evolution with a fitness that is computed from the genome.

use super::super::super::parameters::{HiddenNeurons, Neurons, Weights};
use super::*;

fn parameters() -> NetParameters {
    let (low, high) = (-1.0, 1.0);
    NetParameters {
        max_concurrent: 4,
        inputs: Neurons { count: 3, ..Neurons::default() },
        outputs: Neurons { count: 2, values: 1, low, high },
        hidden: HiddenNeurons { min: 0, max: 4, values: 1, low, high },
        weights: Weights { values: 1, low, high },
        input_to_output: true,
        recurrent: true,
        ..NetParameters::default()
    }
}

/// Returns a fitness that rewards biases near 0.5, weights near -0.25 and three hidden neurons.
fn fitness(individual: &Individual) -> f64 {
    let neurons = 2 + individual.hidden as usize;
    let off = |values: &[f64], wanted: f64| values.iter().map(|value| (value - wanted).abs()).sum::<f64>();
    let (biases, weights) = individual.values.split_at(neurons);
    let mean = (off(biases, 0.5) + off(weights, -0.25)) / individual.values.len() as f64;
    -mean - 0.1 * (f64::from(individual.hidden) - 3.0).abs()
}

fn run(order: fn(&mut Vec<u32>)) -> (Vec<Summary>, Best) {
    let mut evolution = Evolution::new(parameters(), Settings::default()).unwrap();
    let mut summaries = Vec::new();
    for _ in 0..60 {
        let mut numbers: Vec<u32> = (1..=evolution.population()).collect();
        order(&mut numbers);
        for number in numbers {
            assert_eq!(evolution.advance(), None);
            let individual = evolution.individual(number).unwrap();
            assert!(evolution.record_fitness(number, fitness(&individual)) && !evolution.record_fitness(number, 1e9));
        }
        summaries.push(evolution.advance().unwrap().0);
    }
    let best = evolution.best().unwrap().clone();
    (summaries, best)
}

#[test]
fn fitness_rises_and_does_not_depend_on_the_order_of_answers() {
    let (summaries, best) = run(|_| {});
    assert_eq!((summaries.clone(), best.clone()), run(|numbers| numbers.reverse()));
    let (first, last) = (summaries[0], summaries[59]);
    assert!(last.best > first.best + 0.2 && last.best > -0.15, "{first:?} {last:?}");
    assert!(summaries.windows(2).all(|pair| pair[1].best >= pair[0].best), "the best stay");
    assert_eq!(best.genotype.hidden.len(), 3);
    assert_eq!(fitness(&best.individual()), best.fitness);
}

#[test]
fn numbers_that_nobody_has_are_not_taken() {
    let mut evolution = Evolution::new(parameters(), Settings::default()).unwrap();
    assert!(
        !evolution.record_fitness(0, 1.0)
            && !evolution.record_fitness(31, 1.0)
            && !evolution.record_fitness(u32::MAX, 1.0)
    );
    assert!(evolution.individual(0).is_none() && evolution.champion().is_none());
}

#[test]
fn settings_and_populations_that_make_no_sense_are_refused() {
    let wrong = |settings: Settings| settings.check().unwrap_err();
    assert!(wrong(Settings { population: 1, ..Settings::default() }).contains("population is 1"));
    assert!(wrong(Settings { elites: 30, ..Settings::default() }).contains("elites"));
    assert!(wrong(Settings { tournament: 0, ..Settings::default() }).contains("tournaments"));
    let variation = Variation { mutation: f64::NAN, ..Variation::default() };
    assert!(wrong(Settings { variation, ..Settings::default() }).contains("mutation"));
    let hidden = HiddenNeurons { min: 0, max: 200, ..HiddenNeurons::default() };
    let huge = NetParameters { hidden, ..parameters() };
    let settings = Settings { population: 100_000, ..Settings::default() };
    assert!(Evolution::new(huge, settings).err().unwrap().contains("are allowed"));
}
