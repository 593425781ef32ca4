//! The body that founders are mutations of, where a run does not begin with a single brain.

use xpuck_bodies::variation::{Manner, inherit, mutate};
use xpuck_bodies::{Brain, Plan, Prif};
use xpuck_kernels::random::Draws;

/// A body, and perhaps the brain that drives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ancestor {
    prif: Prif,
    brain: Option<Brain>,
}

impl Ancestor {
    /// Of a definition's text and the weights of a brain.
    ///
    /// # Errors
    /// One line: the key `from` or `from_weights`, the place in it and the rule.
    pub fn read(text: &str, weights: Option<&[f64]>) -> Result<Ancestor, String> {
        if !text.trim_start().starts_with('(') {
            return Err(
                "from: it is a body's definition itself, such as `(CPG(0), [FRONT, 1, X], None)`; --from takes a file"
                    .into(),
            );
        }
        let prif = Prif::parse(text).map_err(|error| format!("from: {error}"))?;
        let plan = Plan::new(&prif).map_err(|error| format!("from: {error}"))?;
        let (sensors, motors) = (plan.sensors().count(), plan.motors().len());
        let brain = weights.map(|weights| Brain { sensors, motors, weights: weights.to_vec() });
        if let Some(brain) = &brain {
            brain.check(&plan).map_err(|error| format!("from_weights: {error}"))?;
        }
        Ok(Ancestor { prif, brain })
    }

    /// The body after up to so many mutations, so that it is among founders itself. Synapses that the ancestor's brain has keep
    /// their weights, others are drawn.
    pub fn founder(&self, most: u32, manner: Manner, draws: &mut Draws) -> Option<(Prif, Brain)> {
        let mutations = draws.below(most.saturating_add(1));
        let prif = (0..mutations).fold(self.prif.clone(), |prif, _| mutate(&prif, manner, draws).unwrap_or(prif));
        let plan = Plan::new(&prif).ok()?;
        let brain = match &self.brain {
            Some(brain) => inherit(&Plan::new(&self.prif).ok()?, brain, &plan, draws).ok()?,
            None => Brain::random(&plan, draws),
        };
        Some((prif, brain))
    }
}
