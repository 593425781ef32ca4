//! Experiments without robots: [`evolution_run`]s, [`sweep`]s, and studies such as [`ablation`]s. The crate also
//! writes reports with figures.

pub mod ablation;
pub mod behaviour;
pub mod engine;
pub mod evolution_run;
pub mod exchange;
pub mod machine_file;
pub mod markers;
pub mod measure;
pub mod remeasure;
pub mod report;
pub mod run_config;
pub mod run_folder;
pub mod scale;
pub mod schemas;
pub mod segments;
pub mod study;
pub mod sweep;
pub mod trajectories;
pub mod trials;
