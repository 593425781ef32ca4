//! The operator's commands, one file each.

pub mod algebra;
pub mod arena;
pub mod bench;
pub mod bench_geneserver;
pub mod calibrate;
pub mod calibrate_record;
pub mod check;
pub mod demo;
pub mod engine;
pub mod evolve;
pub mod explain;
pub mod geneserver;
pub mod hub;
pub mod island;
pub mod lineage;
pub mod machines;
pub mod markers;
pub mod mix;
pub mod operator;
pub mod picture;
pub mod remeasure;
pub mod simulate;
pub mod sweep;
pub mod tree;
pub mod world;
