//! Bodies of joined cubes, after pyro-corpus: definition, file formats and articulated physics.
//!
//! A [`Prif`] defines the construction of a body, and a [`Plan`] lists the body's parts. A [`Brain`] drives the
//! joints. [`evaluate()`] returns the distance that the body travels.

mod brain;
mod error;
mod evaluate;
mod part;
pub mod physics;
pub mod picture;
pub mod prif;
mod robot;
pub mod urdf;
pub mod variation;

pub use brain::{Brain, MAX_SYNAPSES, MAX_WEIGHT, PERIODS};
pub use error::BodyError;
pub use evaluate::{Distance, STEPS, evaluate, frames, path, walk, watch};
pub use part::{Axis, Direction, Part};
pub use physics::Start;
pub use prif::{PlacedPart, Plan, Prif};
pub use robot::{EvaluationConditions, Rhythm, Robot};
