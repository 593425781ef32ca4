//! Ancestor of a run: a body whose mutants are the founders. Without an ancestor, founders are mutants of a single
//! brain part.

use xpuck_bodies::{Brain, Plan, Prif};

/// Body whose mutants are the founders of a run. The body can have a brain.
#[derive(Clone, Debug, PartialEq)]
pub struct Ancestor {
    prif: Prif,
    brain: Option<Brain>,
}

impl Ancestor {
    /// Creates an ancestor from the text of its body's definition. `weights` are those of its brain, and `period` is
    /// the brain's own period (s), if any.
    ///
    /// # Errors
    /// One line with the key `from`, `from_weights` or `from_period`, the position of the error, and the violated
    /// rule.
    pub fn read(text: &str, weights: Option<&[f64]>, period: Option<f64>) -> Result<Ancestor, String> {
        if !text.trim_start().starts_with('(') {
            return Err(
                "from: expected a body's definition such as `(CPG(0), [FRONT, 1, X], None)`; --from names a file"
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

    /// Returns the definition of the body.
    pub fn prif(&self) -> &Prif {
        &self.prif
    }

    /// Returns the brain of the body. `None` if a new brain is drawn for each founder.
    pub fn brain(&self) -> Option<&Brain> {
        self.brain.as_ref()
    }
}
