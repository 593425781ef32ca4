//! Deterministic simulation testing of the swarm. The cores of the hub and of nine robots run in one thread, on a
//! simulated clock and network. All faults are drawn from a seed, and checkers verify the invariants.
//!
//! In the first part of a run, faults occur, and no invariant may be violated. Then all faults end, and the swarm
//! must converge.

mod campaign;
mod checkers;
mod disk;
mod hub;
mod island;
mod mutants;
mod network;
mod plan;
mod robot;
mod run;
mod text;
mod transfer;
mod trials;

pub use campaign::{Campaign, campaign};
pub use checkers::Violation;
pub use mutants::Mutant;
pub use run::{Outcome, Settings, run};
pub use transfer::{GenePath, Transfer, TransferSettings, transfer};

/// Number of robots in the swarm.
pub const ROBOTS: usize = 9;
/// Step of the simulation (ms).
pub const STEP: u32 = 10;
/// Interval of exchanges with a robot's body and of physics steps (ms).
pub const BODY_STEP: u32 = 25;

/// Time for which each robot's own file allows the robot to drive without a hub (ms).
const ALONE: u32 = 2_000;

/// Lowest number that identifies a forged experiment or directive. The hub itself uses only much lower numbers.
const FORGED: u64 = 1 << 62;

/// Returns the id of the robot with this index.
fn id(robot: usize) -> &'static str {
    const IDS: [&str; ROBOTS] = ["xp01", "xp02", "xp03", "xp04", "xp05", "xp06", "xp07", "xp08", "xp09"];
    IDS[robot]
}

#[cfg(test)]
mod tests;
