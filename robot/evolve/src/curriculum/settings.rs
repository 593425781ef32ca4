//! What a step says of its evolution.

use super::{Formula, GainOver, Selection};

/// Parameters of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSettings {
    /// Individuals, 2..=4096.
    pub population: usize,
    /// Probability that two parents are crossed.
    pub crossover: f32,
    /// Probability that a child is mutated.
    pub mutation: f32,
    /// Share of the population that children replace: 1 is generation by generation, with the best kept; less is steady state.
    pub replace: f32,
    /// Who has children.
    pub selection: Selection,
    /// What of the learning momentum goes on from a generation to the next.
    pub phi: f64,
    /// What the best's gain is measured from.
    pub gain_over: GainOver,
    /// When the step is over.
    pub end: Formula,
    /// Learning has stopped when the momentum is below this: a share of the population is drawn anew.
    pub reinitialise_below: f64,
    /// That share.
    pub reinitialise: f32,
    /// After so many generations without an end the population is made anew as it was at the step's beginning; never if left out.
    pub restart_after: Option<u32>,
    /// Most generations of the whole curriculum.
    pub total_generations: u32,
}
