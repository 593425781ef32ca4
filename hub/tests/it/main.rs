//! Tests of the programs as people use them: commands, real processes, records, and the shape of the workspace.

mod arrows;
mod calibrate;
mod cli;
mod common;
mod demo;
mod docs;
mod evolve;
mod explain;
mod geneserver;
mod groot;
mod island;
mod killed;
mod lineage;
mod machines;
mod mocap;
mod picture;
mod remeasure;
mod resume;
mod runs;
mod stop;
mod sweep;
mod switchboard;
mod tree;
mod worlds;
