//! Evaluates individuals whose robots share a connection to a world. Requests are sent in sequence, and the answers
//! arrive in the same order.

use super::super::individual::Individual;
use super::super::message::{Message, MessageError};
use super::life::{IndividualEvaluation, Progress};
use super::task::Task;
use std::collections::VecDeque;

/// Time after which a failed request is repeated (s).
const RETRY_INTERVAL: f64 = 0.01;
/// Waiting time after which a warning is logged, and minimum interval between such warnings (s).
const WAIT_WARNING_AFTER: f64 = 10.0;

struct Member {
    ticket: u64,
    individual: Individual,
    life: IndividualEvaluation,
    /// Reason for a wait, start time of the wait (s), and time at which the request is repeated (s). The last value is
    /// infinite while the repeated request is unanswered.
    waits: Option<(&'static str, f64, f64)>,
    /// Whether the evaluation was cancelled before the identifier of its robot was known.
    cancelled: bool,
}

/// Individuals in evaluation. Times are in seconds from an arbitrary origin.
pub struct EvaluationSet {
    task: Task,
    members: Vec<Member>,
    /// Tickets of the unanswered requests, in the order of the requests.
    asked: VecDeque<u64>,
    requests: Vec<Message>,
    /// Time of the last warning about a long wait (s).
    told: Option<f64>,
}

impl EvaluationSet {
    /// Creates an empty set.
    pub fn new(task: Task) -> EvaluationSet {
        EvaluationSet { task, members: Vec::new(), asked: VecDeque::new(), requests: Vec::new(), told: None }
    }

    /// Returns the task of the individuals.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Starts the evaluation of an individual. [`Self::on_answer`] returns its fitness with `ticket`.
    ///
    /// # Errors
    /// The individual does not fit the task.
    pub fn begin(&mut self, ticket: u64, individual: Individual) -> Result<(), MessageError> {
        let before = self.requests.len();
        let life = IndividualEvaluation::begin(&self.task, &individual, &mut self.requests)?;
        self.members.push(Member { ticket, individual, life, waits: None, cancelled: false });
        self.note(ticket, before);
        Ok(())
    }

    /// Cancels an evaluation, and removes its robot from the world.
    pub fn cancel(&mut self, ticket: u64) {
        let Some(at) = self.members.iter().position(|member| member.ticket == ticket) else { return };
        match self.members[at].life.identifier() {
            Some(identifier) => {
                self.requests.push(Message::KillRobot { identifier });
                self.members.swap_remove(at);
            }
            None => self.members[at].cancelled = true,
        }
    }

    /// Returns the number of individuals in evaluation.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether no individual is in evaluation.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns whether there are unanswered requests.
    pub fn is_asking(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Removes and returns the requests to send, in sequence.
    pub fn requests(&mut self) -> std::vec::Drain<'_, Message> {
        self.requests.drain(..)
    }

    /// Processes an answer. Returns the ticket and the fitness of an individual when its evaluation ends.
    ///
    /// # Errors
    /// The answer does not match the request, and the connection is unusable. Call [`Self::restart`] after a new
    /// connection.
    pub fn on_answer(&mut self, answer: &Message, now: f64) -> Result<Option<(u64, f64)>, String> {
        let ticket = self.asked.pop_front();
        let ticket = ticket.ok_or_else(|| format!("unrequested {} received", answer.name()))?;
        // Ignores answers for a cancelled evaluation.
        let Some(at) = self.members.iter().position(|member| member.ticket == ticket) else { return Ok(None) };
        let member = &mut self.members[at];
        let before = self.requests.len();
        let progress = member.life.on_answer(&self.task, answer, &mut self.requests)?;
        if member.cancelled {
            self.requests.truncate(before);
            self.cancel(ticket);
            return Ok(None);
        }
        member.waits = match progress {
            Progress::Waiting(why) => Some((why, member.waits.map_or(now, |waits| waits.1), now + RETRY_INTERVAL)),
            _ if member.life.trial().1 => None,
            // The individual still counts as waiting, because the repeated request may fail again.
            _ => member.waits.map(|(why, since, _)| (why, since, f64::INFINITY)),
        };
        if let Progress::Done(fitness) = progress {
            self.members.swap_remove(at);
            return Ok(Some((ticket, fitness)));
        }
        self.note(ticket, before);
        Ok(None)
    }

    /// Repeats the requests that are due. Returns a warning for the log if an individual has waited for more than
    /// `WAIT_WARNING_AFTER`, but at most one warning per `WAIT_WARNING_AFTER`.
    pub fn wake(&mut self, now: f64) -> Option<String> {
        let mut long = None;
        let due: Vec<u64> = self
            .members
            .iter_mut()
            .filter_map(|member| {
                let (why, since, until) = member.waits?;
                if now - since > WAIT_WARNING_AFTER {
                    long = Some(why);
                }
                if until > now {
                    return None;
                }
                member.waits = Some((why, since, f64::INFINITY));
                Some(member.ticket)
            })
            .collect();
        for ticket in due {
            let before = self.requests.len();
            if let Some(member) = self.members.iter_mut().find(|member| member.ticket == ticket) {
                member.life.again(&self.task, &mut self.requests);
            }
            self.note(ticket, before);
        }
        let why = long.filter(|_| self.told.is_none_or(|told| now - told > WAIT_WARNING_AFTER))?;
        self.told = Some(now);
        Some(format!("an individual is waiting: {why}"))
    }

    /// Returns the time at which the next request is repeated (s); `None` if no request has to be repeated.
    pub fn next_wake(&self) -> Option<f64> {
        let ends = self.members.iter().filter_map(|member| member.waits.map(|waits| waits.2));
        ends.filter(|end| end.is_finite()).reduce(f64::min)
    }

    /// Restarts all evaluations for a new connection. Returns their number.
    pub fn restart(&mut self) -> usize {
        self.asked.clear();
        self.requests.clear();
        let members = std::mem::take(&mut self.members);
        for member in members.into_iter().filter(|member| !member.cancelled) {
            // The individual has been checked before, so this call cannot fail.
            let _ = self.begin(member.ticket, member.individual);
        }
        self.members.len()
    }

    /// Records `ticket` for each of the requests from index `before` on. `KillRobot` is excluded because it has no
    /// answer.
    fn note(&mut self, ticket: u64, before: usize) {
        let new = self.requests[before..].iter().filter(|request| !matches!(request, Message::KillRobot { .. }));
        self.asked.extend(new.map(|_| ticket));
    }
}
