//! Runs of a controller in a cargo world.

use super::controller::{Arbitration, Controller, Usages};
use super::motion::Pose;
use super::plant::{PreparedScene, World};
use super::scene::TICK;
use super::tally::{Tally, Weights};
use xpuck_kernels::random::{Draws, Stream};

/// Maximum duration of a run (ms).
pub const MAX_TIME: u32 = 3_600_000;

/// Settings of a run.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// World in which the controller runs.
    pub world: &'a PreparedScene,
    /// Score weights.
    pub weights: &'a Weights,
    /// Index of the start pose. An index beyond the last start pose of the world wraps around to the first.
    pub start: usize,
    /// Index of the run among the runs from this start pose. Runs with different indices draw different random numbers.
    pub repeat: u32,
    /// Duration (ms), at most [`MAX_TIME`].
    pub time: u32,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Measured counts and durations.
    pub tally: Tally,
    /// Score of the run, computed from `tally`.
    pub score: f64,
    /// Automaton states and transitions that the run has used; empty for a tree.
    pub usages: Usages,
}

/// Pairs of a time (ms) and a minimum score, in ascending order of time. A run is aborted at the first of these times
/// at which its score is below the minimum.
pub type Checkpoints<'a> = &'a [(u32, f64)];

/// Runs a controller in a world and returns the outcome.
pub fn run<'a>(arbitration: impl Into<Arbitration<'a>>, setup: &Setup, checkpoints: Checkpoints) -> Outcome {
    run_observed(arbitration, setup, checkpoints, |_, _, _| {})
}

/// Runs a controller and returns the outcome. Calls `see` at each tick at which an event is due, with the time (ms),
/// the pose and the tally.
pub fn run_observed<'a>(
    arbitration: impl Into<Arbitration<'a>>,
    setup: &Setup,
    mut checkpoints: Checkpoints,
    mut see: impl FnMut(u32, Pose, &Tally),
) -> Outcome {
    let draws = |stream| Draws::new(setup.seed, setup.start as u32, setup.repeat, 0, stream);
    let mut plant = World::new(setup.world, setup.start, setup.weights.only_after_load, draws(Stream::Motion));
    let mut controller = Controller::new(arbitration.into(), draws(Stream::Controller));
    let end = setup.time.min(MAX_TIME) / TICK * TICK;
    let mut now = 0;
    controller.tick(now, &mut plant);
    while now < end {
        let next = plant.next().min(controller.next()).min(end);
        // The robot's program runs only at ticks, and at most once per tick.
        now = next.div_ceil(TICK).max(now / TICK + 1) * TICK;
        plant.advance(now);
        see(now, plant.pose(), plant.tally());
        controller.tick(now, &mut plant);
        while let Some((&(time, least), rest)) = checkpoints.split_first()
            && time <= now
        {
            checkpoints = rest;
            if setup.weights.score(plant.tally()) < least {
                now = end;
            }
        }
    }
    let tally = *plant.tally();
    Outcome { tally, score: setup.weights.score(&tally), usages: controller.usages() }
}
