//! All robots that share a connection to a world: requests of many go out one after the other, and answers come back in that order.

use super::super::individual::Individual;
use super::super::message::{Message, MessageError};
use super::life::{Life, Progress};
use super::task::Task;
use std::collections::VecDeque;

/// What could not be done is asked again after so long, s.
const PAUSE: f64 = 0.01;
/// Who waits for so long is told about, s.
const TELL_WAITING: f64 = 10.0;

struct Member {
    ticket: u64,
    individual: Individual,
    life: Life,
    /// Why it waits, since when, and until when before it asks again, s.
    waits: Option<(&'static str, f64, f64)>,
    /// Nobody wants its fitness any more, but its robot is not known yet.
    cancelled: bool,
}

/// Individuals that are being evaluated. Times are in seconds since any moment.
pub struct Fleet {
    task: Task,
    members: Vec<Member>,
    /// Who waits for an answer, the oldest request first.
    asked: VecDeque<u64>,
    requests: Vec<Message>,
    /// When waiting was told last.
    told: Option<f64>,
}

impl Fleet {
    /// Nobody yet.
    pub fn new(task: Task) -> Fleet {
        Fleet { task, members: Vec::new(), asked: VecDeque::new(), requests: Vec::new(), told: None }
    }

    /// What is measured.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Begins with an individual; the ticket is given back with its fitness.
    ///
    /// # Errors
    /// What does not fit in it.
    pub fn begin(&mut self, ticket: u64, individual: Individual) -> Result<(), MessageError> {
        let before = self.requests.len();
        let life = Life::begin(&self.task, &individual, &mut self.requests)?;
        self.members.push(Member { ticket, individual, life, waits: None, cancelled: false });
        self.note(ticket, before);
        Ok(())
    }

    /// Ends an evaluation without a fitness.
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

    /// How many are evaluated.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// True if there is nobody.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// True while answers are to come.
    pub fn is_asking(&self) -> bool {
        !self.asked.is_empty()
    }

    /// What is to be sent, in this order.
    pub fn requests(&mut self) -> std::vec::Drain<'_, Message> {
        self.requests.drain(..)
    }

    /// Takes an answer; gives a ticket and its fitness when they are known.
    ///
    /// # Errors
    /// It is no answer to what was asked, so that the connection is of no use any more: call [`Self::restart`].
    pub fn take(&mut self, answer: &Message, now: f64) -> Result<Option<(u64, f64)>, String> {
        let ticket = self.asked.pop_front();
        let ticket = ticket.ok_or_else(|| format!("{} came, and nothing was asked", answer.name()))?;
        // Who was cancelled does not mind its last answers.
        let Some(at) = self.members.iter().position(|member| member.ticket == ticket) else { return Ok(None) };
        let member = &mut self.members[at];
        let before = self.requests.len();
        let progress = member.life.take(&self.task, answer, &mut self.requests)?;
        if member.cancelled {
            self.requests.truncate(before);
            self.cancel(ticket);
            return Ok(None);
        }
        member.waits = match progress {
            Progress::Waiting(why) => Some((why, member.waits.map_or(now, |waits| waits.1), now + PAUSE)),
            _ if member.life.trial().1 => None,
            // It may fail again.
            _ => member.waits.map(|(why, since, _)| (why, since, f64::INFINITY)),
        };
        if let Progress::Done(fitness) = progress {
            self.members.swap_remove(at);
            return Ok(Some((ticket, fitness)));
        }
        self.note(ticket, before);
        Ok(None)
    }

    /// Asks again for those that have waited; gives a line for the log, now and then, if some wait for long.
    pub fn wake(&mut self, now: f64) -> Option<String> {
        let mut long = None;
        let due: Vec<u64> = self
            .members
            .iter_mut()
            .filter_map(|member| {
                let (why, since, until) = member.waits?;
                if now - since > TELL_WAITING {
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
        let why = long.filter(|_| self.told.is_none_or(|told| now - told > TELL_WAITING))?;
        self.told = Some(now);
        Some(format!("an individual waits: {why}"))
    }

    /// When somebody's waiting ends, s.
    pub fn next_wake(&self) -> Option<f64> {
        let ends = self.members.iter().filter_map(|member| member.waits.map(|waits| waits.2));
        ends.filter(|end| end.is_finite()).reduce(f64::min)
    }

    /// Begins with all individuals anew, on a new connection; tells how many there are.
    pub fn restart(&mut self) -> usize {
        self.asked.clear();
        self.requests.clear();
        let members = std::mem::take(&mut self.members);
        for member in members.into_iter().filter(|member| !member.cancelled) {
            // What fitted once fits again.
            let _ = self.begin(member.ticket, member.individual);
        }
        self.members.len()
    }

    /// Notes for each new request but `KillRobot`, which has no answer, whose it is.
    fn note(&mut self, ticket: u64, before: usize) {
        let new = self.requests[before..].iter().filter(|request| !matches!(request, Message::KillRobot { .. }));
        self.asked.extend(new.map(|_| ticket));
    }
}
