//! Evaluates individuals alternately in one world without sockets, and records the paths of their robots for plots.

use super::super::individual::Individual;
use super::super::message::Message;
use super::super::world::World;
use super::life::{IndividualEvaluation, Progress};
use super::task::Task;
use std::collections::VecDeque;

/// Maximum number of successive rounds in which all robots wait.
const MOST_WAITS: u32 = 1000;

/// Recorded path of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedPath {
    /// For each trial, the poses `[x, y, direction]` at the start and after each step (mm, rad).
    pub trials: Vec<Vec<[f64; 3]>>,
    /// Fitness of the individual; `None` before the end of its evaluation.
    pub fitness: Option<f64>,
}

struct Robot<'a> {
    task: &'a Task,
    life: IndividualEvaluation,
    requests: VecDeque<Message>,
    waits: Option<&'static str>,
    driven: RecordedPath,
}

/// Evaluates individuals, each with its own task, in one world, and returns the path of each robot. `world` must not
/// contain other robots.
///
/// # Errors
/// An individual does not fit its task, a request fails, or all robots wait for too long.
pub fn drive(world: &mut World, robots: &[(Task, Individual)]) -> Result<Vec<RecordedPath>, String> {
    let begin = |(task, individual): &'_ (Task, Individual)| {
        let mut requests = Vec::new();
        let life = IndividualEvaluation::begin(task, individual, &mut requests).map_err(|error| error.to_string())?;
        Ok::<_, String>((life, requests))
    };
    let mut all = Vec::new();
    for one in robots {
        let (life, requests) = begin(one)?;
        all.push(Robot { task: &one.0, life, requests: requests.into(), waits: None, driven: RecordedPath::default() });
    }
    let mut waits = 0;
    while all.iter().any(|one| one.driven.fitness.is_none()) {
        let mut moved = false;
        for (robot, connection) in all.iter_mut().zip(1..).filter(|(one, _)| one.driven.fitness.is_none()) {
            moved |= robot.step(world, connection)?;
        }
        waits = if moved { 0 } else { waits + 1 };
        if waits > MOST_WAITS {
            return Err(all.iter().find_map(|one| one.waits).unwrap_or("no robot moves").to_string());
        }
    }
    Ok(all.into_iter().map(|one| one.driven).collect())
}

impl Robot<'_> {
    /// Processes requests until the robot has moved, the evaluation has ended, or the robot has to wait. Returns false
    /// if the robot has to wait.
    fn step(&mut self, world: &mut World, connection: u32) -> Result<bool, String> {
        let mut new = Vec::new();
        if self.waits.take().is_some() {
            self.life.again(self.task, &mut new);
        }
        self.requests.extend(new.drain(..));
        while let Some(request) = self.requests.pop_front() {
            let answer = world.answer(connection, &request).map_err(|error| error.to_string())?;
            let Some(answer) = answer else { continue };
            let trial = self.life.trial().0 as usize;
            let progress = self.life.on_answer(self.task, &answer, &mut new)?;
            self.requests.extend(new.drain(..));
            let moved = matches!(request, Message::MoveTo { .. });
            if moved || matches!(request, Message::JumpTo { .. }) {
                self.note(trial, &answer);
            }
            match progress {
                Progress::Waiting(why) => {
                    self.waits = Some(why);
                    return Ok(false);
                }
                // The recorded path keeps the robot's last pose, although the world removes the robot.
                Progress::Done(fitness) => self.driven.fitness = Some(fitness),
                Progress::Going => {}
            }
            if moved && self.driven.fitness.is_none() {
                return Ok(true);
            }
        }
        Ok(true)
    }

    fn note(&mut self, trial: usize, answer: &Message) {
        let Message::YourPosition { position, .. } = answer else { return };
        if self.driven.trials.len() <= trial {
            self.driven.trials.resize_with(trial + 1, Vec::new);
        }
        let places = &mut self.driven.trials[trial];
        let place = [position.x, position.y, position.direction];
        // After a failed jump, the answer contains the robot's previous pose.
        if places.is_empty() && position.stress > 0.0 {
            return;
        }
        places.push(place);
    }
}
