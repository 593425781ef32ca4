//! Sweeps: the same evolution under several settings and many seeds. Each run has its own process. The results are
//! tables, curves and statistics.
//!
//! [`mod@file`] and [`point`] define the runs, [`folder`] stores them, and [`schedule`] executes them through
//! [`evolution`]. Runs are executed locally, or as jobs of [`slurm`] on many machines. [`selection`] selects the runs of
//! each job. [`missing`] lists unfinished runs, and [`collect`] writes the results: [`table_files`], [`figure`] of
//! [`curves`], [`heatmap`], [`summary`], [`best`], [`printed`] and [`page`].

pub mod best;
pub mod collect;
pub mod curves;
pub mod ending;
pub mod evolution;
pub mod figure;
pub mod file;
pub mod folder;
pub mod heatmap;
mod in_process;
pub(crate) mod lock;
pub mod missing;
pub mod page;
pub mod point;
pub(crate) mod points;
pub mod printed;
pub mod problem;
pub mod schedule;
pub mod selection;
pub mod slurm;
pub mod summary;
pub mod table_files;

pub use file::Sweep;
pub use point::Point;
