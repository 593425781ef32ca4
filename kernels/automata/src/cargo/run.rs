//! One run of a controller in a world.

use super::controller::{Arbitration, Controller, Usages};
use super::motion::Pose;
use super::plant::{Plant, Prepared};
use super::scene::TICK;
use super::tally::{Tally, Weights};
use xpuck_kernels::random::{Draws, Stream};

/// Longest run, ms.
pub const MAX_TIME: u32 = 3_600_000;

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The world.
    pub world: &'a Prepared,
    /// What counts.
    pub weights: &'a Weights,
    /// Number of the start, of those in the world in turn.
    pub start: usize,
    /// Number of the run from that start: another gets other random numbers.
    pub repeat: u32,
    /// How long it goes on, ms, at most [`MAX_TIME`].
    pub time: u32,
    /// Of all random numbers.
    pub seed: u64,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What happened.
    pub tally: Tally,
    /// What it is worth.
    pub score: f64,
    /// What of the automata was entered; nothing of a tree.
    pub usages: Usages,
}

/// Least scores at times (ms, in order) below which a run is given up.
pub type Checkpoints<'a> = &'a [(u32, f64)];

/// Runs a controller.
pub fn run<'a>(arbitration: impl Into<Arbitration<'a>>, setup: &Setup, checkpoints: Checkpoints) -> Outcome {
    watch(arbitration, setup, checkpoints, |_, _, _| {})
}

/// Runs a controller; `see` is told time (ms), pose and tally at each tick at which something happens.
pub fn watch<'a>(
    arbitration: impl Into<Arbitration<'a>>,
    setup: &Setup,
    mut checkpoints: Checkpoints,
    mut see: impl FnMut(u32, Pose, &Tally),
) -> Outcome {
    let draws = |stream| Draws::new(setup.seed, setup.start as u32, setup.repeat, 0, stream);
    let mut plant = Plant::new(setup.world, setup.start, setup.weights.only_after_load, draws(Stream::Motion));
    let mut controller = Controller::new(arbitration.into(), draws(Stream::Controller));
    let end = setup.time.min(MAX_TIME) / TICK * TICK;
    let mut now = 0;
    controller.tick(now, &mut plant);
    while now < end {
        let next = plant.next().min(controller.next()).min(end);
        // The program looks at ticks only, and never twice at the same.
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
