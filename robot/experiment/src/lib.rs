//! What an experiment means: the file that says it ([`mod@file`]), the world of its simulations ([`world_file`]), what was
//! measured of the real one ([`mod@calibration`]), the steps of a curriculum before that world ([`mod@steps`]) and where an
//! island is in them ([`mod@course`]), and all of it made into what robots and hub work with ([`plan`]): world, task, primitive set, settings of evolution, controllers and
//! phases. Robots, hub and laboratory read it by the same code, so that all refuse the same.

pub mod calibration;
pub mod course;
pub mod file;
pub mod lamps;
pub mod phase;
pub mod plan;
pub mod settings;
pub mod silence;
pub mod steps;
pub mod tree_file;
pub mod world_file;

pub use calibration::Calibration;
pub use course::{Course, Standing, StepEnd};
pub use file::{Evolution, Experiment, TaskName, sent_name};
pub use phase::{Drive, Given, Kind, Phase, Until};
pub use plan::{Plan, PlanError, PlannedPhase, ROBOTS};
pub use silence::{Genes, OnSilence, Silence};
pub use steps::{Step, StepEntry};
