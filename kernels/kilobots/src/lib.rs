//! Kilobots that forage (thesis chapter 4): the robot as data, its world, and the tree that it runs.
//!
//! A Kilobot shares with the e-puck what trees are made of ([`xpuck_kernels::tree`]: one table of nodes, one text form, one
//! set of operators that breed them) and where numbers come from ([`xpuck_kernels::random`], [`xpuck_kernels::math`]). The world is another
//! one: no wheels with slip, no rays, no camera, but motors of vibration, messages that tell hops and distances, a
//! light sensor, two updates a second, and a count of food. A description that covers both would make every line of
//! [`xpuck_kernels::world`] ask which robot it is about, so each has its own world, as the loader of the world of cargo has.
//!
//! [`World`] is the definition; [`run()`] has sixteen worlds side by side in vector registers, made of the very functions
//! that define a robot's motion and senses, and gives the same bits.

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
pub use projector::{Light, PROJECTOR_INTERVAL, PROJECTOR_SAMPLES, light_of};
pub use robot::{Kilobot, Motors, STEP};
pub use run::{evaluate, fitness, run, run_reference};
pub use tick::Mind;
pub use world::{Heard, KilobotView, World};
