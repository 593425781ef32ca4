//! Body from which founders are mutated, for runs that do not begin with a single brain.

use xpuck_bodies::{Brain, Plan, Prif};

/// Body with an optional brain.
#[derive(Clone, Debug, PartialEq)]
pub struct Ancestor {
    prif: Prif,
    brain: Option<Brain>,
}

impl Ancestor {
    /// Creates an ancestor from the text of its definition, the weights of its brain, and the brain's own period, if
    /// any.
    ///
    /// # Errors
    /// One line: the key `from`, `from_weights` or `from_period`, the location in it, and the violated rule.
    pub fn read(text: &str, weights: Option<&[f64]>, period: Option<f64>) -> Result<Ancestor, String> {
        if !text.trim_start().starts_with('(') {
            return Err(
                "from: a body's definition such as `(CPG(0), [FRONT, 1, X], None)` is not allowed here; --from names a file"
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

    /// Definition of the body.
    pub fn prif(&self) -> &Prif {
        &self.prif
    }

    /// Brain of the body; `None` if it is drawn for each founder.
    pub fn brain(&self) -> Option<&Brain> {
        self.brain.as_ref()
    }
}
