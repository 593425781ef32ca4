//! Evaluation of foreign genomes: the lines that population managers, robot simulators and world simulators exchange.
//!
//! After "Evolving Robots In A Simulated World: Specification Of A Communication Protocol", whose sections are cited. [`lines`] cuts
//! what a connection delivers into lines, [`message`] reads and writes them; [`parameters`] and [`individual`] say what a
//! genome's numbers mean, [`body`] what a robot looks like, [`place`] where it is.

pub mod body;
mod connections;
mod error;
pub mod individual;
pub mod lines;
pub mod message;
pub mod network;
mod number;
pub mod parameters;
mod parse;
pub mod place;
pub mod population;
mod random;
mod reader;
pub mod robot;
pub mod robot_server;
pub mod server;
mod stream;
pub mod tree;
mod visit;
pub mod world;
mod write;

#[cfg(test)]
mod mutations;
#[cfg(test)]
mod tests;
