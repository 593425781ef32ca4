//! Simulation of a body that is driven by its brain: sensors, neurons and motors, step by step.

use crate::physics::{DT, Simulator, Start};
use crate::{BodyError, Brain, PERIODS, Part, Plan};
use std::f64::consts::TAU;

/// Joint angle for a motor neuron value of 1 (rad).
const JOINT_RANGE: f64 = 0.2;
/// Amplitude of the central pattern generator, as a value of the brain part's sensor neuron.
const PATTERN: f64 = 2.0;

/// Behaviour of the brain part's sensor neuron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rhythm {
    /// Sine of amplitude 2 with this period (s), as described in pyro-corpus's README.
    Period(f64),
    /// The neuron reads touch, as any other sensor neuron does. In pyro-corpus's code, the pattern generator never
    /// runs.
    AsPublished,
}

impl Rhythm {
    /// Returns whether this period (s) is valid: within [`PERIODS`], or 0 for [`Rhythm::AsPublished`].
    pub fn has_period(period: f64) -> bool {
        period == 0.0 || PERIODS.contains(&period)
    }

    /// Returns the rhythm with this period (s); 0 stands for [`Rhythm::AsPublished`].
    pub fn from_period(period: f64) -> Rhythm {
        if period == 0.0 { Rhythm::AsPublished } else { Rhythm::Period(period) }
    }
}

impl Default for Rhythm {
    /// Returns a rhythm with a period of 1 s.
    fn default() -> Rhythm {
        Rhythm::Period(1.0)
    }
}

/// Conditions of an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EvaluationConditions {
    /// Behaviour of the brain part's sensor neuron. If the brain has its own period, this period replaces the period of
    /// [`Rhythm::Period`]. [`Rhythm::AsPublished`] is never replaced.
    pub rhythm: Rhythm,
    /// Start height of the body.
    pub start: Start,
}

impl EvaluationConditions {
    /// Conditions in pyro-corpus's program.
    pub const AS_PUBLISHED: EvaluationConditions =
        EvaluationConditions { rhythm: Rhythm::AsPublished, start: Start::Published };
}

/// Body driven by its brain.
pub struct Robot<'a> {
    plan: &'a Plan,
    brain: &'a Brain,
    rhythm: Rhythm,
    simulator: Simulator,
    /// Index of the part to which each sensor neuron belongs. For each revolute joint, `motors` holds the index of the
    /// part and the index of the motor neuron.
    sensors: Vec<usize>,
    motors: Vec<(usize, usize)>,
    senses: Vec<f64>,
    values: Vec<f64>,
    steps: u32,
}

impl<'a> Robot<'a> {
    /// Creates a robot in its start position.
    ///
    /// # Errors
    /// Returns an error if the brain does not fit the body, or if the rhythm's period is not a positive finite number.
    pub fn new(plan: &'a Plan, brain: &'a Brain, trial: EvaluationConditions) -> Result<Robot<'a>, BodyError> {
        let EvaluationConditions { rhythm, start } = trial;
        brain.check(plan)?;
        let rhythm = match (rhythm, brain.period) {
            (Rhythm::Period(_), Some(own)) => Rhythm::Period(own),
            (rhythm, _) => rhythm,
        };
        if let Rhythm::Period(period) = rhythm
            && !(period.is_finite() && period > 0.0)
        {
            return Err(BodyError::new(
                "the rhythm",
                format_args!("the period is {period} s; it must be finite and above 0"),
            ));
        }
        let simulator = Simulator::new(plan, start);
        let sensors: Vec<usize> = plan.sensors().collect();
        let motors: Vec<(usize, usize)> = plan
            .motors()
            .enumerate()
            .map(|(neuron, part)| (part, neuron))
            .filter(|&(part, _)| plan.parts()[part].part.turns())
            .collect();
        // The values are NaN before the first step, so that the first reading counts as a change.
        let senses = vec![f64::NAN; sensors.len()];
        let values = vec![0.0; motors.len()];
        Ok(Robot { plan, brain, rhythm, simulator, sensors, motors, senses, values, steps: 0 })
    }

    /// Returns the robot raised by `height` (m).
    pub fn raised(mut self, height: f64) -> Robot<'a> {
        self.simulator.lift(height);
        self
    }

    /// Simulates a step, then sets the motors to the previous neuron values, then updates the neurons from the
    /// sensors. This is the order of pyro-corpus.
    pub fn step(&mut self) {
        self.simulator.step();
        for (&(part, _), value) in self.motors.iter().zip(&self.values) {
            self.simulator.set_target(part, JOINT_RANGE * value);
        }
        if self.update_sensors() {
            self.update_neurons();
        }
        self.steps += 1;
    }

    /// Reads the sensors. Returns whether any sensor value has changed.
    fn update_sensors(&mut self) -> bool {
        let mut changed = false;
        let seconds = f64::from(self.steps) * DT;
        for (sense, &part) in self.senses.iter_mut().zip(&self.sensors) {
            let felt = match (self.plan.parts()[part].part, self.rhythm) {
                (Part::Brain, Rhythm::Period(period)) => PATTERN * libm::sin(TAU * (seconds / period)),
                _ if self.simulator.touches(part) => 1.0,
                _ => -1.0,
            };
            changed |= *sense != felt;
            *sense = felt;
        }
        changed
    }

    fn update_neurons(&mut self) {
        for (&(_, neuron), value) in self.motors.iter().zip(&mut self.values) {
            let sum: f64 =
                self.senses.iter().enumerate().map(|(sensor, sense)| self.brain.weight(sensor, neuron) * sense).sum();
            *value = libm::tanh(sum);
        }
    }

    /// Returns the y coordinate of the centre of the currently rearmost part (m).
    pub fn rearmost_y(&self) -> f64 {
        self.simulator.poses().iter().map(|pose| pose.position[1]).fold(f64::INFINITY, f64::min)
    }

    /// Returns the simulation of the body.
    pub fn simulator(&self) -> &Simulator {
        &self.simulator
    }
}
