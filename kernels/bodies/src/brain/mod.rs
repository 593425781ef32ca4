//! Brains of bodies. A brain is one layer of synapses from every sensor neuron to every motor neuron.

mod nndf;
mod numbers;

use crate::{BodyError, Plan};
use serde::{Deserialize, Serialize};
use xpuck_kernels::random::{Draws, normal_pair};

/// Maximum number of synapses of a brain. A body with at most [`crate::prif::MAX_PARTS`] parts needs fewer synapses.
pub const MAX_SYNAPSES: usize = crate::prif::MAX_PARTS * crate::prif::MAX_PARTS;

/// Maximum magnitude of a weight. The limit prevents overflow of sums.
pub const MAX_WEIGHT: f64 = 1e100;

/// Allowed range of a rhythm's period (s). The minimum is 12 simulation steps.
pub const PERIODS: std::ops::RangeInclusive<f64> = 0.05..=100.0;

/// Weights of all synapses of a body, and optionally the period of the brain's own rhythm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brain {
    /// Number of sensor neurons, one for each of [`Plan::sensors`].
    pub sensors: usize,
    /// Number of motor neurons, one for each of [`Plan::motors`].
    pub motors: usize,
    /// Weights, ordered by sensor, then by motor.
    pub weights: Vec<f64>,
    /// Period of the brain's own rhythm (s), within [`PERIODS`]. `None`: the rhythm of the
    /// [`crate::EvaluationConditions`] applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<f64>,
}

impl Brain {
    /// Creates a brain for a body, with standard normal weights drawn sensor by sensor.
    pub fn random(plan: &Plan, draws: &mut Draws) -> Brain {
        let (sensors, motors) = (plan.sensors().count(), plan.motors().len());
        Brain { sensors, motors, weights: (0..sensors * motors).map(|_| normal(draws)).collect(), period: None }
    }

    /// Returns the weight of the synapse from a sensor to a motor.
    pub fn weight(&self, sensor: usize, motor: usize) -> f64 {
        self.weights[sensor * self.motors + motor]
    }

    /// Checks that the brain fits a body.
    ///
    /// # Errors
    /// Returns an error if the number of neurons or weights does not match the body, if a weight is not finite or
    /// exceeds [`MAX_WEIGHT`], or if the period is outside [`PERIODS`].
    pub fn check(&self, plan: &Plan) -> Result<(), BodyError> {
        if let Some(period) = self.period.filter(|period| !PERIODS.contains(period)) {
            let rule = format_args!("the period is {period} s; it must be 0.05 to 100 s").to_string();
            return Err(BodyError::new("the brain", rule));
        }
        let (sensors, motors) = (plan.sensors().count(), plan.motors().len());
        if (self.sensors, self.motors) != (sensors, motors) {
            let rule = format!(
                "there are {} sensor neurons and {} motor neurons, but the body has {sensors} sensors and {motors} joints",
                self.sensors, self.motors
            );
            return Err(BodyError::new("the brain", rule));
        }
        if self.weights.len() != sensors * motors {
            let rule = format!(
                "there are {} weights, but {sensors} sensors and {motors} motors require {}",
                self.weights.len(),
                sensors * motors
            );
            return Err(BodyError::new("the brain", rule));
        }
        match self.weights.iter().position(|weight| weight.is_nan() || weight.abs() > MAX_WEIGHT) {
            Some(at) => Err(BodyError::new(
                format_args!("weight {at} of the brain"),
                format_args!("must be a number from -{MAX_WEIGHT:e} to {MAX_WEIGHT:e}"),
            )),
            None => Ok(()),
        }
    }
}

/// Draws a standard normal number.
pub(crate) fn normal(draws: &mut Draws) -> f64 {
    let (a, b) = (draws.word(), draws.word());
    f64::from(normal_pair(a, b).0)
}
