//! Tests of the programs as people use them: commands, real processes, records, and the shape of the workspace.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests tell figures")]

mod arena_page;
mod arrows;
mod attack;
mod calibrate;
mod circles;
mod cli;
mod clock;
mod common;
mod demo;
mod docs;
mod doubles;
mod engines;
mod evolve;
mod experiments;
mod explain;
mod geneserver;
mod groot;
mod hostile;
mod hub_page;
mod island;
mod keys;
mod killed;
mod lab;
mod lineage;
mod machines;
mod memory;
mod mocap;
mod natnet;
mod output;
mod picture;
mod records;
mod remeasure;
mod resume;
mod runs;
mod senses;
mod simtest;
mod stop;
mod stopped;
mod sweep;
mod switchboard;
mod tree;
mod watched;
mod worlds;
