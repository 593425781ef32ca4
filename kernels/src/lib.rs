//! Behaviour trees, the robot reference model, physics, senses, tasks, fitness, and the engines that run many worlds
//! in parallel.
//!
//! This crate does not access files, sockets, clocks or real robots. Results are bitwise reproducible for a given
//! seed, independent of the number of threads, because randomness is a function of (seed, world, body, step, stream).
//! The crate has its own transcendental functions, so results do not depend on the platform's libm.
//!
//! Units: metres, seconds, kilograms, radians. Robot frame: x forward, y left. World frame: origin at the arena's
//! centre.

#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports, reason = "only the GPU engine uses these items"))]

pub mod analysis;
pub mod engine;
pub mod estimate;
pub mod fonts;
pub mod hash;
pub mod markup;
pub mod math;
pub mod model;
pub mod random;
pub mod tree;
pub mod world;
