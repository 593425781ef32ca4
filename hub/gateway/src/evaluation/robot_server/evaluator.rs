//! What a robot simulator's server needs of whoever evaluates.

use super::super::individual::Individual;
use super::super::parameters::NetParameters;
use rustix::event::PollFlags;
use std::os::fd::BorrowedFd;
use std::time::Duration;
use xpuck_wire::log::Line;

/// Evaluates individuals without making anybody wait.
pub trait Evaluator {
    /// The nets that it takes, and how many at once. They stay the same.
    fn parameters(&self) -> &NetParameters;

    /// Begins with an individual that fits; its fitness comes with this ticket.
    fn begin(&mut self, ticket: u64, individual: Individual);

    /// Nobody wants that fitness any more. It may still come.
    fn cancel(&mut self, ticket: u64);

    /// A descriptor that tells when [`Evaluator::turn`] has something to do, and for what to wait there.
    fn waits_for(&self) -> Option<(BorrowedFd<'_>, PollFlags)>;

    /// [`Evaluator::turn`] is to be called after so long, whatever the descriptor says.
    fn longest_wait(&self) -> Option<Duration>;

    /// Does what is to be done now. Gives fitness values that were measured, nothing for individuals that are given up, and puts
    /// lines for the log in `told`.
    fn turn(&mut self, told: &mut Vec<Line>) -> Vec<(u64, Option<f64>)>;
}
