//! Arbitration between behaviours after Petrovic, "Evolving automatons for distributed behavior arbitration" (NTNU 05/2005):
//! [`automaton`], the post-offices through which messages of modules pass, and [`cargo`], the world in which they deliver it.
//!
//! Units of the world of cargo are those of the document.

pub mod automaton;
pub mod cargo;
