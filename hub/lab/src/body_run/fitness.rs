//! What a body is worth.

use super::creature::Creature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_bodies::{Plan, Trial, way};

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
}

/// Looks at a body in an evaluation, and how many of them pass before one can end it.
const LOOKS: u32 = 20;
const PATIENCE: u32 = 4;
/// A body is given up with less than this share of the way that it needs, and this much less, m.
const SHARE: f64 = 0.5;
const SLACK: f64 = 0.5;

impl Fitness {
    /// That of a creature, m, which survives with `least`; one that cannot be built is worth nothing. What was given up is worth the
    /// way that it had come, which is less than `least`.
    pub fn of(&self, creature: &Creature, least: f64) -> f64 {
        let Ok(plan) = Plan::new(&creature.prif) else { return f64::NEG_INFINITY };
        let every = (self.steps / LOOKS).max(1);
        let mut given_up = false;
        let goes_on = |step: u32, y: f64| {
            let looks = step.is_multiple_of(every) && step >= every * PATIENCE && step < self.steps;
            let due = least * f64::from(step) / f64::from(self.steps);
            given_up = self.early && least > 0.0 && looks && y < SHARE * due - SLACK;
            !given_up
        };
        let Ok(way) = way(&plan, &creature.brain, self.trial, self.steps, goes_on) else { return f64::NEG_INFINITY };
        match self.measure {
            Measure::Walked if !given_up => way.walked(),
            _ => way.root,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body_run::Config;
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
            let way = whole.of(&one, 0.0);
            assert_eq!(fitness.of(&one, 0.0), way, "with nothing to beat");
            let least = way + 5.0;
            assert!(fitness.of(&one, least) < least);
            given_up += u32::from(fitness.of(&one, least) != way);
            // Whoever is far ahead of what survives is seen to the end.
            assert_eq!(fitness.of(&one, way - 20.0), way);
        }
        assert!(given_up > 30, "{given_up}");
    }
}
