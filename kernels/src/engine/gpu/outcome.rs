//! Computation of a world's fitness from the counts of the kernels.

use super::encode::{StateRows, quantity};
use crate::engine::simd::Scene;
use crate::model::CONTROL_PERIOD;
use crate::world::Task;
use crate::world::task::foraging::food_max;
use crate::world::task::transport::{fitness_of_place, raw_fitness};

/// Maximum amount that the kernel adds to a robot's count in one update (task dispersion). It applies if the distance
/// to the nearest neighbour is at the upper limit of the score or above.
const WHOLE: f64 = 16_777_216.0;

/// Returns the fitness of world `w` after `updates` updates. `cells` is the bit mask of the visited cells of the
/// arena.
pub(super) fn fitness(scene: &Scene, rows: &StateRows<'_>, w: usize, cells: &[u32], updates: u32) -> f32 {
    let robots = scene.robots;
    let seconds = updates as f32 * CONTROL_PERIOD;
    let per_update = |sum: f64| (sum / f64::from(updates.max(1)) / robots as f64) as f32;
    let counted = |robot| {
        let word = |name| u64::from(rows.word(w, name, robot));
        word(quantity("COUNT_LOW")) + (word(quantity("COUNT_HIGH")) << 32)
    };
    let all: u64 = (0..robots).map(counted).sum();
    match &scene.task {
        Task::Transport | Task::TransportOnce => {
            raw_fitness(rows.moved(w, robots), seconds, scene.physics.robot.wheels.max_speed)
        }
        Task::TransportPosition => {
            let (x, half) = (rows.get(w, quantity("X"), robots), scene.physics.half_arena.0);
            fitness_of_place(x, half - scene.bodies[robots].radius)
        }
        Task::Aggregation { .. } => per_update(f64::from(rows.header(w, "LARGEST"))),
        Task::Dispersion => per_update(all as f64 / WHOLE),
        Task::Coverage { .. } => {
            let visited: u32 = cells.iter().map(|word| word.count_ones()).sum();
            visited as f32 / super::params::cells(scene) as f32
        }
        Task::Objective(_) => unreachable!("objectives have scores of their own"),
        Task::Foraging { nest, food } => {
            all as f32 / food_max(nest, food, robots, seconds, scene.physics.robot.wheels.straight_speed())
        }
    }
}
