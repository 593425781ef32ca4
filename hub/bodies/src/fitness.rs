//! What a body is worth.

use super::creature::Creature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_bodies::{Plan, Robot, Trial, Way, way};

/// What is the fitness of a body, metres along y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// How far all of it has come: y of the root, or the way of the rearmost part if that is less, so that a tower that falls over
    /// has not walked.
    #[default]
    Walked,
    /// y of the root: the document's.
    Root,
}

/// How the fitness of a body is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitness {
    /// What it is.
    pub measure: Measure,
    /// How bodies begin, and their rhythm.
    pub trial: Trial,
    /// Steps of an evaluation.
    pub steps: u32,
    /// Whether a body is given up that cannot survive.
    pub early: bool,
    /// Whether one that would be the best is tried again.
    pub twice: bool,
}

/// An evaluation of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// Its fitness, m.
    pub fitness: f64,
    /// Steps that were simulated.
    pub steps: u32,
}

/// Looks at a body in an evaluation; the first one is too early to end it.
const LOOKS: u32 = 40;
/// Of the way that is due at a look a body is to have a share, which grows from the beginning to the end, less some slack, m: not all
/// walk evenly.
const SHARES: [f64; 2] = [0.6, 0.95];
const SLACK: f64 = 1.0;
/// A heat of founders is this part of an evaluation.
pub const HEAT: u32 = 20;
/// How much higher a body begins that is tried again, m.
const LIFT: f64 = 0.001;

impl Fitness {
    /// That of a creature, m, which survives if it gets further than `hurdle`; one that cannot be built is worth nothing. What was given up
    /// is worth the way that it had come, which is less than `hurdle`.
    pub fn of(&self, creature: &Creature, hurdle: Option<f64>) -> Evaluation {
        let hurdle = hurdle.filter(|hurdle| self.early && *hurdle > 0.0);
        self.walk(creature, 0.0, self.steps, |step, fitness| {
            let Some(hurdle) = hurdle else { return true };
            let passed = f64::from(step) / f64::from(self.steps);
            let [first, last] = SHARES;
            let waits = step < 2 * self.every() || step == self.steps;
            waits || fitness >= (first + (last - first) * passed) * passed * hurdle - SLACK
        })
    }

    /// How far a founder gets in a heat.
    pub fn heat(&self, creature: &Creature) -> Evaluation {
        self.walk(creature, 0.0, (self.steps / HEAT).max(1), |_, _| true)
    }

    /// How far it gets from a start a little higher: about as far, if how it walks does not hang on the last digit.
    pub fn again(&self, creature: &Creature) -> Evaluation {
        self.walk(creature, LIFT, self.steps, |_, _| true)
    }

    /// Steps between looks.
    fn every(&self) -> u32 {
        (self.steps / LOOKS).max(1)
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
        let of = |way: Way| match self.measure {
            Measure::Walked => way.walked(),
            Measure::Root => way.root,
        };
        let (way, steps) = way(&mut robot.lifted(lift), steps, every, |step, way| goes_on(step, of(way)));
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
    fn what_is_given_up_is_worth_less_than_what_survives() {
        let config = Config { steps: 400, ..Config::default() };
        let (creatures, fitness) = (config.creatures(), config.fitness());
        let whole = Fitness { early: false, ..fitness };
        let mut given_up = 0;
        for seed in 0..40 {
            let one = creatures.founder(&mut Draws::new(seed, 0, 0, 0, Stream::Evolution));
            let way = whole.of(&one, None);
            assert_eq!(way.steps, 400);
            assert_eq!(fitness.of(&one, None), way, "with nothing to beat");
            let hurdle = way.fitness + 5.0;
            let hurried = fitness.of(&one, Some(hurdle));
            assert!(hurried.fitness < hurdle);
            given_up += u32::from(hurried.steps < 400);
            // Whoever is far ahead of what survives is seen to the end.
            assert_eq!(fitness.of(&one, Some(way.fitness - 20.0)), way);
            assert_eq!(fitness.heat(&one), Fitness { steps: 20, ..whole }.of(&one, None));
        }
        assert!(given_up > 30, "{given_up}");
    }
}
