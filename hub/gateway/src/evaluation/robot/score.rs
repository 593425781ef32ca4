//! What a step is worth, at most 1. The fitness is the mean over all steps of all trials; steps after a death count 0.

use super::task::{Kind, Task};

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Outputs for the left and the right wheel, -1 to 1.
    pub wheels: [f64; 2],
    /// The most that a sonar told before the move: 0 for nothing within its range, 1 for a touch.
    pub nearest: f64,
    /// The part of the move that was blocked.
    pub stress: f64,
    /// Distance of the nearest robot of the other population before the move, mm, if one was seen.
    pub other: Option<f64>,
}

/// What the step is worth.
pub fn worth(task: &Task, step: &Step) -> f64 {
    let near = step.other.map_or(0.0, |distance| nearness(distance, task.visual_range));
    match task.kind {
        Kind::ObstacleAvoidance => {
            let [left, right] = step.wheels;
            // With its sign: a network that goes to and fro in turn would else earn much and get nowhere.
            let speed = (left + right) / 2.0;
            let difference = (left - right).abs() / 2.0;
            speed * (1.0 - difference.sqrt()) * (1.0 - step.nearest.max(step.stress))
        }
        Kind::Pursuit => near,
        Kind::Evasion => 1.0 - near,
    }
}

/// 1 at no distance, 0 at the range and beyond.
pub fn nearness(distance: f64, range: f64) -> f64 {
    1.0 - (distance / range).clamp(0.0, 1.0)
}
