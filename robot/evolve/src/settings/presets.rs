//! Default settings of each algorithm.

use super::{Algorithm, Representation, Settings};

/// Returns the default settings of an algorithm.
pub(super) fn preset(algorithm: Algorithm) -> Settings {
    match algorithm {
        Algorithm::Dars2016 => dars2016(),
        Algorithm::Classic => classic(),
        Algorithm::NoiseAware => published(Algorithm::NoiseAware),
        Algorithm::PooledSamples => pooled_samples(),
        Algorithm::Racing | Algorithm::MedianStopping | Algorithm::FRace => racing(algorithm),
    }
}

/// Returns the base of all presets: the thesis's values (Table 8.1, section 8.3.1), and this project's values for
/// parameters that the thesis does not have.
fn published(algorithm: Algorithm) -> Settings {
    Settings {
        algorithm,
        representation: Representation::Tree,
        population: 256,
        elite: 0.25,
        replace: 0.25,
        crossover: 0.5,
        tournament: 3,
        depth: 6,
        mutate_parameter: 0.05,
        mutate_point: 0.05,
        mutate_subtree: 0.05,
        mutate_shrink: 0.0,
        evaluations: 1,
        full_evaluations: 8,
        immigrants: 8,
        exchange_every: 1,
        restart_every: 0,
        functions: 2,
        bits: 1024,
        mutate_bit: 0.005,
        hidden: 8,
        node_cost: 5e-5,
        avoiding: true,
    }
}

/// Returns the values of Table 4.3. The depth of new trees, which Table 4.3 does not specify, is from Table 7.6.
fn dars2016() -> Settings {
    Settings {
        population: 25,
        elite: 3.0 / 25.0,
        crossover: 0.8,
        depth: 4,
        mutate_parameter: 0.5,
        mutate_point: 0.5,
        mutate_subtree: 0.05,
        mutate_shrink: 0.1,
        evaluations: 10,
        full_evaluations: 10,
        ..published(Algorithm::Dars2016)
    }
}

/// Returns the values of Table 7.6.
fn classic() -> Settings {
    Settings {
        population: 64,
        elite: 3.0 / 64.0,
        depth: 4,
        mutate_subtree: 0.1,
        evaluations: 8,
        ..published(Algorithm::Classic)
    }
}

/// Returns the settings of `pooled-samples`. Equal trees share their samples, so known poor trees need no further
/// trials. Therefore more individuals are replaced than in `noise-aware`, and a greater share of the new individuals is
/// created by crossover. New trees are shallower, so that their trials are faster.
fn pooled_samples() -> Settings {
    Settings { replace: 0.6, crossover: 0.85, depth: 4, restart_every: 64, ..published(Algorithm::PooledSamples) }
}

/// Returns the settings of `racing`, `median-stopping` and `f-race`. Here, `population` is the trial budget of a
/// generation (multiples of the run's trial length).
fn racing(algorithm: Algorithm) -> Settings {
    Settings { elite: 1.0 / 64.0, depth: 4, ..published(algorithm) }
}
