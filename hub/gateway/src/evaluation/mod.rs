//! Evaluation of genomes from other programs. Implements the line protocol between population managers, robot
//! simulators and world simulators.
//!
//! The specification is "Evolving Robots In A Simulated World: Specification Of A Communication Protocol". Section
//! numbers in comments refer to it. [`lines`] splits the byte stream of a connection into lines, and [`message`]
//! reads and writes the messages. [`parameters`] and [`individual`] define the meaning of a genome's numbers.
//! [`body`] defines the shape of a robot, and [`place`] its pose.

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
