//! How far a body gets.

use crate::physics::Pose;
use crate::robot::{Robot, Trial};
use crate::{BodyError, Brain, Plan};

/// Steps of an evaluation behind pyro-corpus's curves: 41.7 s.
pub const STEPS: u32 = 10_000;

/// The fitness of a body: y of the root's centre after `steps` steps, metres. It is a finite number.
///
/// # Errors
/// The brain does not fit the body.
pub fn evaluate(plan: &Plan, brain: &Brain, trial: Trial, steps: u32) -> Result<f64, BodyError> {
    let mut robot = Robot::new(plan, brain, trial)?;
    for _ in 0..steps {
        robot.step();
    }
    Ok(robot.simulator().position()[1])
}

/// How far a body has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// y of the root's centre, m: what [`evaluate`] says.
    pub root: f64,
    /// How far the centre of the rearmost part, whichever that is, has moved along y, m. A body that falls over leaves its feet
    /// where they were; one that walks takes all its parts along.
    pub rearmost: f64,
}

impl Way {
    /// The lesser of the two.
    pub fn walked(self) -> f64 {
        self.root.min(self.rearmost)
    }
}

/// The way of a body in `steps` steps, or in fewer: after each of them `goes_on` hears how many were made and y of the root.
///
/// # Errors
/// The brain does not fit the body.
pub fn way(
    plan: &Plan,
    brain: &Brain,
    trial: Trial,
    steps: u32,
    mut goes_on: impl FnMut(u32, f64) -> bool,
) -> Result<Way, BodyError> {
    let mut robot = Robot::new(plan, brain, trial)?;
    let rear =
        |robot: &Robot| robot.simulator().poses().iter().map(|pose| pose.position[1]).fold(f64::INFINITY, f64::min);
    let before = rear(&robot);
    for step in 1..=steps {
        robot.step();
        if !goes_on(step, robot.simulator().position()[1]) {
            break;
        }
    }
    Ok(Way { root: robot.simulator().position()[1], rearmost: rear(&robot) - before })
}

/// The way of the root's centre: its place after each `every`-th step (at least 1), metres.
///
/// # Errors
/// The brain does not fit the body.
pub fn path(plan: &Plan, brain: &Brain, trial: Trial, steps: u32, every: u32) -> Result<Vec<[f64; 3]>, BodyError> {
    observed(plan, brain, trial, steps, every, |robot| robot.simulator().position())
}

/// A walk for a replay: the poses of all parts after each `every`-th step (at least 1).
///
/// # Errors
/// The brain does not fit the body.
pub fn frames(plan: &Plan, brain: &Brain, trial: Trial, steps: u32, every: u32) -> Result<Vec<Vec<Pose>>, BodyError> {
    observed(plan, brain, trial, steps, every, |robot| robot.simulator().poses())
}

/// A walk that is looked at after each step, which are counted from 1.
///
/// # Errors
/// The brain does not fit the body.
pub fn watch(
    plan: &Plan,
    brain: &Brain,
    trial: Trial,
    steps: u32,
    mut look: impl FnMut(u32, &Robot),
) -> Result<(), BodyError> {
    let mut robot = Robot::new(plan, brain, trial)?;
    for step in 1..=steps {
        robot.step();
        look(step, &robot);
    }
    Ok(())
}

fn observed<T>(
    plan: &Plan,
    brain: &Brain,
    trial: Trial,
    steps: u32,
    every: u32,
    look: impl Fn(&Robot) -> T,
) -> Result<Vec<T>, BodyError> {
    let mut seen = Vec::new();
    watch(plan, brain, trial, steps, |step, robot| {
        if step % every.max(1) == 0 {
            seen.push(look(robot));
        }
    })?;
    Ok(seen)
}
