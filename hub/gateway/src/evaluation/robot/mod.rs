//! The robot simulator's part that decides: a body with sensors and wheels, a network that drives it, and what it is worth.
//!
//! Pure: messages of a world simulator go in, requests and fitness values come out. [`task`] says what is measured, [`body`] what
//! the robot looks like and how it moves, [`score`] what a step is worth, [`life`] is the evaluation of one individual, and
//! [`fleet`] all those that share a connection to a world, and [`path`] drives some for a picture.

pub mod body;
pub mod fleet;
pub mod life;
pub mod path;
pub mod score;
pub mod task;

#[cfg(test)]
mod tests;
