//! The body that founders are mutations of, where a run does not begin with a single brain.

use xpuck_bodies::{Brain, Plan, Prif};

/// A body, and perhaps the brain that drives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ancestor {
    prif: Prif,
    brain: Option<Brain>,
}

impl Ancestor {
    /// Of a definition's text, the weights of a brain, and its period if it has one of its own.
    ///
    /// # Errors
    /// One line: the key `from`, `from_weights` or `from_period`, the place in it and the rule.
    pub fn read(text: &str, weights: Option<&[f64]>, period: Option<f64>) -> Result<Ancestor, String> {
        if !text.trim_start().starts_with('(') {
            return Err(
                "from: it is a body's definition itself, such as `(CPG(0), [FRONT, 1, X], None)`; --from takes a file"
                    .into(),
            );
        }
        let prif = Prif::parse(text).map_err(|error| format!("from: {error}"))?;
        let plan = Plan::new(&prif).map_err(|error| format!("from: {error}"))?;
        let (sensors, motors) = (plan.sensors().count(), plan.motors().len());
        let brain = weights.map(|weights| Brain { sensors, motors, weights: weights.to_vec(), period });
        if let Some(brain) = &brain {
            brain.check(&plan).map_err(|error| format!("from_weights: {error}"))?;
        }
        Ok(Ancestor { prif, brain })
    }

    /// Its definition.
    pub fn prif(&self) -> &Prif {
        &self.prif
    }

    /// Its brain, if it brings one.
    pub fn brain(&self) -> Option<&Brain> {
        self.brain.as_ref()
    }
}
