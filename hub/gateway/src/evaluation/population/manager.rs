//! Connects a population manager to its robot simulators.

use super::super::message::Message;
use super::super::parameters::NetParameters;
use super::super::stream::{ReadOutcome, Stream};
use super::dispatch::{AnswerKind, Dispatch};
use super::evolution::{Best, Evolution, Settings, Summary};
use rustix::event::{PollFd, Timespec, poll};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use xpuck_wire::log::Line;

/// Maximum number of robot simulators of a manager.
pub const MOST_SIMULATORS: usize = 64;
/// Timeout of an attempt to connect. The attempt blocks the communication with all other simulators.
const CONNECT: Duration = Duration::from_millis(500);
/// Initial and maximum pause between two attempts to connect to a simulator.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(10)];
/// Maximum magnitude of a fitness. It ensures that means and plots are finite.
const MOST_FITNESS: f64 = 1e15;
/// Minimum interval between reports of unsolicited fitness values.
const TELL_UNKNOWN: Duration = Duration::from_secs(10);

/// Counters of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of accepted fitness values.
    pub evaluated: u64,
    /// Number of individuals sent again because their fitness was overdue.
    pub overdue: u64,
    /// Number of fitness values that arrived after the time limit.
    pub late: u64,
    /// Number of unsolicited fitness values.
    pub unknown: u64,
    /// Number of lost connections.
    pub lost: u64,
}

enum State {
    /// Not connected. The value is the time of the next attempt to connect.
    Gone(Instant),
    /// Waiting for the simulator's parameters since the given time.
    Asked(Stream, Instant),
    Ready(Stream),
}

struct Simulator {
    at: SocketAddr,
    state: State,
    pause: Duration,
}

/// Population, with connections to the robot simulators that evaluate it.
pub struct Manager {
    settings: Settings,
    simulators: Vec<Simulator>,
    dispatch: Dispatch,
    evolution: Option<Evolution>,
    /// Last generation to evaluate; `None`: no limit.
    last: Option<u32>,
    timeout: Duration,
    began: Instant,
    counts: Counts,
    told_unknown: Option<Instant>,
    failed: Option<String>,
}

/// Result of a call of [`Manager::turn`].
#[derive(Default)]
pub struct Turn {
    /// Lines for the log.
    pub told: Vec<Line>,
    /// Statistics and best individual of a generation, if its evaluation has ended in this call.
    pub generation: Option<(Summary, Best)>,
}

impl Manager {
    /// Creates a manager of at most [`MOST_SIMULATORS`] simulators. An individual whose fitness does not arrive
    /// within `timeout` is sent again. The settings must have been checked.
    pub fn new(settings: Settings, simulators: &[SocketAddr], timeout: Duration) -> Manager {
        let began = Instant::now();
        let simulator = |at: &SocketAddr| Simulator { at: *at, state: State::Gone(began), pause: PAUSES[0] };
        let simulators: Vec<Simulator> = simulators.iter().take(MOST_SIMULATORS).map(simulator).collect();
        Manager {
            settings,
            dispatch: Dispatch::new(simulators.len()),
            simulators,
            evolution: None,
            last: None,
            timeout,
            began,
            counts: Counts::default(),
            told_unknown: None,
            failed: None,
        }
    }

    /// Ends the evolution after this generation. No individuals of later generations are sent.
    pub fn end_after(&mut self, generation: u32) {
        self.last = Some(generation);
    }

    /// Returns the population; `None` until a simulator has reported its parameters.
    pub fn evolution(&mut self) -> Option<&mut Evolution> {
        self.evolution.as_mut()
    }

    /// Returns the counters of events.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the number of connected simulators that have reported their parameters.
    pub fn ready(&self) -> usize {
        self.simulators.iter().filter(|one| matches!(one.state, State::Ready(_))).count()
    }

