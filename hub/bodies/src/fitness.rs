//! Fitness of bodies.

use super::creature::Creature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_bodies::{Distance, EvaluationConditions, Plan, Robot, walk};

/// Definition of the fitness of a body, in metres along y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Distance travelled by the whole body: y of the root, or the distance of the rearmost part if it is smaller. A
    /// tower that falls over therefore gains nothing.
    #[default]
    Walked,
    /// y of the root, as in pyro-corpus.
    Root,
}

/// Fitness function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitness {
    /// Definition of fitness.
    pub measure: Measure,
    /// Start position and rhythm.
    pub trial: EvaluationConditions,
    /// Number of steps of an evaluation.
    pub steps: u32,
    /// Whether evaluations of bodies that cannot survive are aborted.
    pub early: bool,
    /// Whether a body that would be the best walks a second time.
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

/// Number of checks in an evaluation; the first one cannot abort it.
const CHECKS: u32 = 40;
/// Minimum share, at the first and at the last check, of the distance due at the check. Slack (m) is subtracted,
/// because not all bodies walk evenly.
const SHARES: [f64; 2] = [0.6, 0.95];
const SLACK: f64 = 1.0;
/// Ratio of the steps of an evaluation to those of a founders' heat.
pub const HEAT_RATIO: u32 = 20;
/// Additional start height of a second walk (m).
const LIFT: f64 = 0.001;

impl Fitness {
    /// Evaluates a creature, which survives if its fitness exceeds `hurdle` (m); an invalid creature has the fitness
    /// negative infinity. An aborted evaluation gives the distance so far, which is below `hurdle`.
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

    /// Evaluates a founder in a heat.
    pub fn preliminary(&self, creature: &Creature) -> Evaluation {
        self.walk(creature, 0.0, (self.steps / HEAT_RATIO).max(1), |_, _| true)
    }

    /// Evaluates a creature from a slightly higher start. The result is similar unless the walk depends on rounding
    /// errors.
    pub fn second_walk(&self, creature: &Creature) -> Evaluation {
        self.walk(creature, LIFT, self.steps, |_, _| true)
    }

    /// Number of steps between checks.
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
            // A body far ahead of the hurdle is evaluated to the end.
            assert_eq!(fitness.evaluate(&one, Some(way.fitness - 20.0)), way);
            assert_eq!(fitness.preliminary(&one), Fitness { steps: 20, ..whole }.evaluate(&one, None));
        }
        assert!(given_up > 30, "{given_up}");
    }
}
