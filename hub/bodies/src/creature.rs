//! Creature (a body with its brain) as a species for evolution with families.

use super::ancestor::Ancestor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_bodies::variation::{
    Graft, MutationRules, cross, draw_own_period, half_of_body, inherit, inherit_both, mirror_brain, mirrored_body,
    mutate, mutate_brain, mutate_period, nudge_brain, vary_brain,
};
use xpuck_bodies::{Brain, Plan, Prif};
use xpuck_evolve::families::{Cell, Similarity, Species};
use xpuck_kernels::random::Draws;

/// Maximum size class and maximum number of limbs that are distinguished by the cells of an archive. Greater values
/// count as the maximum.
const MAX_CELL: (u32, usize) = (7, 7);

/// Body with a brain whose sensors and motors fit the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedCreature", into = "SavedCreature")]
pub struct Creature {
    /// Definition of a valid body.
    pub prif: Prif,
    /// Brain of the body.
    pub brain: Brain,
}

/// Saved form of a creature. The definition of the body is text, which any encoding supports.
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

/// Method of mutating the weights of a brain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Mutation of random size, from a change of one weight by 0.1 to changes of most weights by 3.
    #[default]
    Steps,
    /// Change of three quarters of the weights, all in the same direction, by exponential deviates of mean 2.
    /// Pyro-corpus uses this method.
    Readme,
    /// Change of a quarter of the weights, each by a normal deviate with a standard deviation of 0.5.
    Normal,
}

/// Rules for the creation and variation of creatures.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatureSpecies {
    /// Ancestor whose mutants are the founders. `None`: founders are mutants of a single brain part.
    pub ancestor: Option<Ancestor>,
    /// Number of mutations of a founder. With an ancestor, the maximum number.
    pub founder_mutations: u32,
    /// Probability that a child's body is mutated; otherwise its brain is mutated.
    pub body: f32,
    /// Probability that a child's brain is mutated in addition to its body.
    pub brain: f32,
    /// Method of mutating the weights of a brain.
    pub weights: Weights,
    /// Reference period from which each brain's own period is drawn (s). `None`: all brains have the period of the
    /// run.
    pub own_period: Option<f64>,
    /// Whether bodies are mirror-symmetric. Then only half of a body evolves.
    pub symmetric: bool,
    /// Maximum number of parts of a body.
    pub parts: usize,
    /// Whether to reproduce the program pyro-corpus: each child gets a new brain and two mutations of its body, which
    /// never change chains or axes.
    pub as_published: bool,
}

/// Maximum number of tries to find a valid body by a mutation, or by a crossover of a pair of parents.
const TRIES: usize = 50;
/// Probability that the own period of a child's brain is changed.
const PERIOD_MUTATION_PROBABILITY: f32 = 0.3;

impl CreatureSpecies {
    fn manner(&self) -> MutationRules {
        if self.as_published { MutationRules::AsPublished } else { MutationRules::Readme }
    }

    /// Returns the part of a body that evolves: half of the body if bodies are symmetric, otherwise the whole body.
    fn genotype(&self, body: &Prif) -> Prif {
        let half = if self.symmetric { half_of_body(body) } else { None };
        half.unwrap_or_else(|| body.clone())
    }

    /// Builds the body of a genotype, and the plan of this body. Returns `None` if the body is invalid or has too many
    /// parts.
    fn built(&self, genotype: &Prif) -> Option<(Prif, Plan)> {
        let body = if self.symmetric { mirrored_body(genotype)? } else { genotype.clone() };
        let plan = Plan::new(&body).ok()?;
        (plan.parts().len() <= self.parts).then_some((body, plan))
    }

    /// Returns a body with one mutation. Returns the body unchanged if no try gives a valid body.
    fn mutate_body(&self, body: &Prif, draws: &mut Draws) -> Prif {
        let genotype = self.genotype(body);
        let mutant = |_| self.built(&mutate(&genotype, self.manner(), draws).ok()?);
        (0..TRIES).find_map(mutant).map_or_else(|| body.clone(), |(mutant, _)| mutant)
    }

    /// Returns the brain, made mirror-symmetric if the bodies of the run are mirror-symmetric.
    fn symmetrised(&self, plan: &Plan, brain: Brain) -> Brain {
        if self.symmetric { mirror_brain(plan, &brain) } else { brain }
    }

