//! Descriptions of fitness for users.

use super::Task;

impl Task {
    /// One sentence that describes the fitness of this task.
    pub fn fitness_description(&self) -> &'static str {
        match self {
            Task::Transport | Task::TransportOnce => {
                "Fitness is the speed of the frisbee towards the goal over a wheel's full speed, 0.13 m/s; 0 is a frisbee that \
                 stays, below 0 one that went the wrong way."
            }
            Task::TransportPosition => {
                "Fitness says where the frisbee lies at the end: 0 at the end of the arena that it should leave, 1 at the other."
            }
            Task::Aggregation { .. } => "Fitness is the mean part of the robots that stand in the largest cluster.",
            Task::Dispersion => {
                "Fitness is the mean distance of a robot to its nearest neighbour, over what it is when all stand as far apart as \
                 the arena allows."
            }
            Task::Coverage { .. } => "Fitness is the part of the arena in which some robot has been.",
            Task::Foraging { .. } => {
                "Fitness is the number of items that robots carried from the food to the nest, over the most that is possible."
            }
        }
    }
}
