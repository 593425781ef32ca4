//! Fitness of a step, at most 1. The fitness of an individual is the mean over all steps of all trials. Steps after
//! the robot's death count as 0.

use super::task::{Kind, Task};

/// Measurements of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Outputs for the left and the right wheel, -1 to 1.
    pub wheels: [f64; 2],
    /// Maximum sonar activation before the move: 0 for no object within range, 1 for contact.
    pub nearest: f64,
    /// Fraction of the move that obstacles prevented, 0 to 1.
    pub stress: f64,
    /// Distance to the nearest visible robot of the other population before the move (mm); `None` if no such robot is
    /// visible.
    pub other: Option<f64>,
}

/// Computes the fitness of a step.
pub fn step_fitness(task: &Task, step: &Step) -> f64 {
    let near = step.other.map_or(0.0, |distance| nearness(distance, task.visual_range));
    match task.kind {
        Kind::ObstacleAvoidance => {
            let [left, right] = step.wheels;
            // The speed keeps its sign. Otherwise, a network that alternates between forwards and backwards would get
            // a high fitness without moving away.
            let speed = (left + right) / 2.0;
            let difference = (left - right).abs() / 2.0;
            speed * (1.0 - difference.sqrt()) * (1.0 - step.nearest.max(step.stress))
        }
        Kind::Pursuit => near,
        Kind::Evasion => 1.0 - near,
    }
}

/// Computes the nearness of an object: 1 at distance 0, and 0 at distances of `range` or more.
pub fn nearness(distance: f64, range: f64) -> f64 {
    1.0 - (distance / range).clamp(0.0, 1.0)
}