    /// Creates a founder with the given body and brain. The brain is drawn at random if `brain` is `None`. Returns
    /// `None` if the body is invalid.
    fn with_brain(&self, prif: Prif, brain: Option<Brain>, draws: &mut Draws) -> Option<Creature> {
        let plan = Plan::new(&prif).ok()?;
        let mut brain = brain.unwrap_or_else(|| Brain::random(&plan, draws));
        match self.own_period {
            Some(period) if brain.period.is_none() => brain = draw_own_period(&brain, period, draws),
            Some(_) => {}
            // Without own periods, the brain of an ancestor also uses the period of the run.
            None => brain.period = None,
        }
        Some(Creature { brain: self.symmetrised(&plan, brain), prif })
    }

    /// Returns a mutant of the ancestor. It has 0 to `founder_mutations` mutations, so the ancestor itself can be a
    /// founder. Existing synapses keep their weights, and the weights of new synapses are drawn.
    fn descendant(&self, ancestor: &Ancestor, draws: &mut Draws) -> Option<Creature> {
        let mutations = draws.below(self.founder_mutations.saturating_add(1));
        let prif = (0..mutations).fold(ancestor.prif().clone(), |prif, _| self.mutate_body(&prif, draws));
        let brain = match ancestor.brain() {
            Some(brain) => {
                let brain = inherit(&Plan::new(ancestor.prif()).ok()?, brain, &Plan::new(&prif).ok()?, draws).ok()?;
                // A brain without its own period gets the period of the run, unchanged.
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
            Ok(plan) => Creature { brain: self.symmetrised(&plan, brain), ..creature },
            Err(_) => creature,
        }
    }

    /// Creates a child with the given body. The child's brain inherits the parent's weights for all sensors and motors
    /// that still exist in this body.
    fn with_body(&self, parent: &Creature, prif: Prif, draws: &mut Draws) -> Option<Creature> {
        let (old, new) = (Plan::new(&parent.prif).ok()?, Plan::new(&prif).ok()?);
        let brain = inherit(&old, &parent.brain, &new, draws).ok()?;
        Some(Creature { brain: self.symmetrised(&new, brain), prif })
    }

    fn as_published(&self, parent: &Creature, draws: &mut Draws) -> Option<Creature> {
        let once = mutate(&parent.prif, self.manner(), draws).ok()?;
        let twice = mutate(&once, self.manner(), draws).ok()?;
        self.with_brain(twice, None, draws)
    }
}

impl Species for CreatureSpecies {
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
        if parent.brain.period.is_some() && draws.unit() < PERIOD_MUTATION_PROBABILITY {
            parent.brain = mutate_period(&parent.brain, draws);
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
        // Part `i` of a half becomes part `2 i` of the whole body, and its mirror image becomes part `2 i + 1`.
        let ids = match self.symmetric {
            true => ids.iter().flat_map(|(new, old)| [(2 * new, 2 * old), (2 * new + 1, 2 * old + 1)]).collect(),
            false => ids,
        };
        let plans = [Plan::new(&mother.prif).ok()?, Plan::new(&father.prif).ok()?];
        let parents = [(&plans[0], &mother.brain), (&plans[1], &father.brain)];
        let brain = inherit_both(parents, &ids, &new, draws).ok()?;
        Some(Creature { brain: self.symmetrised(&new, brain), prif })
    }

    fn cell(&self, creature: &Creature) -> Cell {
        let parts = Plan::new(&creature.prif).map_or(0, |plan| plan.parts().len());
        Cell(vec![parts.max(1).ilog2().min(MAX_CELL.0) as u16, creature.prif.limbs().min(MAX_CELL.1) as u16])
    }

    fn likeness(&self, creature: &Creature) -> Similarity {
        let Ok(plan) = Plan::new(&creature.prif) else { return Similarity { form: String::new(), size: 0 } };
        let parts = plan.parts();
        let mut cubes: Vec<_> = parts
            .iter()
            .map(|one| (one.cell, one.parent.map(|parent| parts[parent].cell), one.part as u8, one.axis as u8))
            .collect();
        cubes.sort_unstable();
        Similarity { form: format!("{cubes:?}"), size: parts.len() }
    }
}
