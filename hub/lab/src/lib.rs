//! Science without robots: [`evolution_run`]s, [`sweep`]s, [`calibrate`]d simulation, [`ablation`], and their pictures.

pub mod ablation;
pub mod behaviour;
pub mod body_run;
pub mod calibrate;
pub mod cma;
pub mod curriculum_run;
mod eigen;
pub mod elsewhere;
pub mod engine;
pub mod evolution_run;
pub mod figure;
pub mod kilobot_run;
pub mod machine_file;
pub mod markers;
pub mod measure;
pub mod plot;
#[cfg(test)]
mod python;
pub mod remeasure;
pub mod report;
mod run_config;
mod run_folder;
pub mod scale;
pub mod schemas;
pub mod segments;
pub mod som;
pub mod statistics;
pub mod study;
pub mod sweep;
pub mod trajectories;
pub mod trials;
