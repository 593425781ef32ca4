//! Evolution of automata and of trees in their place, which arbitrate between behaviours in worlds of cargo, after Petrovic,
//! "Evolving automatons for distributed behavior arbitration" (NTNU 05/2005).
//!
//! [`scenario`] is a file of steps and how they run, [`automata`] and [`arbiters`] what evolves, [`curriculum_run`] a run with its
//! folder and pictures.

pub mod arbiters;
pub mod automata;
pub mod curriculum_run;
pub mod scenario;
