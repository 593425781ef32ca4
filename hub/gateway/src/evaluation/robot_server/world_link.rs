//! Evaluates individuals in the world of a world simulator. After a lost connection, all unfinished evaluations start
//! again in the next world.

use super::super::individual::Individual;
use super::super::message::Message;
use super::super::parameters::NetParameters;
use super::super::robot::fleet::EvaluationSet;
use super::super::robot::task::Task;
use super::super::stream::{ReadOutcome, Stream};
use super::evaluator::Evaluator;
use rustix::event::PollFlags;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};
use xpuck_wire::log::Line;

/// Timeout of an attempt to connect. The attempt blocks the server.
const CONNECT: Duration = Duration::from_millis(500);
/// Initial and maximum pause between two attempts to connect to a world.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];

/// Evaluator with robots in a world, and with a connection to this world.
pub struct WorldLink {
    at: SocketAddr,
    parameters: NetParameters,
    fleet: EvaluationSet,
    stream: Option<Stream>,
    /// Time of the next attempt to connect, and the pause after this attempt if it fails.
    next: (Instant, Duration),
    /// Time of the last received bytes, or last time at which all requests were answered, whichever is later.
    heard: Instant,
    timeout: Duration,
    began: Instant,
    lost: u64,
}

impl WorldLink {
    /// Creates a link to the world at an address. The link connects when there is an individual to evaluate. A world
    /// that answers no request for `timeout` counts as lost. The task must have been checked.
    pub fn new(task: Task, at: SocketAddr, timeout: Duration) -> WorldLink {
        let began = Instant::now();
        WorldLink {
            at,
            parameters: task.parameters(),
            fleet: EvaluationSet::new(task),
            stream: None,
            next: (began, PAUSES[0]),
            heard: began,
            timeout,
            began,
            lost: 0,
        }
    }

    /// Returns the number of lost connections.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    fn connect(&mut self, told: &mut Vec<Line>) {
        if self.next.0 > Instant::now() {
            return;
        }
        match Stream::connect(&self.at, CONNECT) {
            Ok(stream) => {
                told.push(Line::info(format!("connected to the world at {}", self.at)));
                self.stream = Some(stream);
                self.heard = Instant::now();
                self.fleet.restart();
            }
            Err(error) => {
                // Logs failures only until the pause reaches its maximum, to keep the log short.
                if self.next.1 < PAUSES[1] {
                    told.push(Line::warn(format!("no world simulator at {}: {error}; retrying", self.at)));
                }
                self.pause();
            }
        }
    }

    fn pause(&mut self) {
        let pause = self.next.1;
        self.next = (Instant::now() + pause, (pause * 2).min(PAUSES[1]));
    }

    fn lose(&mut self, why: &str, told: &mut Vec<Line>) {
        self.stream = None;
        self.lost += 1;
        let count = self.fleet.len();
        told.push(Line::warn(format!("lost connection to world {}; restarting {count} individuals: {why}", self.at)));
        self.pause();
    }

    /// Reads answers and sends requests.
    ///
    /// # Errors
    /// The connection to the world is lost, for the given reason.
    fn exchange(&mut self, found: &mut Vec<(u64, f64)>, told: &mut Vec<Line>) -> Result<(), String> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        let now = self.began.elapsed().as_secs_f64();
        told.extend(self.fleet.wake(now).map(Line::warn));
        loop {
            while let Some(line) = stream.lines.next_line() {
                let line = line.map_err(|error| error.to_string())?;
                let answer = Message::parse(&line).map_err(|error| error.to_string())?;
                let done = self.fleet.on_answer(&answer, now)?;
                if done.is_some() {
                    // An evaluation has ended, so the connection works. After the next loss, the pause starts at its
                    // initial value.
                    self.next.1 = PAUSES[0];
                }
                found.extend(done);
            }
            match stream.read().map_err(|error| error.to_string())? {
                ReadOutcome::Bytes(_) => self.heard = Instant::now(),
                ReadOutcome::Nothing => break,
                ReadOutcome::End => return Err("it closed the connection".to_string()),
            }
        }
        for request in self.fleet.requests() {
            stream.put(&request).map_err(|error| error.to_string())?;
        }
        stream.send().map_err(|error| error.to_string())?;
        if !self.fleet.is_asking() {
            self.heard = Instant::now();
        } else if self.heard.elapsed() > self.timeout {
            return Err(format!("it did not answer for {} s", self.timeout.as_secs_f64()));
        }
        Ok(())
    }
}

impl Evaluator for WorldLink {
    fn parameters(&self) -> &NetParameters {
        &self.parameters
    }

    fn begin(&mut self, ticket: u64, individual: Individual) {
        // The server has checked the individual, so this call cannot fail.
        let _ = self.fleet.begin(ticket, individual);
    }

    fn cancel(&mut self, ticket: u64) {
        self.fleet.cancel(ticket);
    }

    fn waits_for(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        self.stream.as_ref().map(|stream| (stream.socket().as_fd(), stream.interest()))
    }

    fn longest_wait(&self) -> Option<Duration> {
        if self.stream.is_none() {
            return (!self.fleet.is_empty()).then(|| self.next.0.saturating_duration_since(Instant::now()));
        }
        let now = self.began.elapsed().as_secs_f64();
        self.fleet.next_wake().map(|wake| Duration::from_secs_f64((wake - now).max(0.0)))
    }

    fn turn(&mut self, told: &mut Vec<Line>) -> Vec<(u64, Option<f64>)> {
        let mut found = Vec::new();
        if self.stream.is_none() && !self.fleet.is_empty() {
            self.connect(told);
        }
        if let Err(why) = self.exchange(&mut found, told) {
            self.lose(&why, told);
        }
        found.into_iter().map(|(ticket, fitness)| (ticket, Some(fitness))).collect()
    }
}
