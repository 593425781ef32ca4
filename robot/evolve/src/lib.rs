//! Evolution of behaviour trees: populations, variation, selection and the island's side of migration.
//!
//! Everything here is a pure function of its inputs and a seed. How fitness is computed, and where migrants come
//! from, is the caller's business: an [`Island`] names trials, takes their results, and says the next population.

pub mod checkpoint;
mod generate;
mod individual;
mod island;
mod palette;
mod samples;
mod settings;
mod variation;

pub use generate::{full, grow, ramped};
pub use individual::{Id, Individual, Migrant, MigrantError, Operator};
pub use island::{Island, Progress, Trial};
pub use palette::Palette;
pub use samples::Samples;
pub use settings::{Form, Settings, SettingsError};
pub use variation::{crossover, mutate};
