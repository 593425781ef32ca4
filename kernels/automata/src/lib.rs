//! Arbitration between behaviours after Petrovic, "Evolving automatons for distributed behavior arbitration" (NTNU
//! 05/2005): [`automaton`], the post-offices that filter the messages of modules, and [`cargo`], the world in which
//! robots deliver cargo.
//!
//! The cargo world uses the units of the report.

pub mod automaton;
pub mod cargo;
