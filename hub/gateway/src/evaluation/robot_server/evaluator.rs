//! Interface between the server of a robot simulator and an evaluator.

use super::super::individual::Individual;
use super::super::parameters::NetParameters;
use rustix::event::PollFlags;
use std::os::fd::BorrowedFd;
use std::time::Duration;
use xpuck_wire::log::Line;

/// Evaluates individuals without blocking.
pub trait Evaluator {
    /// Returns the supported networks and the maximum number of concurrent individuals. Both are constant.
    fn parameters(&self) -> &NetParameters;

    /// Starts the evaluation of an individual that fits the parameters. [`Evaluator::turn`] returns its fitness with
    /// `ticket`.
    fn begin(&mut self, ticket: u64, individual: Individual);

    /// Cancels an evaluation. [`Evaluator::turn`] may still return its fitness.
    fn cancel(&mut self, ticket: u64);

    /// Returns a descriptor to poll, and the poll flags that indicate work for [`Evaluator::turn`]. Returns `None` if
    /// no descriptor has to be polled.
    fn waits_for(&self) -> Option<(BorrowedFd<'_>, PollFlags)>;

    /// Returns the maximum time until the next call of [`Evaluator::turn`], even if the descriptor indicates no work.
    /// Returns `None` if there is no limit.
    fn longest_wait(&self) -> Option<Duration>;

    /// Performs pending work, and adds lines for the log. Returns the tickets and fitness values of finished
    /// evaluations. The fitness is `None` if the individual could not be evaluated.
    fn turn(&mut self, told: &mut Vec<Line>) -> Vec<(u64, Option<f64>)>;
}
