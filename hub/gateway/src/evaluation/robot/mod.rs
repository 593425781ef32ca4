//! Decision part of the robot simulator: a body with sensors and wheels, the network that controls it, and its
//! fitness.
//!
//! Pure: the input is messages of a world simulator, the output is requests and fitness values. [`task`] defines
//! sensors and fitness, [`body`] the shape and motion, [`score`] the fitness of a step. [`life`] evaluates one
//! individual, [`fleet`] all individuals that share a connection to a world. [`path`] records paths for plots.

pub mod body;
pub mod fleet;
pub mod life;
pub mod path;
pub mod score;
pub mod task;

#[cfg(test)]
mod tests;
