//! Foraging Kilobots (thesis chapter 4): the robot as data, its world, and the tree that it runs.
//!
//! Kilobot and e-puck share the implementation of trees ([`xpuck_kernels::tree`]) with one table of nodes, one text
//! form and one set of genetic operators. Both also share random numbers and mathematical functions
//! ([`xpuck_kernels::random`], [`xpuck_kernels::math`]).
//!
//! The worlds differ. A Kilobot has no wheels with slip, no ray sensors and no camera. It has vibration motors,
//! messages with hop counts and distances, a light sensor, two updates per second, and a food count. A combined model
//! would need case distinctions throughout [`xpuck_kernels::world`]. Therefore each robot has its own world.
//!
//! [`World`] is the reference implementation. [`run()`] simulates sixteen worlds side by side in vector registers. It
//! uses the same functions for motion and senses, so its results are bit-identical.

mod c_table;
mod foraging;
mod job;
mod lanes;
mod motion;
mod program;
mod projector;
mod robot;
mod run;
mod senses;
mod tick;
mod world;

pub use foraging::{Foraging, MAX_KILOBOTS};
pub use job::{Job, Outcome};
pub use program::{KilobotError, LEVEL_BYTES, Program, STACK_BYTES, TREE_BYTES, Usage};
pub use projector::{Light, PROJECTOR_INTERVAL, PROJECTOR_SAMPLES, classify_light};
pub use robot::{Kilobot, Motors, STEP};
pub use run::{evaluate, fitness, run, run_reference};
pub use tick::ControllerState;
pub use world::{KilobotView, ReceivedMessage, World};
