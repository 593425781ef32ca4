//! Tests of the programs as people use them: commands, real processes, records, and the shape of the workspace.

mod arrows;
mod calibrate;
mod cli;
mod common;
mod demo;
mod docs;
mod explain;
mod groot;
mod machines;
mod picture;
mod switchboard;
mod tree;
mod worlds;
