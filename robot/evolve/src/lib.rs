//! Evolution of behaviour trees: populations, variation, selection and migration between islands.
//!
//! Results depend only on the inputs and a seed. An [`Island`] requests trials, records their results, and creates the
//! next population. The caller computes the fitness and transports migrants.

mod algorithm;
pub mod checkpoint;
pub mod curriculum;
mod deme;
mod device_registers;
pub mod families;
mod generate;
pub mod geneserver;
mod genotype;
mod grammar;
mod individual;
mod island;
mod migration;
mod operands;
mod primitive_set;
mod rule_list;
mod samples;
mod settings;
mod space;
mod suspended_trials;
mod tournament;
mod variation;

pub use deme::Trial;
pub use device_registers::{colour_read, ground_read};
pub use generate::{Method, Primitives, full, grow, ramped};
pub use genotype::{Bits, Branch, Gene, Genotype};
pub use individual::{Id, Individual, Migrant, MigrantError, MigrantValues, Operator, Stage};
pub use island::{Island, Progress};
pub use migration::{Migration, Policy};
pub use primitive_set::{PrimitiveSet, PrimitiveSetError, PrimitiveSetFile};
pub use rule_list::RuleListBuilder;
pub use samples::Samples;
pub use settings::{Algorithm, Representation, SampleOwner, Settings, SettingsError, UnknownAlgorithm};
pub use space::Space;
pub use suspended_trials::SuspendedTrials;
pub use variation::{Change, change, crossover, exchange, replace_constant, replace_node};
