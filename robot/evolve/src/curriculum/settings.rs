//! Evolution settings of a step.

use super::{Formula, GainOver, Selection};

/// Evolution parameters of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSettings {
    /// Number of individuals (2..=4096).
    pub population: usize,
    /// Probability that two parents are crossed.
    pub crossover: f32,
    /// Probability that a child is mutated.
    pub mutation: f32,
    /// Share of the population that children replace (0 to 1). With 1, only the best individual is kept (generational
    /// evolution). Smaller values result in steady-state evolution.
    pub replace: f32,
    /// Parent selection.
    pub selection: Selection,
    /// Decay factor of the learning momentum per generation.
    pub phi: f64,
    /// Reference for the gain of the best fitness.
    pub gain_over: GainOver,
    /// Formula that ends the step.
    pub end: Formula,
    /// Learning momentum below which the least fit individuals are replaced by random ones.
    pub reinitialise_below: f64,
    /// Share of the population that is replaced by random individuals when the momentum is low (0 to 1).
    pub reinitialise: f32,
    /// Number of generations after which an unfinished step restarts with a new initial population. `None`: the step
    /// never restarts.
    pub restart_after: Option<u32>,
    /// Maximum number of generations of the whole curriculum.
    pub total_generations: u32,
}
