//! Robot simulator without its connections: a body with sensors and wheels, the network that controls it, and its
//! fitness.
//!
//! The module performs no input or output. It processes messages of a world simulator, and returns requests and
//! fitness values. [`task`] defines sensors and fitness, [`body`] the shape and motion, and [`score`] the fitness of
//! a step. [`life`] evaluates one individual, and [`fleet`] all individuals that share a connection to a world.
//! [`path`] records paths for plots.

pub mod body;
pub mod fleet;
pub mod life;
pub mod path;
pub mod score;
pub mod task;

#[cfg(test)]
mod tests;
