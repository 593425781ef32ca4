//! Ground sensors of the robots of a block.

use super::lanes::{BodyLanes, LANES, SenseLanes};
use super::scene::Scene;
use crate::math::vec2;
use crate::random::{Stream, error_words, random_block};
use crate::tree::registers::GROUND;
use crate::world::conditions::holds;
use crate::world::floor::{Floor, Shade, ground_places, sensor_place};
use crate::world::robot::{GroundPoints, GroundSense};

/// Worlds of a block: their seeds (low word first), numbers and conditions, and the number of the update.
pub(super) struct Keys<'a> {
    pub seeds: &'a [[u32; LANES]; 2],
    pub worlds: &'a [u32; LANES],
    pub update: u32,
    /// Bit masks of the conditions that hold.
    pub active: &'a [u32; LANES],
}

impl Keys<'_> {
    /// Returns the random words for the errors of a robot in this update. The words of all lanes are adjacent.
    #[inline(always)]
    pub fn words(&self, robot: u32, stream: Stream) -> [[u32; LANES]; 4] {
        self.words_at(robot, self.update, stream)
    }

    /// Performs [`Keys::words`] for another number than that of the update.
    #[inline(always)]
    pub fn words_at(&self, robot: u32, number: u32, stream: Stream) -> [[u32; LANES]; 4] {
        let mut words = [[0; LANES]; 4];
        for l in 0..LANES {
            let [a, b, c, d] = error_words([self.seeds[0][l], self.seeds[1][l]], self.worlds[l], robot, number, stream);
            (words[0][l], words[1][l], words[2][l], words[3][l]) = (a, b, c, d);
        }
        words
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
            let seed = u64::from(keys.seeds[0][l]) | u64::from(keys.seeds[1][l]) << 32;
            let [word, ..] = random_block(seed, keys.worlds[l], robot, keys.update, Stream::Ground, 0);
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
    let words = keys.words(robot, Stream::Points);
    for l in 0..LANES {
        let words = [words[0][l], words[1][l], words[2][l], words[3][l]];
        history[l] = points.push(history[l], [levels[0][l], levels[1][l], levels[2][l]], words);
        senses.cells[GROUND][l] = points.class(history[l]);
    }
}
