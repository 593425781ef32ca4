//! Foraging Kilobots (thesis chapter 4): runs of evolution from one configuration file, and the figures and tables of
//! the chapter.

mod chapter;
mod config;
mod evolve;
mod figures;
mod folder;
mod measure;
mod reduction;
mod run;
mod trails;
mod usage;

pub use chapter::{Chapter, ChapterResult, chapter};
pub use config::{Config, MotorNodes, WorldConfig};
pub use evolve::RunResult;
pub use folder::Folder;
pub use measure::{Measurement, measure};
pub use reduction::minimise;
pub use run::{Ended, run};
pub use trails::trails;
pub use usage::Usage;
pub use xpuck_lab::run_config::ConfigError;
