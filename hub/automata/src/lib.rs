//! Evolution of automata or trees that arbitrate between behaviours in cargo worlds, after Petrovic, "Evolving
//! automatons for distributed behavior arbitration" (NTNU 05/2005).
//!
//! [`scenario`] contains the curriculum files and their steps. [`automata`] and [`arbiters`] contain the genomes.
//! [`curriculum_run`] executes a run, and contains its folder and pictures.

pub mod arbiters;
pub mod automata;
pub mod curriculum_run;
pub mod scenario;
