//! Evolution on the islands of one process: a complete run, generation by generation.
//!
//! [`EvolutionRun`] is a plain state machine: it simulates and evolves without access to files or a clock. [`Folder`]
//! stores the data of a run, so that an interrupted run can be resumed. [`run`] combines both.

mod champion;
pub(crate) mod config;
mod engines;
pub mod file;
mod folder;
mod front;
mod generation;
pub mod lineage;
mod outcome;
mod pending;
pub mod record;
mod rounds;
mod run;

pub use crate::run_folder::FolderError;
pub use champion::{THRESHOLD, champion};
pub use config::Config;
pub use folder::{Folder, RECORD, Resumed, TIMES};
pub use front::FrontTree;
pub use generation::{EvolutionRun, Generation, GenerationRow, Reached, State};
pub use outcome::{Champion, Outcome, SECONDS, fresh_plan, fresh_seconds, on_fresh_worlds};
pub use pending::Pending;
pub use run::{Ended, keep, run, run_with};
