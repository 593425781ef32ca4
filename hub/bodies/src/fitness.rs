//! Fitness of bodies.

use super::creature::Creature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_bodies::{Distance, EvaluationConditions, Plan, Robot, walk};

/// Definition of the fitness of a body: a distance along y (m).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Distance of the whole body. It is the y of the root, or the distance of the rearmost part if this is smaller.
    /// A tower that falls over therefore gains nothing.
    #[default]
    Walked,
    /// Distance of the root along y, as in pyro-corpus.
    Root,
}

/// Fitness function of bodies, which simulates a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitness {
    /// Definition of the fitness.
    pub measure: Measure,
    /// Start position and rhythm.
    pub trial: EvaluationConditions,
    /// Number of steps of an evaluation.
    pub steps: u32,
    /// Whether an evaluation is aborted when the body is too slow to survive.
    pub early: bool,
    /// Whether a body that would become the best is evaluated a second time.
    pub twice: bool,
}

/// Result of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// Fitness (m).
    pub fitness: f64,
    /// Number of simulated steps.
    pub steps: u32,
}

/// Number of checks in an evaluation, at which the evaluation of a slow body is aborted. The first check never aborts.
const CHECKS: u32 = 40;
/// Minimum distance at a check, as a share of the distance that a walk at constant speed to the hurdle has reached at
/// that time. The share rises from the first to the second value during an evaluation. `SLACK` (m) is subtracted from
/// the minimum, because not all bodies walk evenly.
const SHARES: [f64; 2] = [0.6, 0.95];
const SLACK: f64 = 1.0;
/// Ratio of the steps of an evaluation to the steps of a heat, the short walk by which founders are selected.
pub const HEAT_RATIO: u32 = 20;
/// Difference in start height between the second walk and the first walk of a body (m).
const LIFT: f64 = 0.001;

impl Fitness {
    /// Evaluates a creature. `hurdle` is the fitness that the creature must exceed to survive (m); `None` if every
    /// fitness is sufficient. If the creature is too slow, the evaluation is aborted, and the fitness is the distance
    /// so far, which is below `hurdle`. The fitness of an invalid creature is negative infinity.
    pub fn evaluate(&self, creature: &Creature, hurdle: Option<f64>) -> Evaluation {
        let hurdle = hurdle.filter(|hurdle| self.early && *hurdle > 0.0);
        self.walk(creature, 0.0, self.steps, |step, fitness| {
            let Some(hurdle) = hurdle else { return true };
            let passed = f64::from(step) / f64::from(self.steps);
            let [first, last] = SHARES;
            let waits = step < 2 * self.every() || step == self.steps;
            waits || fitness >= (first + (last - first) * passed) * passed * hurdle - SLACK
        })
    }

    /// Evaluates a founder in a heat, a walk with fewer steps than an evaluation.
    pub fn preliminary(&self, creature: &Creature) -> Evaluation {
        self.walk(creature, 0.0, (self.steps / HEAT_RATIO).max(1), |_, _| true)
    }

    /// Evaluates a creature from a slightly higher start. The result is similar to that of the first walk, unless the
    /// walk depends on rounding errors.
    pub fn second_walk(&self, creature: &Creature) -> Evaluation {
        self.walk(creature, LIFT, self.steps, |_, _| true)
    }

    /// Returns the number of steps between two checks.
    fn every(&self) -> u32 {
        (self.steps / CHECKS).max(1)
    }

    fn walk(
        &self,
        creature: &Creature,
        lift: f64,
        steps: u32,
        mut goes_on: impl FnMut(u32, f64) -> bool,
    ) -> Evaluation {
        let nothing = Evaluation { fitness: f64::NEG_INFINITY, steps };
        let Ok(plan) = Plan::new(&creature.prif) else { return nothing };
        let Ok(robot) = Robot::new(&plan, &creature.brain, self.trial) else { return nothing };
        let every = self.every();
        let of = |way: Distance| match self.measure {
            Measure::Walked => way.walked(),
            Measure::Root => way.root,
        };
        let (way, steps) = walk(&mut robot.raised(lift), steps, every, |step, way| goes_on(step, of(way)));
        Evaluation { fitness: of(way), steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use xpuck_evolve::families::Species;
    use xpuck_kernels::random::{Draws, Stream};

    #[test]
    fn abandoned_bodies_score_below_survivors() {
        let config = Config { steps: 400, ..Config::default() };
        let (creatures, fitness) = (config.creatures(), config.fitness());
        let whole = Fitness { early: false, ..fitness };
        let mut given_up = 0;
        for seed in 0..40 {
            let one = creatures.founder(&mut Draws::new(seed, 0, 0, 0, Stream::Evolution));
            let way = whole.evaluate(&one, None);
            assert_eq!(way.steps, 400);
            assert_eq!(fitness.evaluate(&one, None), way, "with nothing to beat");
            let hurdle = way.fitness + 5.0;
            let hurried = fitness.evaluate(&one, Some(hurdle));
            assert!(hurried.fitness < hurdle);
            given_up += u32::from(hurried.steps < 400);
            // A body far above the hurdle is evaluated to the end.
            assert_eq!(fitness.evaluate(&one, Some(way.fitness - 20.0)), way);
            assert_eq!(fitness.preliminary(&one), Fitness { steps: 20, ..whole }.evaluate(&one, None));
        }
        assert!(given_up > 30, "{given_up}");
    }
}
