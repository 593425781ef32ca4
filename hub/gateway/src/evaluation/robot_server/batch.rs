//! Evaluates whole batches of individuals with a function on a separate thread.

use super::super::individual::Individual;
use super::super::parameters::NetParameters;
use super::evaluator::Evaluator;
use rustix::event::PollFlags;
use std::io::{Read, Result, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use xpuck_wire::log::Line;

/// Delay between the arrival of the last individual and the start of an incomplete batch.
const BATCH_DELAY: Duration = Duration::from_millis(2);

/// Function that evaluates individuals. The individuals fit the parameters. The function returns one fitness per
/// individual, in the same order, or the reason for the failure.
pub type Evaluate = Box<dyn FnMut(&[Individual]) -> std::result::Result<Vec<f64>, String> + Send>;

type Answer = (Vec<u64>, std::result::Result<Vec<f64>, String>);

/// Evaluator that processes one batch after another. A batch contains all individuals that wait at its start.
pub struct Batch {
    parameters: NetParameters,
    /// Individuals for the next batch, each with its ticket.
    waiting: Vec<(u64, Individual)>,
    came: Instant,
    busy: bool,
    jobs: Sender<Vec<(u64, Individual)>>,
    answers: Receiver<Answer>,
    wake: UnixStream,
}

impl Batch {
    /// Starts a thread that evaluates batches with `evaluate`. The parameters must have been checked.
    ///
    /// # Errors
    /// The operating system cannot create a thread or a socket.
    pub fn new(parameters: NetParameters, mut evaluate: Evaluate) -> Result<Batch> {
        let (wake, mut bell) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        bell.set_nonblocking(true)?;
        let (jobs, todo) = channel::<Vec<(u64, Individual)>>();
        let (done, answers) = channel();
        std::thread::Builder::new().name("evaluate".into()).spawn(move || {
            // The loop ends when the server drops its ends of the channels.
            for batch in todo {
                let (tickets, individuals): (Vec<u64>, Vec<Individual>) = batch.into_iter().unzip();
                let found = evaluate(&individuals);
                if done.send((tickets, found)).is_err() {
                    break;
                }
                // A full socket buffer is not an error, because the bytes in it wake up the server.
                let _ = bell.write(&[1]);
            }
        })?;
        let (came, waiting) = (Instant::now(), Vec::new());
        Ok(Batch { parameters, waiting, came, busy: false, jobs, answers, wake })
    }

    /// Returns the time until the waiting batch may start.
    fn gathers(&self) -> Duration {
        if self.waiting.len() >= self.parameters.max_concurrent as usize {
            return Duration::ZERO;
        }
        BATCH_DELAY.saturating_sub(self.came.elapsed())
    }
}

impl Evaluator for Batch {
    fn parameters(&self) -> &NetParameters {
        &self.parameters
    }

    fn begin(&mut self, ticket: u64, individual: Individual) {
        self.waiting.push((ticket, individual));
        self.came = Instant::now();
    }

    fn cancel(&mut self, ticket: u64) {
        self.waiting.retain(|(other, _)| *other != ticket);
    }

    fn waits_for(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        Some((self.wake.as_fd(), PollFlags::IN))
    }

    fn longest_wait(&self) -> Option<Duration> {
        (!self.busy && !self.waiting.is_empty()).then(|| self.gathers())
    }

    fn turn(&mut self, told: &mut Vec<Line>) -> Vec<(u64, Option<f64>)> {
        let mut found = Vec::new();
        let mut rings = [0; 16];
        while self.wake.read(&mut rings).is_ok_and(|count| count > 0) {}
        while let Ok((tickets, values)) = self.answers.try_recv() {
            self.busy = false;
            match values {
                Ok(values) => found.extend(tickets.into_iter().zip(values.into_iter().map(Some))),
                Err(why) => {
                    told.push(Line::warn(format!("{} individuals are left without fitness: {why}", tickets.len())));
                    found.extend(tickets.into_iter().map(|ticket| (ticket, None)));
                }
            }
        }
        if !self.busy && !self.waiting.is_empty() && self.gathers().is_zero() {
            self.busy = self.jobs.send(std::mem::take(&mut self.waiting)).is_ok();
        }
        found
    }
}
