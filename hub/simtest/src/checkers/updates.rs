//! Checker of recorded control updates. It repeats each recorded tick, and the results must be identical bit by bit.

use super::Fault;
use crate::{ROBOTS, id};
use std::collections::BTreeMap;
use xpuck_hub_core::verify::TickVerifier;
use xpuck_wire::updates::Updates;

const TRUE: &str = "recorded control updates are reproduced bit for bit";
/// Number of runs whose control updates are checked. Updates of older runs no longer arrive.
const RUNS: usize = 8;

/// Checker that repeats recorded ticks.
#[derive(Debug, Default)]
pub struct UpdateChecker {
    /// Verifiers by run number.
    runs: BTreeMap<u64, TickVerifier>,
    pub(super) fault: Fault,
}

impl UpdateChecker {
    /// Handles the number and seed of a run, which the hub sends to a robot.
    pub(super) fn on_run_sent(&mut self, run: u64, seed: u64) {
        self.runs.entry(run).or_insert_with(|| TickVerifier::new(seed));
        while self.runs.len() > RUNS {
            self.runs.pop_first();
        }
    }

    /// Checks a recorded batch of control updates. Batches of dropped runs are ignored.
    pub(super) fn recorded(&mut self, now: u32, robot: &str, updates: &Updates) {
        let island = (0..ROBOTS).find(|robot_at| id(*robot_at) == robot).map(|place| place as u16 + 1);
        let (Some(verifier), Some(island)) = (self.runs.get_mut(&updates.run), island) else { return };
        if let Err(error) = verifier.verify_batch(robot, island, updates) {
            self.fault.say(now, TRUE, robot, error);
        }
        if let Some(first) = verifier.first() {
            self.fault.say(now, TRUE, robot, format!("{first:?}"));
        }
    }

    /// Returns the number of repeated ticks in the last runs.
    pub fn ticks(&self) -> u64 {
        self.runs.values().flat_map(|run| run.robots().into_values()).map(|counts| counts.ticks).sum()
    }
}
