//! Evolution of behaviour trees: populations, variation, selection and the island's side of migration.
//!
//! Everything here is a pure function of its inputs and a seed. How fitness is computed, and where migrants come
//! from, is the caller's business: an [`Island`] names trials, takes their results, and says the next population.

mod algorithm;
pub mod checkpoint;
mod deme;
mod generate;
mod genotype;
mod grammar;
mod idiom;
mod individual;
mod island;
mod palette;
mod samples;
mod settings;
mod space;
mod variation;

pub use algorithm::{Algorithm, Form, UnknownAlgorithm};
pub use deme::Trial;
pub use generate::{Method, Primitives, full, grow, ramped};
pub use genotype::{Bits, Branch, Gene, Genotype};
pub use individual::{Id, Individual, Migrant, MigrantError, Operator, Stage};
pub use island::{Island, Progress};
pub use palette::{Palette, PaletteError};
pub use samples::Samples;
pub use settings::{Representation, Settings, SettingsError};
pub use space::Space;
pub use variation::crossover;
