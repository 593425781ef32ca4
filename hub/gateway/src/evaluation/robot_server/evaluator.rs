//! Interface between the robot simulator's server and an evaluator.

use super::super::individual::Individual;
use super::super::parameters::NetParameters;
use rustix::event::PollFlags;
use std::os::fd::BorrowedFd;
use std::time::Duration;
use xpuck_wire::log::Line;

/// Evaluates individuals without blocking.
pub trait Evaluator {
    /// Supported networks, and maximum number of concurrent individuals; both are constant.
    fn parameters(&self) -> &NetParameters;

    /// Starts the evaluation of an individual that fits the parameters; its fitness is returned with this ticket.
    fn begin(&mut self, ticket: u64, individual: Individual);

    /// Cancels an evaluation. Its fitness may still be returned.
    fn cancel(&mut self, ticket: u64);

    /// Descriptor and poll flags that signal work for [`Evaluator::turn`].
    fn waits_for(&self) -> Option<(BorrowedFd<'_>, PollFlags)>;

    /// Maximum time until the next call of [`Evaluator::turn`], regardless of the descriptor.
    fn longest_wait(&self) -> Option<Duration>;

    /// Performs pending work and adds lines for the log to `told`. Returns tickets with their fitness, `None` for
    /// individuals that could not be evaluated.
    fn turn(&mut self, told: &mut Vec<Line>) -> Vec<(u64, Option<f64>)>;
}
