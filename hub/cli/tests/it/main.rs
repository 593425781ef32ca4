//! Tests of the programs from a user's view: commands, real processes and records, and the structure of the workspace.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests tell figures")]

mod attack;
mod commands;
mod common;
mod evolution;
mod guests;
mod rig;
mod swarm;
mod watch;
