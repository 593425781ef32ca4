//! Sweeps: the same evolution under several settings and many seeds, each run a process of its own, and what came out
//! as tables, curves and statistics.
//!
//! [`mod@file`] and [`point`] say what to run, [`folder`] keeps it, [`schedule`] runs it through [`evolution`], and
//! [`collect`] writes what came out: [`table_files`], [`figure`] of [`curves`], [`summary`], [`best`], [`printed`] and
//! [`page`].

pub mod best;
pub mod collect;
pub mod curves;
pub mod evolution;
pub mod figure;
pub mod file;
pub mod folder;
pub mod page;
pub mod point;
pub mod printed;
pub mod problem;
pub mod schedule;
pub mod summary;
pub mod table_files;

pub use file::Sweep;
pub use point::Point;
