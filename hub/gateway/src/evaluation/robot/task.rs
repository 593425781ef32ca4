//! Task files: sensors, start poses and fitness function of a robot.

use super::super::parameters::{HiddenNeurons, NetParameters, Neurons, Weights};
use serde::Deserialize;
use std::ops::RangeInclusive;

/// Maximum number of sensors of a kind.
const MAX_SENSORS: usize = 64;
/// Maximum number of start poses. Each individual has one trial per start pose.
const MAX_STARTS: usize = 64;
/// Maximum total number of steps of an individual in all trials.
const MAX_STEPS: u64 = 10_000_000;
/// Maximum number of individuals evaluated concurrently. The world simulator of this project has at most 1024 robots.
pub const MAX_CONCURRENT: u32 = 1024;
/// Maximum number of hidden neurons.
const MAX_HIDDEN: u32 = 128;
const PLACES: RangeInclusive<f64> = 0.0..=2000.0;
const ANGLES: RangeInclusive<f64> = -100.0..=100.0;
const VALUES: RangeInclusive<f64> = -1e6..=1e6;

/// Fitness function of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Drive fast, straight ahead and far from obstacles. The fitness is V (1 - sqrt(dv)) (1 - i), after Floreano and
    /// Mondada (1994). V is the mean of the wheel outputs, and dv is half their absolute difference. i is the maximum
    /// sonar activation or the blocked fraction of the move, whichever is larger.
    #[default]
    ObstacleAvoidance,
    /// Stay close to a robot of another population.
    Pursuit,
    /// Stay far from a robot of another population.
    Evasion,
}

/// Task file. Lengths are in millimetres, angles in radians.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Task {
    /// Fitness function.
    pub kind: Kind,
    /// Number of steps of a trial, >= 1.
    pub steps: u32,
    /// Start poses `[x, y, direction]`, at most 64, with one trial per pose.
    pub starts: Vec<[f64; 3]>,
    /// Number of trials with random start poses if `starts` is empty, 1 to 64. The poses are the same for all
    /// individuals of a generation.
    pub random_starts: u32,
    /// Seed of the random start poses.
    pub seed: u64,
    /// Cci: number of individuals evaluated concurrently, 1 to 1024. If it is above 1, individuals share a world and
    /// interact, so that the fitness of an individual depends on the other individuals present.
    pub concurrent: u32,
    /// Directions of the sonars, counter-clockwise from the direction of travel. At most 64 sonars.
    pub sonars: Vec<f64>,
    /// Distance up to which sonars detect objects.
    pub sonar_range: f64,
    /// Opening angle of the sonars, 0 to a quarter turn.
    pub sonar_angle: f64,
    /// Number of visual sensors, 4 to 64, or 0. They divide the full circle evenly, and the first one points ahead.
    pub visuals: u32,
    /// Distance up to which visual sensors detect robots of `colour`.
    pub visual_range: f64,
    /// Height of the visual sensors above the ground. The beams are horizontal, so the sensors do not detect objects
    /// that are lower than this.
    pub visual_height: f64,
    /// Colour of the robots that visual sensors detect. Objects of other colours are ignored.
    pub colour: [u8; 3],
    /// Distance that a wheel rolls in a step at an output of 1.
    pub wheel_step: f64,
    /// Minimum and maximum number of hidden neurons, at most 128.
    pub hidden: [u32; 2],
    /// Number of parameter values of each output and hidden neuron: 0, 1 (bias) or 2 (bias, then gain).
    pub neuron_values: u32,
    /// Lowest and highest parameter value of output and hidden neurons.
    pub neurons: [f64; 2],
    /// Lowest and highest value of a weight.
    pub weights: [f64; 2],
    /// Fio: whether inputs are connected to outputs.
    pub input_to_output: bool,
    /// Fre: whether networks may be recurrent.
    pub recurrent: bool,
}