    /// Waits at most `wait` for messages, then processes received messages and sends individuals.
    ///
    /// # Errors
    /// The operating system reports an error while waiting, or the population is too large for networks of this size.
    pub fn turn(&mut self, wait: Duration) -> Result<Turn, String> {
        self.wait(wait).map_err(|error| error.to_string())?;
        let mut turn = Turn::default();
        for at in 0..self.simulators.len() {
            if let Err(why) = self.serve(at, &mut turn.told) {
                self.lose(at, &why, &mut turn.told);
            }
        }
        if let Some(why) = self.failed.take() {
            return Err(why);
        }
        let now = self.began.elapsed().as_secs_f64();
        for (at, (_, number)) in self.dispatch.overdue(now, self.timeout.as_secs_f64()) {
            self.counts.overdue += 1;
            let (place, seconds) = (self.simulators[at].at, self.timeout.as_secs());
            let text = format!(
                "{place} has sent no fitness of individual {number} for {seconds} s; the individual is sent again"
            );
            turn.told.push(Line::warn(text));
        }
        for at in self.dispatch.stuck() {
            self.lose(at, "all its individuals are overdue", &mut turn.told);
        }
        if let Some(evolution) = &mut self.evolution {
            turn.generation = evolution.advance();
            let is_last = |summary: &Summary| self.last.is_some_and(|last| summary.generation >= last);
            if turn.generation.as_ref().is_some_and(|(summary, _)| !is_last(summary)) {
                self.dispatch.begin(evolution.generation(), evolution.population());
            }
        }
        self.send(now, &mut turn.told);
        Ok(turn)
    }

