//! Evaluation of foreign genomes: the lines that population managers, robot simulators and world simulators exchange.
//!
//! After "Evolving Robots In A Simulated World: Specification Of A Communication Protocol", whose sections are cited. [`lines`] cuts
//! what a connection delivers into lines, [`message`] reads and writes them; [`parameters`] and [`individual`] say what a
//! genome's numbers mean, [`body`] what a robot looks like, [`place`] where it is.

pub mod body;
mod error;
pub mod individual;
pub mod lines;
pub mod message;
mod number;
pub mod parameters;
mod parse;
pub mod place;
mod reader;
pub mod server;
pub mod world;
mod write;

#[cfg(test)]
mod mutations;
#[cfg(test)]
mod tests;
