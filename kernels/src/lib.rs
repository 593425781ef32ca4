//! The mind and the world: behaviour trees, the robot reference model, physics, senses, tasks and fitness,
//! and the engines that run many worlds at once.
//!
//! Nothing here knows files, sockets, clocks or a real robot. The same seed gives the same digits for any
//! number of threads: randomness is a function of (seed, world, body, step, stream), and the transcendental
//! functions are our own, so that no platform's libm can change a result.
//!
//! Units: metres, seconds, kilograms, radians. Robot frame: x forward, y left. World frame: origin at the arena's centre.

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
