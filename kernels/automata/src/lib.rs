//! Arbitration between behaviours after Petrovic, "Evolving automatons for distributed behavior arbitration" (NTNU
//! 05/2005).
//!
//! [`automaton`] implements the post-offices. A post-office filters the messages of one module. [`cargo`] implements
//! the world in which robots deliver cargo, in the units of the report.

pub mod automaton;
pub mod cargo;
