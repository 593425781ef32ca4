//! Evaluation of one individual in a world. It creates a robot, drives the robot through all trials, and removes it.

use super::super::individual::Individual;
use super::super::message::{Message, MessageError};
use super::super::network::Network;
use super::super::place::{Position, Target};
use super::super::random::Random;
use super::body;
use super::score::{self, Step};
use super::task::{Kind, Task};
use std::f64::consts::{PI, TAU};

/// Number of random start poses that are tried in succession before a pause.
const TRIES: u32 = 100;
/// Maximum difference between each colour component of a reading and that of the task's colour. A visual sensor detects
/// a robot only if no difference is larger.
const COLOUR_DIFFERENCE: u8 = 8;
/// Side length of the arena (mm).
const SIDE: f64 = 2000.0;

/// Progress of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Requests have not been answered yet.
    Going,
    /// The world cannot satisfy a request now, for the given reason. Call [`IndividualEvaluation::again`] later.
    Waiting(&'static str),
    /// The evaluation has ended with this fitness.
    Done(f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Creating,
    Shaping,
    Placing,
    Sensing,
    Moving,
}

/// Individual with its robot and the progress of its evaluation.
#[derive(Clone, Debug)]
pub struct IndividualEvaluation {
    generation: u32,
    network: Network,
    phase: Phase,
    identifier: u16,
    position: Position,
    trial: u32,
    /// Number of start poses tried in this trial.
    tries: u32,
    /// Number of completed steps of this trial.
    steps: u32,
    /// Sensor readings of this step, which are the inputs of the network.
    inputs: Vec<f64>,
    step: Step,
    sum: f64,
}

impl IndividualEvaluation {
    /// Starts the evaluation of an individual and adds the first request to `requests`.
    ///
    /// # Errors
    /// The individual does not fit the task.
    pub fn begin(
        task: &Task,
        individual: &Individual,
        requests: &mut Vec<Message>,
    ) -> Result<IndividualEvaluation, MessageError> {
        let parameters = task.parameters();
        let network = Network::new(&individual.genome(&parameters)?, &parameters);
        requests.push(Message::CreateRobot);
        Ok(IndividualEvaluation {
            generation: individual.generation,
            network,
            phase: Phase::Creating,
            identifier: 0,
            position: Position::default(),
            trial: 0,
            tries: 0,
            steps: 0,
            inputs: Vec::new(),
            step: Step::default(),
            sum: 0.0,
        })
    }

    /// Returns the identifier of the robot, once it is known.
    pub fn identifier(&self) -> Option<u16> {
        (self.identifier != 0).then_some(self.identifier)
    }

    /// Returns the pose of the robot.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the index of the current trial, from 0, and whether the robot has completed a step of this trial.
    pub fn trial(&self) -> (u32, bool) {
        (self.trial, self.steps > 0)
    }

    /// Processes the answer to the oldest unanswered request, and adds the next requests to `requests`.
    ///
    /// # Errors
    /// The answer does not match the request, or the world has lost the robot.
    pub fn on_answer(
        &mut self,
        task: &Task,
        answer: &Message,
        requests: &mut Vec<Message>,
    ) -> Result<Progress, String> {
        match (self.phase, answer) {
            (Phase::Creating, Message::YourIdentifier { identifier }) => {
                self.identifier = *identifier;
                self.phase = Phase::Shaping;
                Ok(self.again(task, requests))
            }
            (Phase::Shaping | Phase::Placing | Phase::Moving, Message::YourPosition { identifier, position })
                if *identifier == self.identifier =>
            {
                self.arrive(task, position, requests)
            }
            (Phase::Sensing, Message::SonicSensorReading { identifier, distance })
                if *identifier == self.identifier && self.inputs.len() < task.sonars.len() =>
            {
                let near = score::nearness(*distance, task.sonar_range);
                self.step.nearest = self.step.nearest.max(near);
                self.inputs.push(near);
                Ok(self.sensed(task, requests))
            }
            (Phase::Sensing, Message::VisualSensorReading { identifier, distance, colour })
                if *identifier == self.identifier && self.inputs.len() >= task.sonars.len() =>
            {
                let alike = colour.iter().zip(task.colour).all(|(a, b)| a.abs_diff(b) <= COLOUR_DIFFERENCE);
                let seen = alike && *distance < task.visual_range;
                if seen {
                    self.step.other = Some(self.step.other.map_or(*distance, |other| other.min(*distance)));
                }
                self.inputs.push(if seen { score::nearness(*distance, task.visual_range) } else { 0.0 });
                Ok(self.sensed(task, requests))
            }
            (phase, answer) => Err(format!(
                "{} was received while robot {} was in the phase {phase:?}",
                answer.name(),
                self.identifier
            )),
        }
    }

    /// Adds the requests of the current phase again, after a failure.
    pub fn again(&mut self, task: &Task, requests: &mut Vec<Message>) -> Progress {
        let identifier = self.identifier;
        match self.phase {
            Phase::Creating => requests.push(Message::CreateRobot),
            Phase::Shaping => requests.push(Message::BodyShape { identifier, shape: body::shape() }),
            Phase::Placing => requests.push(Message::JumpTo { identifier, target: self.start(task) }),
            Phase::Sensing | Phase::Moving => return self.sense(task, requests),
        }
        Progress::Going
    }

    fn arrive(&mut self, task: &Task, position: &Position, requests: &mut Vec<Message>) -> Result<Progress, String> {
        let lost = Position { stress: 1.0, death: true, ..Position::default() };
        if *position == lost {
            return Err(format!("robot {} is missing in the world", self.identifier));
        }
        let placed = position.stress == 0.0;
        match self.phase {
            Phase::Shaping if !placed => Ok(Progress::Waiting("there is no free space for the robot's body")),
            Phase::Shaping => Ok(self.place(task, requests)),
            Phase::Placing if !placed => {
                self.tries += 1;
                if task.starts.is_empty() && !self.tries.is_multiple_of(TRIES) {
                    return Ok(self.again(task, requests));
                }
                Ok(Progress::Waiting("the start is occupied by an obstacle or another robot"))
            }
            Phase::Placing => {
                self.position = *position;
                self.network.reset();
                Ok(self.sense(task, requests))
            }
            _ => {
                self.position = *position;
                self.step.stress = position.stress;
                self.sum += score::step_fitness(task, &self.step);
                self.steps += 1;
                if position.death || self.steps >= task.steps {
                    return Ok(self.next_trial(task, requests));
                }
                Ok(self.sense(task, requests))
            }
        }
    }

    fn next_trial(&mut self, task: &Task, requests: &mut Vec<Message>) -> Progress {
        self.trial += 1;
        if self.trial < task.trials() {
            return self.place(task, requests);
        }
        requests.push(Message::KillRobot { identifier: self.identifier });
        Progress::Done(self.sum / (f64::from(task.steps) * f64::from(task.trials())))
    }

    fn place(&mut self, task: &Task, requests: &mut Vec<Message>) -> Progress {
        (self.phase, self.tries, self.steps) = (Phase::Placing, 0, 0);
        self.again(task, requests)
    }

    /// Returns the start pose of the trial. Random poses depend only on generation, trial and attempt. All
    /// individuals of a generation therefore start in the same poses.
    fn start(&self, task: &Task) -> Target {
        if let Some([x, y, direction]) = task.starts.get(self.trial as usize) {
            return Target { x: *x, y: *y, direction: *direction };
        }
        let parts = [self.generation, self.trial, self.tries].map(u64::from);
        let mut random = Random::with_stream(task.seed, &parts);
        let margin = body::RADIUS;
        let mut place = || random.between(margin, SIDE - margin);
        Target { x: place(), y: place(), direction: random.between(-PI, TAU - PI) }
    }

    fn sense(&mut self, task: &Task, requests: &mut Vec<Message>) -> Progress {
        let identifier = self.identifier;
        self.phase = Phase::Sensing;
        self.inputs.clear();
        self.step = Step::default();
        requests.extend(body::sonars(task, &self.position).map(|beam| Message::SonicSensor { identifier, beam }));
        requests.extend(body::visuals(task, &self.position).map(|beam| Message::VisualSensor { identifier, beam }));
        // A robot without sensors does not wait for readings.
        if self.all_sensed(task) { self.decide(task, requests) } else { Progress::Going }
    }

    fn all_sensed(&self, task: &Task) -> bool {
        self.inputs.len() >= task.sonars.len() + task.visuals as usize
    }

    fn sensed(&mut self, task: &Task, requests: &mut Vec<Message>) -> Progress {
        if !self.all_sensed(task) {
            return Progress::Going;
        }
        // Trials with two populations start only when a robot of the other population is visible.
        if task.kind != Kind::ObstacleAvoidance && self.steps == 0 && self.step.other.is_none() {
            return Progress::Waiting(
                "no robot of another population is visible; choose starts with mutual visibility",
            );
        }
        self.decide(task, requests)
    }

    fn decide(&mut self, task: &Task, requests: &mut Vec<Message>) -> Progress {
        let outputs = self.network.step(&self.inputs);
        let wheel = |at: usize| outputs.get(at).copied().unwrap_or(0.0);
        self.step.wheels = [wheel(0), wheel(1)];
        let [left, right] = self.step.wheels.map(|wheel| wheel * task.wheel_step);
        self.phase = Phase::Moving;
        let target = body::drive(&self.position, left, right);
        requests.push(Message::MoveTo { identifier: self.identifier, target });
        Progress::Going
    }
}
