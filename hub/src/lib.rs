//! The hub: switchboard, geneserver, motion capture, virtual senses, recorder and console.
//!
//! [`switchboard`], [`geneserver`], [`virtual_senses`] and [`score`] decide and know no clock, socket or file;
//! [`service`] runs them.

pub mod admission;
pub mod calibrate;
pub mod catalogue;
pub mod complaints;
pub mod config;
pub mod console;
pub mod doctor;
pub mod evolution_file;
pub mod figure;
pub mod geneserver;
pub mod heap;
pub mod interrupt;
pub mod lifeline;
pub mod load;
pub mod machine_file;
pub mod markers;
pub mod measure;
pub mod memory;
pub mod microscope;
pub mod mocap;
pub mod observer;
pub mod plot;
pub mod recorder;
pub mod remeasure;
pub mod replay;
pub mod rivals;
pub mod robots_load;
pub mod roster;
pub mod score;
pub mod service;
pub mod study;
pub mod swarm;
pub mod sweep;
pub mod switchboard;
pub mod trails;
pub mod virtual_senses;
pub mod world_file;
