//! Descriptions of fitness for users.

use super::Task;
use std::borrow::Cow;

impl Task {
    /// Returns a description of the task's fitness, in one or two sentences.
    pub fn fitness_description(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Task::Transport | Task::TransportOnce => {
                "Fitness is the speed of the frisbee towards the goal, divided by a wheel's full speed, 0.13 m/s. It \
                 is 0 if the frisbee stays, and negative if it moves the wrong way."
            }
            Task::TransportPosition => {
                "Fitness is the final position of the frisbee: 0 at the end of the arena that it should leave, 1 at \
                 the other end."
            }
            Task::Objective(objective) => return Cow::Owned(objective.description()),
            Task::Aggregation { .. } => "Fitness is the mean share of the robots in the largest cluster.",
            Task::Dispersion => {
                "Fitness is the mean distance of a robot to its nearest neighbour, divided by the largest value \
                 possible in the arena."
            }
            Task::Coverage { .. } => "Fitness is the share of the arena that the robots have visited.",
            Task::Foraging { .. } => {
                "Fitness is the number of items that the robots carried from the food to the nest, divided by the \
                 largest number possible."
            }
        })
    }
}
