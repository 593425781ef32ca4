//! Evaluation of bodies by the distance that they travel.

use crate::physics::Pose;
use crate::robot::{EvaluationConditions, Robot};
use crate::{BodyError, Brain, Plan};

/// Number of steps per evaluation in the fitness curves that pyro-corpus publishes (41.7 s of simulated time).
pub const STEPS: u32 = 10_000;

/// Returns the fitness of a body: the y coordinate of the root's centre after `steps` steps (m). The fitness is
/// finite.
///
/// # Errors
/// Returns an error if the brain does not fit the body.
pub fn evaluate(plan: &Plan, brain: &Brain, trial: EvaluationConditions, steps: u32) -> Result<f64, BodyError> {
    let mut robot = Robot::new(plan, brain, trial)?;
    for _ in 0..steps {
        robot.step();
    }
    Ok(robot.simulator().position()[1])
}

/// Distance travelled by a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// y coordinate of the root's centre (m), as returned by [`evaluate`].
    pub root: f64,
    /// Change of the y coordinate of the rearmost part between start and end (m). A different part may be rearmost at
    /// the end. A body that only falls over hardly increases this distance, because its feet stay in place.
    pub rearmost: f64,
}

impl Distance {
    /// Returns the smaller of the two distances (m).
    pub fn walked(self) -> f64 {
        self.root.min(self.rearmost)
    }
}

/// Runs a robot for at most `steps` steps. Returns the distance and the number of steps that were run.
///
/// Once per `every` steps, `goes_on` receives the step count and the current distance. If `goes_on` returns `false`,
/// the run stops. An `every` of 0 counts as 1.
pub fn walk(
    robot: &mut Robot,
    steps: u32,
    every: u32,
    mut goes_on: impl FnMut(u32, Distance) -> bool,
) -> (Distance, u32) {
    let before = robot.rearmost_y();
    let so_far =
        |robot: &Robot| Distance { root: robot.simulator().position()[1], rearmost: robot.rearmost_y() - before };
    for step in 1..=steps {
        robot.step();
        if step.is_multiple_of(every.max(1)) && !goes_on(step, so_far(robot)) {
            return (so_far(robot), step);
        }
    }
    (so_far(robot), steps)
}

/// Returns the positions of the root's centre (m), one position per `every` steps. An `every` of 0 counts as 1.
///
/// # Errors
/// Returns an error if the brain does not fit the body.
pub fn path(
    plan: &Plan,
    brain: &Brain,
    trial: EvaluationConditions,
    steps: u32,
    every: u32,
) -> Result<Vec<[f64; 3]>, BodyError> {
    observed(plan, brain, trial, steps, every, |robot| robot.simulator().position())
}

/// Returns the poses of all parts for a replay, once per `every` steps. An `every` of 0 counts as 1.
///
/// # Errors
/// Returns an error if the brain does not fit the body.
pub fn frames(
    plan: &Plan,
    brain: &Brain,
    trial: EvaluationConditions,
    steps: u32,
    every: u32,
) -> Result<Vec<Vec<Pose>>, BodyError> {
    observed(plan, brain, trial, steps, every, |robot| robot.simulator().poses())
}

/// Runs a robot for `steps` steps and calls `look` after each step, with the step number (from 1) and the robot.
///
/// # Errors
/// Returns an error if the brain does not fit the body.
pub fn watch(
    plan: &Plan,
    brain: &Brain,
    trial: EvaluationConditions,
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
    trial: EvaluationConditions,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::Start;
    use crate::{Prif, Rhythm};
    use xpuck_kernels::random::{Draws, Stream};

    const TRIAL: EvaluationConditions = EvaluationConditions { rhythm: Rhythm::AsPublished, start: Start::OnGround };

    fn creature(text: &str, seed: u64) -> (Plan, Brain) {
        let plan = Plan::new(&Prif::parse(text).unwrap()).unwrap();
        let brain = Brain::random(&plan, &mut Draws::new(seed, 0, 0, 0, Stream::Evolution));
        (plan, brain)
    }

    /// The falling tower moves its root by more than 8 m, although the body has not walked.
    #[test]
    fn falling_tower_gets_no_walking_distance() {
        let tower =
            "(CPG(0), [FRONT, 1, Y], {BOTTOM: (F(1), [BOTTOM, 12, X], None), RIGHT: (F(2), [RIGHT, 6, X], None)})";
        let (plan, brain) = creature(tower, 1);
        let mut robot = Robot::new(&plan, &brain, TRIAL).unwrap();
        let (fallen, steps) = walk(&mut robot, 2400, 2400, |_, _| true);
        assert_eq!(steps, 2400);
        assert_eq!(fallen.root, evaluate(&plan, &brain, TRIAL, 2400).unwrap());
        assert!(fallen.root > 8.0 && fallen.rearmost < 2.0 && fallen.walked() == fallen.rearmost, "{fallen:?}");
    }

    #[test]
    fn observer_ends_walk() {
        let (plan, brain) = creature("(CPG(0), [FRONT, 1, Y], {LEFT: (S(1), [LEFT, 2, X], None)})", 3);
        let mut seen = Vec::new();
        let mut robot = Robot::new(&plan, &brain, TRIAL).unwrap();
        let (ended, steps) = walk(&mut robot, 1000, 50, |step, way| {
            seen.push((step, way));
            step < 200
        });
        assert_eq!((seen.len(), steps), (4, 200));
        assert_eq!(seen[3], (200, ended));
        assert_eq!(ended.root, evaluate(&plan, &brain, TRIAL, 200).unwrap());
    }
}
