//! The islands of one process: a whole run of evolution, generation by generation.
//!
//! [`EvolutionRun`] is a plain state machine: it simulates and evolves, and knows no file and no clock. [`Folder`] keeps what a
//! run leaves behind, so that it can go on after it was cut short, and [`run`] brings the two together.

mod champion;
pub(crate) mod config;
mod engines;
pub mod file;
mod folder;
mod front;
mod generation;
pub mod lineage;
mod outcome;
pub mod record;
mod run;

pub use crate::run_folder::FolderError;
pub use champion::{THRESHOLD, champion};
pub use config::Config;
pub use folder::{Folder, RECORD, Resumed, TIMES};
pub use front::FrontTree;
pub use generation::{EvolutionRun, Generation, GenerationRow, Reached, State};
pub use outcome::{Champion, Outcome, SECONDS, on_fresh_worlds};
pub use run::{Ended, run, run_with};