impl Default for Task {
    fn default() -> Self {
        Self {
            kind: Kind::ObstacleAvoidance,
            steps: 300,
            starts: Vec::new(),
            random_starts: 2,
            seed: 1,
            concurrent: 1,
            // Directions of the sonars of an e-puck: 17, 50, 90 and 150 degrees to the right and to the left.
            sonars: [-17.0f64, -50.0, -90.0, -150.0, 150.0, 90.0, 50.0, 17.0].map(f64::to_radians).to_vec(),
            sonar_range: 150.0,
            sonar_angle: 0.3,
            visuals: 0,
            visual_range: 2000.0,
            visual_height: 45.0,
            colour: [40, 120, 60],
            wheel_step: 13.0,
            hidden: [0, 4],
            neuron_values: 1,
            neurons: [-5.0, 5.0],
            weights: [-10.0, 10.0],
            input_to_output: true,
            recurrent: true,
        }
    }
}

impl Task {
    /// Checks the task.
    ///
    /// # Errors
    /// A value is invalid; the error names the first such value and its allowed range in one line.
    pub fn check(&self) -> Result<(), String> {
        let range = |what: &str, value: f64, range: RangeInclusive<f64>| match range.contains(&value) {
            true => Ok(()),
            false => Err(format!("{what} is {value}, but must be {} to {}", range.start(), range.end())),
        };
        range("the number of starts", self.starts.len() as f64, 0.0..=MAX_STARTS as f64)?;
        range("random_starts", self.random_starts.into(), 1.0..=MAX_STARTS as f64)?;
        range("steps", self.steps.into(), 1.0..=(MAX_STEPS / self.trials() as u64) as f64)?;
        for [x, y, direction] in &self.starts {
            range("x of a start", *x, PLACES)?;
            range("y of a start", *y, PLACES)?;
            range("the direction of a start", *direction, ANGLES)?;
        }
        range("concurrent", self.concurrent.into(), 1.0..=MAX_CONCURRENT.into())?;
        range("the number of sonars", self.sonars.len() as f64, 0.0..=MAX_SENSORS as f64)?;
        self.sonars.iter().try_for_each(|sonar| range("the direction of a sonar", *sonar, ANGLES))?;
        range("sonar_range", self.sonar_range, 1.0..=10_000.0)?;
        range("sonar_angle", self.sonar_angle, 0.0..=std::f64::consts::FRAC_PI_2)?;
        if self.visuals != 0 {
            range("visuals", self.visuals.into(), 4.0..=MAX_SENSORS as f64)?;
        }
        range("visual_range", self.visual_range, 1.0..=10_000.0)?;
        range("visual_height", self.visual_height, 0.0..=2000.0)?;
        range("wheel_step", self.wheel_step, 0.001..=50.0)?;
        range("the maximum of hidden neurons", self.hidden[1].into(), 0.0..=MAX_HIDDEN.into())?;
        range("neuron_values", self.neuron_values.into(), 0.0..=2.0)?;
        for value in self.neurons.into_iter().chain(self.weights) {
            range("an end of a range of values", value, VALUES)?;
        }
        if self.kind != Kind::ObstacleAvoidance {
            if self.visuals == 0 {
                return Err("visuals is 0, but pursuit and evasion need 4 to 64 visual sensors".into());
            }
            if self.concurrent > 1 {
                return Err(
                    "concurrent must be 1 for pursuit and evasion: with more, robots of one population are mistaken for robots of the other"
                        .into(),
                );
            }
        }
        self.parameters().check().map_err(|error| error.to_string())
    }

    /// Returns the number of trials of each individual.
    pub fn trials(&self) -> u32 {
        if self.starts.is_empty() { self.random_starts } else { self.starts.len() as u32 }
    }

    /// Returns the answer to `SendNetParameters`.
    pub fn parameters(&self) -> NetParameters {
        let values = self.neuron_values;
        let [low, high] = if values == 0 { [0.0; 2] } else { self.neurons };
        let [min, max] = self.hidden;
        let inputs = self.sonars.len() as u32 + self.visuals;
        // If networks cannot have hidden neurons, all parameters of hidden neurons are 0, as in the specification's
        // example.
        let hidden = if max == 0 { HiddenNeurons::default() } else { HiddenNeurons { min, max, values, low, high } };
        NetParameters {
            max_concurrent: self.concurrent,
            inputs: Neurons { count: inputs, ..Neurons::default() },
            outputs: Neurons { count: 2, values, low, high },
            hidden,
            weights: Weights { values: 1, low: self.weights[0], high: self.weights[1] },
            input_to_output: self.input_to_output,
            recurrent: self.recurrent,
            ..NetParameters::default()
        }
    }
}
