//! A body with its brain, as a species of family-aware evolution.

use super::ancestor::Ancestor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_bodies::variation::{Manner, cross, inherit, mutate, mutate_brain, nudge_brain, random_body};
use xpuck_bodies::{Brain, Plan, Prif, Trial, evaluate};
use xpuck_evolve::families::{Cell, Species};
use xpuck_kernels::random::Draws;

/// What is worth a place of its own in an archive: sizes and limbs up to these.
const MOST: (u32, usize) = (7, 7);

/// A body and the brain that drives it, which fits it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedCreature", into = "SavedCreature")]
pub struct Creature {
    /// The body's definition, which can be built.
    pub prif: Prif,
    /// Its brain.
    pub brain: Brain,
}

/// A creature as it is kept: the definition in its text form, which any encoding can hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedCreature {
    prif: String,
    weights: Vec<f64>,
}

impl From<Creature> for SavedCreature {
    fn from(creature: Creature) -> SavedCreature {
        SavedCreature { prif: creature.prif.print(), weights: creature.brain.weights }
    }
}

impl TryFrom<SavedCreature> for Creature {
    type Error = String;

    fn try_from(saved: SavedCreature) -> Result<Creature, String> {
        let prif = Prif::parse(&saved.prif).map_err(|error| error.to_string())?;
        let plan = Plan::new(&prif).map_err(|error| error.to_string())?;
        let brain = Brain { sensors: plan.sensors().count(), motors: plan.motors().len(), weights: saved.weights };
        brain.check(&plan).map_err(|error| error.to_string())?;
        Ok(Creature { prif, brain })
    }
}

impl Creature {
    /// How far it gets in so many steps, m; a body that cannot be built gets nowhere.
    pub fn distance(&self, trial: Trial, steps: u32) -> f64 {
        let built = Plan::new(&self.prif).and_then(|plan| evaluate(&plan, &self.brain, trial, steps));
        built.unwrap_or(f64::NEG_INFINITY)
    }
}

/// How weights of a brain change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Three quarters of them, all one way, by exponential deviates of mean 2: the document's.
    #[default]
    Readme,
    /// A quarter of them, each by a normal deviate of 0.5.
    Normal,
}

/// How creatures begin and vary.
#[derive(Clone, Debug, PartialEq)]
pub struct Creatures {
    /// What founders are mutations of; a single brain without it.
    pub ancestor: Option<Ancestor>,
    /// Mutations that a founder is made by.
    pub founder_mutations: u32,
    /// Probability that a child's body is mutated; if it is not, its brain is.
    pub body: f32,
    /// Probability that a child's brain is mutated beside its body.
    pub brain: f32,
    /// How.
    pub weights: Weights,
    /// As the document's program behaves: two mutations of the body without chains and axes, and a new brain each time.
    pub as_published: bool,
}

impl Creatures {
    fn manner(&self) -> Manner {
        if self.as_published { Manner::AsPublished } else { Manner::Readme }
    }

    /// A body with a brain drawn anew.
    fn with_new_brain(prif: Prif, draws: &mut Draws) -> Option<Creature> {
        let plan = Plan::new(&prif).ok()?;
        Some(Creature { brain: Brain::random(&plan, draws), prif })
    }

    fn vary_brain(&self, brain: &Brain, draws: &mut Draws) -> Brain {
        match self.weights {
            Weights::Readme => mutate_brain(brain, draws),
            Weights::Normal => nudge_brain(brain, draws),
        }
    }

    fn with_body(parent: &Creature, prif: Prif, draws: &mut Draws) -> Option<Creature> {
        let (old, new) = (Plan::new(&parent.prif).ok()?, Plan::new(&prif).ok()?);
        let brain = inherit(&old, &parent.brain, &new, draws).ok()?;
        Some(Creature { prif, brain })
    }
}

impl Species for Creatures {
    type Genome = Creature;

    fn founder(&self, draws: &mut Draws) -> Creature {
        let seed = || Creature { prif: Prif::seed(), brain: Brain { sensors: 1, motors: 0, weights: Vec::new() } };
        let founder = match &self.ancestor {
            Some(ancestor) => ancestor
                .founder(self.founder_mutations, self.manner(), draws)
                .map(|(prif, brain)| Creature { prif, brain }),
            None => Creatures::with_new_brain(random_body(self.founder_mutations, self.manner(), draws), draws),
        };
        founder.unwrap_or_else(seed)
    }

    fn mutate(&self, parent: &Creature, draws: &mut Draws) -> Creature {
        if self.as_published {
            let once = mutate(&parent.prif, self.manner(), draws);
            let twice = once.and_then(|once| mutate(&once, self.manner(), draws));
            return twice
                .ok()
                .and_then(|prif| Creatures::with_new_brain(prif, draws))
                .unwrap_or_else(|| parent.clone());
        }
        if draws.unit() >= self.body {
            return Creature { prif: parent.prif.clone(), brain: self.vary_brain(&parent.brain, draws) };
        }
        let mutant = mutate(&parent.prif, self.manner(), draws).ok();
        let child = mutant.and_then(|prif| Creatures::with_body(parent, prif, draws)).unwrap_or_else(|| parent.clone());
        if draws.unit() < self.brain {
            return Creature { brain: self.vary_brain(&child.brain, draws), ..child };
        }
        child
    }

    fn cross(&self, mother: &Creature, father: &Creature, draws: &mut Draws) -> Option<Creature> {
        let prif = cross(&mother.prif, &father.prif, draws)?;
        Creatures::with_body(mother, prif, draws)
    }

    fn cell(&self, creature: &Creature) -> Cell {
        let parts = Plan::new(&creature.prif).map_or(0, |plan| plan.parts().len());
        Cell(vec![parts.max(1).ilog2().min(MOST.0) as u16, creature.prif.limbs().min(MOST.1) as u16])
    }
}
