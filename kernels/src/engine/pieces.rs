//! Simulations in pieces. A job is simulated up to some update, and goes on later if its result so far is worth it.

use super::{Engine, Job, Outcome};
use crate::model::CONTROL_PERIOD;
use crate::tree::Program;
use std::any::Any;
use std::sync::Arc;

/// Piece of a job. It begins where the earlier pieces ended, and ends after update `job.updates`.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    /// The job up to the end of the piece.
    pub job: Job<'a>,
    /// The world at the end of the earlier pieces; `None` for the first piece.
    pub from: Option<Suspended>,
}

impl Piece<'_> {
    /// Returns the number of updates before the piece.
    pub fn done(&self) -> u32 {
        self.from.as_ref().map_or(0, |from| from.updates)
    }

    /// Returns the simulated time before the piece (robot-seconds).
    pub(super) fn robot_seconds_done(&self) -> f64 {
        f64::from(self.done()) * self.job.spec.robots as f64 * f64::from(CONTROL_PERIOD)
    }

    /// Checks that the suspended world is an earlier state of the job.
    ///
    /// # Panics
    /// If it belongs to another job, or is later than the end of the piece.
    pub(super) fn check(&self) {
        let Some(from) = &self.from else { return };
        assert_eq!(from.of, identity(&self.job), "the suspended world belongs to the job");
        assert!(from.updates <= self.job.updates, "a piece ends after it begins");
    }
}

/// World that was simulated in part. The engine that suspended it goes on from there. Other engines simulate the job
/// from its start, with the same outcome.
#[derive(Clone, Debug)]
pub struct Suspended {
    of: (u64, u32, usize),
    updates: u32,
    /// State of the worlds of a block, in a type of the engine, and the lane of this world. `None` if the engine cannot keep
    /// worlds.
    state: Option<(Arc<dyn Any + Send + Sync>, usize)>,
}

impl Suspended {
    pub(super) fn new(job: &Job<'_>, state: Option<(Arc<dyn Any + Send + Sync>, usize)>) -> Suspended {
        Suspended { of: identity(job), updates: job.updates, state }
    }

    /// Returns the state and the lane, if the state has this type.
    pub(super) fn state<T: Any>(&self) -> Option<(&T, usize)> {
        let (state, lane) = self.state.as_ref()?;
        Some((state.downcast_ref()?, *lane))
    }

    /// Returns the number of updates that were simulated.
    pub fn updates(&self) -> u32 {
        self.updates
    }
}

fn identity(job: &Job<'_>) -> (u64, u32, usize) {
    (job.seed, job.world, job.start)
}

/// Performs [`Engine::advance`] for an engine that cannot keep worlds: simulates all jobs from their start.
pub(super) fn replay(
    engine: &(impl Engine + ?Sized),
    programs: &[Program],
    pieces: &[Piece<'_>],
) -> Vec<(Outcome, Suspended)> {
    pieces.iter().for_each(Piece::check);
    let jobs: Vec<Job<'_>> = pieces.iter().map(|piece| piece.job.clone()).collect();
    let outcomes = engine.run(programs, &jobs);
    outcomes.into_iter().zip(&jobs).map(|(outcome, job)| (outcome, Suspended::new(job, None))).collect()
}
