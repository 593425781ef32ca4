//! Upper bounds on the loop iterations of the kernels. Software adapters of Mesa silently end all loops of an
//! invocation after 65,535 iterations.

use super::code::most_steps;
use super::layout::{LaneWork, Layout};
use crate::engine::simd::Scene;
use crate::model::{CAMERA_COLUMNS, CONTACT_ITERATIONS, PROX_ANGLES, RELOCATION_TRIES, STEPS_PER_UPDATE};
use crate::world::Task;

/// Number of loop iterations of an invocation after which Mesa's software adapters end all loops.
pub(super) const ITERATIONS: u32 = 65_535;
/// Assumed maximum number of draws for a random point in a disc. More draws have a probability below 10^-40.
const DRAWS: u32 = 64;

/// Returns the maximum number of updates per dispatch for programs with `nodes` nodes. The loop iterations of these
/// updates certainly stay within [`ITERATIONS`]. Returns 0 if a single update may exceed this limit.
pub(super) fn updates(layout: &Layout, scene: &Scene, nodes: usize) -> u32 {
    // Loading and storing the state also loops over bodies.
    (ITERATIONS - 4 * own(layout, scene.bodies.len())) / of_update(layout, scene, nodes)
}

/// Returns the number of bodies per invocation.
fn own(layout: &Layout, bodies: usize) -> u32 {
    match layout.lane {
        LaneWork::Body => 1,
        LaneWork::World => bodies as u32,
    }
}

/// Returns an upper bound on the loop iterations of an invocation in one update. A loop that is not executed counts
/// as one iteration, because all lanes step through loops together.
pub(super) fn of_update(layout: &Layout, scene: &Scene, nodes: usize) -> u32 {
    let [bodies, robots] = [scene.bodies.len(), scene.robots].map(|n| n as u32);
    let mine = own(layout, scene.bodies.len());
    let [walls, patches] = [scene.physics.walls.len(), scene.patches.len()].map(|n| n.max(1) as u32);
    let discs = (bodies - robots).max(1);
    let [contacts, touched, words] = [layout.contacts(), layout.touch_words(), layout.robot_words()].map(|n| n as u32);
    let [rays, columns, iterations, tries] =
        [PROX_ANGLES.len(), CAMERA_COLUMNS, CONTACT_ITERATIONS, RELOCATION_TRIES].map(|n| n as u32);
    let shadows = if scene.physics.walls.is_empty() { 1 } else { columns };
    let proximity = 1 + walls + robots + 2 * rays + 16 * (1 + rays) + walls * (1 + rays);
    let camera = 1 + columns * (1 + walls) + bodies * (1 + shadows) + discs * (1 + bodies) + columns * (1 + patches);
    let light = 1 + 2 * rays + rays * (1 + scene.lighting.lights.len() as u32);
    let tags = 1 + scene.tags.list.len() as u32 * (1 + walls + bodies);
    let ground = 1 + super::floor::iterations(&scene.floor);
    let heard = if scene.messages { robots * (17 + bodies) } else { robots };
    // The number 15 is the total for three short loops that read and write registers.
    let tick = 1 + nodes as u32 + most_steps(nodes) + 15;
    let pairs = match layout.lane {
        LaneWork::Body => bodies,
        LaneWork::World => bodies.div_ceil(2),
    };
    let find = 1 + touched + walls + pairs;
    let (list, solve) = match layout.lane {
        LaneWork::Body => {
            (2 * touched + 2 * bodies + 2 * contacts + 3 * bodies * contacts.min(8), iterations * (1 + contacts))
        }
        LaneWork::World => (bodies * (1 + touched) + contacts + 1, iterations * (1 + contacts)),
    };
    let relocation = if scene.task.relocates() { tries + DRAWS + tries * bodies } else { 0 };
    let noted = if scene.messages { mine } else { 0 };
    let step = 2 * mine + mine * find + list + solve + contacts + relocation + noted;
    let score = match &scene.task {
        Task::Aggregation { .. } => mine * (1 + robots) + words + robots * (1 + 2 * words),
        Task::Objective(objective) => super::objective::iterations(objective, [mine, robots, words]),
        _ => mine * (1 + robots),
    };
    1 + mine
        + mine * (proximity + light + tags + ground + camera + heard + tick)
        + STEPS_PER_UPDATE * (1 + step)
        + score
}
