//! A body with its brain, as a species of family-aware evolution.

use super::ancestor::Ancestor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_bodies::variation::{
    Graft, Manner, change_pace, cross, half, inherit, inherit_both, mirror_brain, mutate, mutate_brain, nudge_brain,
    own_pace, vary_brain, whole,
};
use xpuck_bodies::{Brain, Plan, Prif};
use xpuck_evolve::families::{Cell, Likeness, Species};
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
    period: Option<f64>,
}

impl From<Creature> for SavedCreature {
    fn from(creature: Creature) -> SavedCreature {
        SavedCreature { prif: creature.prif.print(), weights: creature.brain.weights, period: creature.brain.period }
    }
}

impl TryFrom<SavedCreature> for Creature {
    type Error = String;

    fn try_from(saved: SavedCreature) -> Result<Creature, String> {
        let prif = Prif::parse(&saved.prif).map_err(|error| error.to_string())?;
        let plan = Plan::new(&prif).map_err(|error| error.to_string())?;
        let (sensors, motors) = (plan.sensors().count(), plan.motors().len());
        let brain = Brain { sensors, motors, weights: saved.weights, period: saved.period };
        brain.check(&plan).map_err(|error| error.to_string())?;
        Ok(Creature { prif, brain })
    }
}

/// How weights of a brain change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// By steps whose size and reach are drawn, from one weight by a tenth to most of them by three.
    #[default]
    Steps,
    /// Three quarters of them, all one way, by exponential deviates of mean 2: pyro-corpus's.
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
    /// Period around which each brain has one of its own, s; without it all have that of the run.
    pub own_period: Option<f64>,
    /// True for bodies that are their own mirror image, of which a half evolves.
    pub symmetric: bool,
    /// Most parts of a body.
    pub parts: usize,
    /// As the document's program behaves: two mutations of the body without chains and axes, and a new brain each time.
    pub as_published: bool,
}

/// Most mutations, or pairs of parents, that are tried until one makes a body that may be.
const TRIES: usize = 50;
/// Probability that a child's rhythm, if it is its own, is another than its parent's.
const PACES: f32 = 0.3;

impl Creatures {
    fn manner(&self) -> Manner {
        if self.as_published { Manner::AsPublished } else { Manner::Readme }
    }

    /// What evolves of a body: its half, or all of it.
    fn genotype(&self, body: &Prif) -> Prif {
        let half = if self.symmetric { half(body) } else { None };
        half.unwrap_or_else(|| body.clone())
    }

    /// The body of what evolves, with its parts; `None` where it is none, or has too many.
    fn built(&self, genotype: &Prif) -> Option<(Prif, Plan)> {
        let body = if self.symmetric { whole(genotype)? } else { genotype.clone() };
        let plan = Plan::new(&body).ok()?;
        (plan.parts().len() <= self.parts).then_some((body, plan))
    }

    /// A body with one mutation, or as it is where none of some makes a body.
    fn mutate_body(&self, body: &Prif, draws: &mut Draws) -> Prif {
        let genotype = self.genotype(body);
        let mutant = |_| self.built(&mutate(&genotype, self.manner(), draws).ok()?);
        (0..TRIES).find_map(mutant).map_or_else(|| body.clone(), |(mutant, _)| mutant)
    }

    /// A brain as this kind has them.
    fn settled(&self, plan: &Plan, brain: Brain) -> Brain {
        if self.symmetric { mirror_brain(plan, &brain) } else { brain }
    }

    /// A founder of this body, with a brain of its own if it brings one.
    fn with_brain(&self, prif: Prif, brain: Option<Brain>, draws: &mut Draws) -> Option<Creature> {
        let plan = Plan::new(&prif).ok()?;
        let mut brain = brain.unwrap_or_else(|| Brain::random(&plan, draws));
        match self.own_period {
            Some(period) if brain.period.is_none() => brain = own_pace(&brain, period, draws),
            Some(_) => {}
            // One that an ancestor brings has that of the run too.
            None => brain.period = None,
        }
        Some(Creature { brain: self.settled(&plan, brain), prif })
    }

    /// A body after up to so many mutations as founders are made by, so that it is among founders itself. Synapses that its brain has
    /// keep their weights, others are drawn.
    fn descendant(&self, ancestor: &Ancestor, draws: &mut Draws) -> Option<Creature> {
        let mutations = draws.below(self.founder_mutations.saturating_add(1));
        let prif = (0..mutations).fold(ancestor.prif().clone(), |prif, _| self.mutate_body(&prif, draws));
        let brain = match ancestor.brain() {
            Some(brain) => {
                let brain = inherit(&Plan::new(ancestor.prif()).ok()?, brain, &Plan::new(&prif).ok()?, draws).ok()?;
                // A rhythm that was that of all becomes its own, as it is.
                let period = brain.period.or(self.own_period);
                Some(Brain { period, ..brain })
            }
            None => None,
        };
        self.with_brain(prif, brain, draws)
    }

