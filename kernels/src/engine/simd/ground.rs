//! Ground sensors of the robots of a block.

use super::lanes::{BodyLanes, LANES, SenseLanes};
use super::scene::Scene;
use crate::math::vec2;
use crate::random::{Stream, random_block};
use crate::tree::registers::GROUND;
use crate::world::conditions::holds;
use crate::world::floor::{Floor, Shade, sensor_place};
use crate::world::robot::{GroundPoints, GroundSense, ground_places};

/// Worlds of a block: their seeds (low word first), numbers and conditions, and the number of the update.
pub(super) struct Keys<'a> {
    pub seeds: &'a [[u32; LANES]; 2],
    pub worlds: &'a [u32; LANES],
    pub update: u32,
    /// Bit masks of the conditions that hold.
    pub active: &'a [u32; LANES],
}

impl Keys<'_> {
    /// Returns the random words of a robot in this update. Each lane is a world.
    #[inline(always)]
    pub fn words(&self, l: usize, robot: u32, stream: Stream) -> [u32; 4] {
        let seed = u64::from(self.seeds[0][l]) | u64::from(self.seeds[1][l]) << 32;
        random_block(seed, self.worlds[l], robot, self.update, stream, 0)
    }
}

/// Computes s_ground of one robot, as `world/floor.rs` does.
#[inline(always)]
pub(super) fn ground(
    body: &BodyLanes,
    robot: u32,
    scene: &Scene,
    keys: &Keys<'_>,
    history: Option<&mut [u32; LANES]>,
    senses: &mut SenseLanes,
) {
    let floor = &*scene.floor;
    if let GroundSense::Points(points) = &scene.physics.robot.ground {
        return read_points(body, robot, scene, points, keys, history, senses);
    }
    let (mut x, mut y) = ([0.0; LANES], [0.0; LANES]);
    for l in 0..LANES {
        let at = sensor_place(vec2(body.x[l], body.y[l]), senses.ahead(l));
        (x[l], y[l]) = (at.x, at.y);
    }
    let rest = Shade::of_level(floor.level);
    let mut values = [rest.value(); LANES];
    // The first paint is visible, so it is laid last.
    for (paint, shade) in floor.paint.iter().zip(&scene.shades).rev() {
        let inside = paint.zone.contains_each(&x, &y);
        for l in 0..LANES {
            let visible = inside[l] & holds(paint.condition, keys.active[l]);
            values[l] = if visible { shade.value() } else { values[l] };
        }
    }
    if !floor.is_exact() {
        for l in 0..LANES {
            let [word, ..] = keys.words(l, robot, Stream::Ground);
            values[l] = Floor::read(&scene.shade_limits, values[l], word);
        }
    }
    senses.cells[GROUND] = values;
}

/// Computes s_ground of one robot with three ground points.
#[inline(always)]
fn read_points(
    body: &BodyLanes,
    robot: u32,
    scene: &Scene,
    points: &GroundPoints,
    keys: &Keys<'_>,
    history: Option<&mut [u32; LANES]>,
    senses: &mut SenseLanes,
) {
    let Some(history) = history else { return };
    let floor = &*scene.floor;
    let (mut x, mut y) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
    for l in 0..LANES {
        let places = ground_places(vec2(body.x[l], body.y[l]), senses.ahead(l));
        for (i, place) in places.into_iter().enumerate() {
            (x[i][l], y[i][l]) = (place.x, place.y);
        }
    }
    let mut levels = [[floor.level; LANES]; 3];
    // The first paint is visible, so it is laid last.
    for paint in floor.paint.iter().rev() {
        for (level, (x, y)) in levels.iter_mut().zip(x.iter().zip(&y)) {
            let inside = paint.zone.contains_each(x, y);
            for l in 0..LANES {
                let visible = inside[l] & holds(paint.condition, keys.active[l]);
                level[l] = if visible { paint.level } else { level[l] };
            }
        }
    }
    for l in 0..LANES {
        let words = keys.words(l, robot, Stream::Ground);
        history[l] = points.push(history[l], [levels[0][l], levels[1][l], levels[2][l]], words);
        senses.cells[GROUND][l] = points.class(history[l]);
    }
}
