//! Evolution, studies and pictures, without robots.

mod calibrate;
mod engines;
mod evolve;
mod explain;
mod films;
mod geneserver;
mod island;
mod killed;
mod lineage;
mod machines;
mod missions;
mod picture;
mod remeasure;
mod report;
mod resume;
mod robots;
mod runs;
mod simtest;
mod steps;
mod sweep;
mod tree;