    fn with_other_weights(&self, creature: Creature, draws: &mut Draws) -> Creature {
        let brain = match self.weights {
            Weights::Readme => mutate_brain(&creature.brain, draws),
            Weights::Normal => nudge_brain(&creature.brain, draws),
            Weights::Steps => vary_brain(&creature.brain, draws),
        };
        match Plan::new(&creature.prif) {
            Ok(plan) => Creature { brain: self.settled(&plan, brain), ..creature },
            Err(_) => creature,
        }
    }

    /// A child of this body; of its brain it has what fits.
    fn with_body(&self, parent: &Creature, prif: Prif, draws: &mut Draws) -> Option<Creature> {
        let (old, new) = (Plan::new(&parent.prif).ok()?, Plan::new(&prif).ok()?);
        let brain = inherit(&old, &parent.brain, &new, draws).ok()?;
        Some(Creature { brain: self.settled(&new, brain), prif })
    }

    fn as_published(&self, parent: &Creature, draws: &mut Draws) -> Option<Creature> {
        let once = mutate(&parent.prif, self.manner(), draws).ok()?;
        let twice = mutate(&once, self.manner(), draws).ok()?;
        self.with_brain(twice, None, draws)
    }
}

impl Species for Creatures {
    type Genome = Creature;

    fn founder(&self, draws: &mut Draws) -> Creature {
        let founder = match &self.ancestor {
            Some(ancestor) => self.descendant(ancestor, draws),
            None => {
                let body = (0..self.founder_mutations).fold(Prif::seed(), |body, _| self.mutate_body(&body, draws));
                self.with_brain(body, None, draws)
            }
        };
        founder.unwrap_or_else(|| Creature {
            prif: Prif::seed(),
            brain: Brain { sensors: 1, motors: 0, weights: Vec::new(), period: None },
        })
    }

    fn mutate(&self, parent: &Creature, draws: &mut Draws) -> Creature {
        if self.as_published {
            return self.as_published(parent, draws).unwrap_or_else(|| parent.clone());
        }
        let mut parent = parent.clone();
        if parent.brain.period.is_some() && draws.unit() < PACES {
            parent.brain = change_pace(&parent.brain, draws);
        }
        if draws.unit() >= self.body {
            return self.with_other_weights(parent, draws);
        }
        let mutant = self.mutate_body(&parent.prif, draws);
        let child = self.with_body(&parent, mutant, draws).unwrap_or(parent);
        if draws.unit() < self.brain { self.with_other_weights(child, draws) } else { child }
    }

    fn cross(&self, mother: &Creature, father: &Creature, draws: &mut Draws) -> Option<Creature> {
        let (body, other) = (self.genotype(&mother.prif), self.genotype(&father.prif));
        let (prif, new, ids) = (0..TRIES).find_map(|_| {
            let Graft { child, ids } = cross(&body, &other, draws)?;
            let (prif, plan) = self.built(&child)?;
            Some((prif, plan, ids))
        })?;
        // What is `i` in a half is `2 i` in the whole, and its image `2 i + 1`.
        let ids = match self.symmetric {
            true => ids.iter().flat_map(|(new, old)| [(2 * new, 2 * old), (2 * new + 1, 2 * old + 1)]).collect(),
            false => ids,
        };
        let plans = [Plan::new(&mother.prif).ok()?, Plan::new(&father.prif).ok()?];
        let parents = [(&plans[0], &mother.brain), (&plans[1], &father.brain)];
        let brain = inherit_both(parents, &ids, &new, draws).ok()?;
        Some(Creature { brain: self.settled(&new, brain), prif })
    }

    fn cell(&self, creature: &Creature) -> Cell {
        let parts = Plan::new(&creature.prif).map_or(0, |plan| plan.parts().len());
        Cell(vec![parts.max(1).ilog2().min(MOST.0) as u16, creature.prif.limbs().min(MOST.1) as u16])
    }

    fn likeness(&self, creature: &Creature) -> Likeness {
        let Ok(plan) = Plan::new(&creature.prif) else { return Likeness { form: String::new(), size: 0 } };
        let parts = plan.parts();
        let mut cubes: Vec<_> = parts
            .iter()
            .map(|one| (one.cell, one.parent.map(|parent| parts[parent].cell), one.part as u8, one.axis as u8))
            .collect();
        cubes.sort_unstable();
        Likeness { form: format!("{cubes:?}"), size: parts.len() }
    }
}
