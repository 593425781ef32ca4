//! Incremental evolution of any genome: a graph of steps, each with an end formula and an initial population that is blended of
//! what earlier steps left, after Petrovic, "Evolving automatons for distributed behavior arbitration" (NTNU 05/2005).
//!
//! Pure: a step names the genotypes that it does not know ([`Evolution::unknown`]), takes what they are worth
//! ([`Evolution::learn`]), and breeds ([`Evolution::breed`]). Who evaluates them, and in what world, is the caller's business.

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
pub use evolution::{Evolution, Member, Progress, Worth};
pub use formula::{Formula, Variables};
pub use graph::{Graph, Node};
pub use momentum::{GainOver, first_momentum, next_momentum};
pub use select::Selection;
pub use settings::StepSettings;
pub use species::Species;
pub use statistics::{CROSSOVER, OperatorStatistics, Statistics};