    fn wait(&self, wait: Duration) -> std::io::Result<()> {
        let mut all: Vec<PollFd<'_>> = Vec::new();
        for one in &self.simulators {
            if let State::Asked(stream, _) | State::Ready(stream) = &one.state {
                all.push(PollFd::new(stream.socket(), stream.interest()));
            }
        }
        let timeout = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
        match poll(&mut all, Some(&timeout)) {
            Err(error) if error != rustix::io::Errno::INTR => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Connects to a simulator or processes its messages.
    ///
    /// # Errors
    /// The connection is lost or must be closed, for the given reason.
    fn serve(&mut self, at: usize, told: &mut Vec<Line>) -> Result<(), String> {
        let place = self.simulators[at].at;
        let stream = match &mut self.simulators[at].state {
            State::Gone(next) if *next > Instant::now() => return Ok(()),
            State::Gone(_) => {
                let mut stream = Stream::connect(&place, CONNECT).map_err(|error| error.to_string())?;
                stream.put(&Message::SendNetParameters).map_err(|error| error.to_string())?;
                stream.send().map_err(|error| error.to_string())?;
                self.simulators[at].state = State::Asked(stream, Instant::now());
                return Ok(());
            }
            State::Asked(_, since) if since.elapsed() > self.timeout => {
                return Err(format!("no NetParameters received within {} s", self.timeout.as_secs()));
            }
            State::Asked(stream, _) | State::Ready(stream) => stream,
        };
        let came = stream.read().map_err(|error| error.to_string())?;
        stream.send().map_err(|error| error.to_string())?;
        loop {
            let (State::Asked(stream, _) | State::Ready(stream)) = &mut self.simulators[at].state else {
                return Ok(());
            };
            let Some(line) = stream.lines.next_line() else { break };
            let line = line.map_err(|error| error.to_string())?;
            match Message::parse(&line).map_err(|error| error.to_string())? {
                Message::NetParameters(parameters) => self.join(at, parameters, told)?,
                Message::Fitness { fitness, .. } if fitness.abs() > MOST_FITNESS => {
                    return Err(format!("a fitness of {fitness:e}; at most {MOST_FITNESS:e} is allowed"));
                }
                Message::Fitness { generation, number, fitness } => {
                    self.record_fitness(at, (generation, number), fitness, told)
                }
                other => return Err(format!("{} is not accepted by a population manager", other.name())),
            }
        }
        if came == ReadOutcome::End { Err("it closed the connection".to_string()) } else { Ok(()) }
    }

    fn join(&mut self, at: usize, parameters: NetParameters, told: &mut Vec<Line>) -> Result<(), String> {
        let place = self.simulators[at].at;
        let limit = parameters.max_concurrent;
        let State::Asked(..) = self.simulators[at].state else {
            return Err("unrequested NetParameters received".to_string());
        };
        let alike = NetParameters { max_concurrent: 1, ..parameters };
        match &self.evolution {
            Some(evolution) if *evolution.parameters() != alike => {
                self.simulators[at].pause = PAUSES[1];
                return Err("its networks differ from those of the first robot simulator".to_string());
            }
            Some(_) => {}
            None => match Evolution::new(alike, self.settings.clone()) {
                Ok(evolution) => {
                    self.dispatch.begin(evolution.generation(), evolution.population());
                    self.evolution = Some(evolution);
                }
                Err(why) => {
                    self.failed = Some(format!("{place}: {why}"));
                    return Ok(());
                }
            },
        }
        let gone = State::Gone(Instant::now());
        if let State::Asked(stream, _) = std::mem::replace(&mut self.simulators[at].state, gone) {
            self.simulators[at].state = State::Ready(stream);
        }
        self.dispatch.join(at, limit);
        told.push(Line::info(format!("robot simulator {place} evaluates {limit} individuals concurrently")));
        Ok(())
    }

    fn record_fitness(&mut self, at: usize, name: (u32, u32), fitness: f64, told: &mut Vec<Line>) {
        let known = self.dispatch.answer(at, name);
        let evolution = self.evolution.as_mut().filter(|evolution| evolution.generation() == name.0);
        let new = known != AnswerKind::Unknown
            && evolution.is_some_and(|evolution| evolution.record_fitness(name.1, fitness));
        match known {
            _ if new => {
                self.counts.evaluated += 1;
                self.simulators[at].pause = PAUSES[0];
            }
            AnswerKind::Unknown => {
                self.counts.unknown += 1;
                if self.told_unknown.is_none_or(|told| told.elapsed() > TELL_UNKNOWN) {
                    self.told_unknown = Some(Instant::now());
                    let place = self.simulators[at].at;
                    let (generation, number) = name;
                    told.push(Line::warn(format!(
                        "{place} sent an unrequested fitness of individual {number} of generation {generation} ({} so \
                         far)",
                        self.counts.unknown
                    )));
                }
            }
            _ => {}
        }
        if known == AnswerKind::Late {
            self.counts.late += 1;
        }
    }

    fn send(&mut self, now: f64, told: &mut Vec<Line>) {
        let mut lost = Vec::new();
        while let Some(evolution) = &self.evolution {
            let open = |at: usize| matches!(&self.simulators[at].state, State::Ready(stream) if !stream.is_full());
            let Some((at, name)) = self.dispatch.next(now, open) else { break };
            let State::Ready(stream) = &mut self.simulators[at].state else { break };
            // A late answer may have arrived while the individual was queued again.
            let Some(individual) = evolution.individual(name.1).filter(|_| !evolution.is_known(name.1)) else {
                self.dispatch.answer(at, name);
                continue;
            };
            if let Err(error) = stream.put(&Message::Individual(individual)) {
                lost.push((at, error.to_string()));
                break;
            }
        }
        for (at, simulator) in self.simulators.iter_mut().enumerate() {
            if let State::Ready(stream) = &mut simulator.state
                && let Err(error) = stream.send()
            {
                lost.push((at, error.to_string()));
            }
        }
        lost.into_iter().for_each(|(at, why)| self.lose(at, &why, told));
    }

    fn lose(&mut self, at: usize, why: &str, told: &mut Vec<Line>) {
        let simulator = &mut self.simulators[at];
        let was_there = !matches!(simulator.state, State::Gone(_));
        let place = simulator.at;
        if was_there {
            let again = self.dispatch.leave(at);
            self.counts.lost += 1;
            told.push(Line::warn(format!(
                "lost connection to robot simulator {place}; {again} individuals are sent again: {why}"
            )));
        } else if simulator.pause < PAUSES[1] {
            told.push(Line::warn(format!("no robot simulator at {place}: {why}; retrying")));
        }
        simulator.state = State::Gone(Instant::now() + simulator.pause);
        simulator.pause = (simulator.pause * 2).min(PAUSES[1]);
    }
}
