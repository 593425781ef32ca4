//! Cargo delivery after Petrovic, "Evolving automatons for distributed behavior arbitration" (NTNU 05/2005): a robot
//! with a lifting fork finds the line under the lamp that is on, and follows the line to a station. There it loads or
//! unloads, and continues to the other line.
//!
//! [`Scene`] is a world file. [`run()`] simulates a controller, which consists of the report's modules and a
//! post-office ([`crate::automaton`]) for some of them. An [`Arbiter`] is a behaviour tree that replaces the
//! post-offices.

mod account;
mod arbiter;
mod batch;
mod check;
mod controller;
mod fork;
mod geometry;
mod hand_made;
mod light;
mod modules;
mod motion;
mod plant;
mod printed;
mod run;
mod scene;
mod tally;

pub use account::account;
pub use arbiter::{Arbiter, Behaviour};
pub use batch::{ControllerScores, Outcomes, ScriptTimes, Trials, evaluate, evaluate_all, score_runs};
pub use controller::{Arbitration, ControllerAutomata, Usages};
pub use geometry::Rect;
pub use hand_made::hand_made_automata;
pub use motion::Pose;
pub use plant::{PreparedScene, Senses};
pub use printed::published_scene;
pub use run::{Checkpoints, MAX_TIME, Outcome, Setup, run, run_observed};
pub use scene::{
    Activation, Area, Body, Command, FLOOR, Lamp, Line, MAX_ENTRIES, Noise, Scene, Start, TICK, TimeEvent,
};
pub use tally::{COUNTED_SCRIPTS, Tally, Weights};
