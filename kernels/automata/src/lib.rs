//! Arbitration between behaviours after Petrovic, "Evolving automatons for distributed behavior arbitration" (NTNU
//! 05/2005).
//!
//! [`automaton`] implements the post-offices, which filter the messages of modules. [`cargo`] implements the world in
//! which robots deliver cargo. The cargo world uses the units of the report.

pub mod automaton;
pub mod cargo;
