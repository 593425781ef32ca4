//! How many loop iterations the kernels take at most: software adapters of Mesa end all loops of an invocation after
//! 65,535 of them, without a word.

use super::code::most_steps;
use super::layout::{Lane, Layout};
use crate::engine::simd::Scene;
use crate::model::{CAMERA_COLUMNS, CONTACT_ITERATIONS, PROX_ANGLES, RELOCATION_TRIES, STEPS_PER_UPDATE};
use crate::world::Task;

/// Iterations after which loops end.
pub(super) const ITERATIONS: u32 = 65_535;
/// Draws for a place in a disc; more than these are less likely than one in 10^40.
const DRAWS: u32 = 64;

/// Updates of a dispatch that stay within [`ITERATIONS`] whatever happens in the worlds, for programs of so many nodes; 0
/// if not even one is sure to.
pub(super) fn updates(layout: &Layout, scene: &Scene, nodes: usize) -> u32 {
    // Loading and storing are loops over bodies too.
    (ITERATIONS - 4 * own(layout, scene.bodies.len())) / of_update(layout, scene, nodes)
}

/// Bodies that an invocation sees to.
fn own(layout: &Layout, bodies: usize) -> u32 {
    match layout.lane {
        Lane::Body => 1,
        Lane::World => bodies as u32,
    }
}

/// Most loop iterations of an invocation in one update. A loop that does not run counts once, as lanes that wait go along.
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
    let heard = if scene.messages { robots * (17 + bodies) } else { robots };
    // Registers are read and written in three loops.
    let tick = 1 + nodes as u32 + most_steps(nodes) + 15;
    let pairs = match layout.lane {
        Lane::Body => bodies,
        Lane::World => bodies.div_ceil(2),
    };
    let find = 1 + touched + walls + pairs;
    let (list, solve) = match layout.lane {
        Lane::Body => {
            (2 * touched + 2 * bodies + 2 * contacts + 3 * bodies * contacts.min(8), iterations * (1 + contacts))
        }
        Lane::World => (bodies * (1 + touched) + contacts + 1, iterations * (1 + contacts)),
    };
    let relocation = if scene.task.relocates() { tries + DRAWS + tries * bodies } else { 0 };
    let noted = if scene.messages { mine } else { 0 };
    let step = 2 * mine + mine * find + list + solve + contacts + relocation + noted;
    let score = match scene.task {
        Task::Aggregation { .. } => mine * (1 + robots) + words + robots * (1 + 2 * words),
        _ => mine * (1 + robots),
    };
    1 + mine + mine * (proximity + light + tags + camera + heard + tick) + STEPS_PER_UPDATE * (1 + step) + score
}
