//! Experiments: the experiment file ([`mod@file`]), the simulated world ([`world_file`]) and measurements of the real
//! world ([`mod@calibration`]). A curriculum has steps ([`mod@steps`]), and [`mod@course`] tracks each island's
//! progress through the steps. A [`plan`] combines the world, task, primitive set, evolution settings, controllers and
//! phases for robots and hub. Robots, hub and laboratory share this code, so that they all accept and reject the same
//! files.

pub mod calibration;
pub mod course;
pub mod file;
pub mod lamps;
pub mod phase;
#[cfg(unix)]
pub mod plan;
pub mod robot_model;
pub mod settings;
pub mod silence;
pub mod steps;
pub mod tree_file;
pub mod world_file;

pub use calibration::Calibration;
pub use course::{CurriculumProgress, GenerationStats, StepEnd};
pub use file::{Evolution, Experiment, TaskName, sent_name};
pub use phase::{Drive, Given, Kind, Phase, Until};
#[cfg(unix)]
pub use plan::{Plan, PlanError, PlannedPhase, ROBOTS};
pub use silence::{Genes, OnSilence, Silence};
pub use steps::{Step, StepEntry};
