//! Runs of body evolution. A run has a configuration file, islands with families, and a folder that allows
//! bit-identical resumption. It produces pictures and walks.

mod ancestor;
mod config;
mod creature;
mod fitness;
mod folder;
mod generation;
mod outcome;
mod picture;
mod replay;
mod run;

pub use ancestor::Ancestor;
pub use config::Config;
pub use creature::{Creature, CreatureSpecies, SavedCreature, Weights};
pub use fitness::{Evaluation, Fitness, Measure};
pub use folder::{Folder, Resumed};
pub use generation::{BodyRun, Row};
pub use outcome::{Island, Outcome};
pub use picture::{Curve, curve, curves, gallery};
pub use replay::{page, replay, spacing};
pub use run::{Ended, run};
pub use xpuck_lab::run_config::ConfigError;
