//! A body with its brain: senses, neurons and motors, step by step.

use crate::physics::{DT, Simulator, Start};
use crate::{BodyError, Brain, PERIODS, Part, Plan};
use std::f64::consts::TAU;

/// Angle that a motor neuron of value 1 stands for, rad.
const JOINT_RANGE: f64 = 0.2;
/// Amplitude of the central pattern generator.
const PATTERN: f64 = 2.0;

/// What the brain's own sensor neuron does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rhythm {
    /// A sine of amplitude 2 and this period in seconds, as pyro-corpus's README describes it.
    Period(f64),
    /// Touch, as any sensor: what pyro-corpus's code does, whose pattern generator never runs.
    AsPublished,
}

impl Rhythm {
    /// Whether one has this period in seconds: one of [`PERIODS`], or 0, which stands for touch.
    pub fn has_period(period: f64) -> bool {
        period == 0.0 || PERIODS.contains(&period)
    }

    /// That of a period in seconds; 0 stands for touch.
    pub fn of_period(period: f64) -> Rhythm {
        if period == 0.0 { Rhythm::AsPublished } else { Rhythm::Period(period) }
    }
}

impl Default for Rhythm {
    /// A period of 1 s.
    fn default() -> Rhythm {
        Rhythm::Period(1.0)
    }
}

/// How a body is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trial {
    /// What the brain's own neuron does; a brain with a period of its own keeps it, unless it is to feel touch.
    pub rhythm: Rhythm,
    /// At which height it begins.
    pub start: Start,
}

impl Trial {
    /// All as pyro-corpus's program does it.
    pub const AS_PUBLISHED: Trial = Trial { rhythm: Rhythm::AsPublished, start: Start::Published };
}

/// A body that is driven by its brain.
pub struct Robot<'a> {
    plan: &'a Plan,
    brain: &'a Brain,
    rhythm: Rhythm,
    simulator: Simulator,
    /// The part of each sensor neuron, and the parts of motor neurons whose joints turn, with the neurons' numbers.
    sensors: Vec<usize>,
    motors: Vec<(usize, usize)>,
    senses: Vec<f64>,
    values: Vec<f64>,
    steps: u32,
}

impl<'a> Robot<'a> {
    /// A robot in its starting place.
    ///
    /// # Errors
    /// The brain does not fit the body; a period that is not finite and above 0.
    pub fn new(plan: &'a Plan, brain: &'a Brain, trial: Trial) -> Result<Robot<'a>, BodyError> {
        let Trial { rhythm, start } = trial;
        brain.check(plan)?;
        let rhythm = match (rhythm, brain.period) {
            (Rhythm::Period(_), Some(own)) => Rhythm::Period(own),
            (rhythm, _) => rhythm,
        };
        if let Rhythm::Period(period) = rhythm
            && !(period.is_finite() && period > 0.0)
        {
            return Err(BodyError::new("the rhythm", format_args!("a period of {period} s; it is finite and above 0")));
        }
        let simulator = Simulator::new(plan, start);
        let sensors: Vec<usize> = plan.sensors().collect();
        let motors: Vec<(usize, usize)> = plan
            .motors()
            .enumerate()
            .map(|(neuron, part)| (part, neuron))
            .filter(|&(part, _)| plan.parts()[part].part.turns())
            .collect();
        // No neuron has a value before the first step, so that it is not known whether senses changed.
        let senses = vec![f64::NAN; sensors.len()];
        let values = vec![0.0; motors.len()];
        Ok(Robot { plan, brain, rhythm, simulator, sensors, motors, senses, values, steps: 0 })
    }

    /// The robot, lifted by so much, m.
    pub fn lifted(mut self, height: f64) -> Robot<'a> {
        self.simulator.lift(height);
        self
    }

    /// Moves, then tells the motors what the neurons said before, then lets the neurons see what is felt: the order of
    /// pyro-corpus.
    pub fn step(&mut self) {
        self.simulator.step();
        for (&(part, _), value) in self.motors.iter().zip(&self.values) {
            self.simulator.set_target(part, JOINT_RANGE * value);
        }
        if self.sense() {
            self.think();
        }
        self.steps += 1;
    }

    /// Whether anything is felt that was not before.
    fn sense(&mut self) -> bool {
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

    fn think(&mut self) {
        for (&(_, neuron), value) in self.motors.iter().zip(&mut self.values) {
            let sum: f64 =
                self.senses.iter().enumerate().map(|(sensor, sense)| self.brain.weight(sensor, neuron) * sense).sum();
            *value = libm::tanh(sum);
        }
    }

    /// y of the centre of the rearmost part, whichever that is now, m.
    pub fn rear(&self) -> f64 {
        self.simulator.poses().iter().map(|pose| pose.position[1]).fold(f64::INFINITY, f64::min)
    }

    /// The body in its world.
    pub fn simulator(&self) -> &Simulator {
        &self.simulator
    }
}
