//! Deterministic simulation testing of the swarm: the cores of the hub and of nine robots in one thread, on a simulated
//! clock and network. Faults are injected, all drawn from a seed, and checkers say what must hold all the same.
//!
//! First anything may fail and nothing unsafe may happen; then every fault ends and the swarm must converge.

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
pub use transfer::{Transfer, TransferSettings, Way, transfer};

/// Robots in the swarm.
pub const ROBOTS: usize = 9;
/// One step of the simulation, ms.
pub const STEP: u32 = 10;
/// Exchanges with a robot's body and steps of the physics, ms apart.
pub const BODY_STEP: u32 = 25;

/// A robot's own file lets it drive without a hub for so long, ms.
const ALONE: u32 = 2_000;

/// Forged experiments and directives have numbers from here on, far above the hub's.
const FORGED: u64 = 1 << 62;

/// A robot's id.
fn id(robot: usize) -> &'static str {
    const IDS: [&str; ROBOTS] = ["xp01", "xp02", "xp03", "xp04", "xp05", "xp06", "xp07", "xp08", "xp09"];
    IDS[robot]
}

#[cfg(test)]
mod tests;
