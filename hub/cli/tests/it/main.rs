//! Tests of the programs as people use them: commands, real processes, records, and the shape of the workspace.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests tell figures")]

mod attack;
mod commands;
mod common;
mod evolution;
mod guests;
mod rig;
mod swarm;
mod watch;
