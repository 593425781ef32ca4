//! Incremental evolution for any genome: a graph of steps. Each step has an end formula and an initial population
//! that is blended from the populations of earlier steps, after Petrovic, "Evolving automatons for distributed
//! behavior arbitration" (NTNU 05/2005).
//!
//! This module performs no evaluations. A step lists the genotypes without a result ([`Evolution::unknown`]), and the
//! caller evaluates them. Then the step records the results ([`Evolution::learn`]), and breeds ([`Evolution::breed`]).

mod blend;
mod combine;
mod evolution;
mod formula;
mod graph;
mod momentum;
mod select;
mod settings;
mod species;
mod statistics;

pub use blend::{Blend, blend};
pub use combine::Combination;
pub use evolution::{Evaluation, Evolution, Member, StepState};
pub use formula::{Formula, Variables};
pub use graph::{Graph, Node};
pub use momentum::{GainOver, first_momentum, next_momentum};
pub use select::Selection;
pub use settings::StepSettings;
pub use species::Species;
pub use statistics::{CROSSOVER, OperatorStatistics, Statistics};
