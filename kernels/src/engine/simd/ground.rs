//! Ground sensors of the robots of a block.

use super::lanes::{BodyLanes, LANES, SenseLanes};
use super::scene::Scene;
use crate::math::vec2;
use crate::random::{Draws, Stream};
use crate::tree::registers::GROUND;
use crate::world::conditions::holds;
use crate::world::floor::{Floor, Shade, sensor_place};

/// Worlds of a block: their seeds (low word first), numbers and conditions, and the number of the update.
pub(super) struct Keys<'a> {
    pub seeds: &'a [[u32; LANES]; 2],
    pub worlds: &'a [u32; LANES],
    pub update: u32,
    /// Bit masks of the conditions that hold.
    pub active: &'a [u32; LANES],
}

/// Computes s_ground of one robot, as `world/floor.rs` does.
#[inline(always)]
pub(super) fn ground(body: &BodyLanes, robot: u32, scene: &Scene, keys: &Keys<'_>, senses: &mut SenseLanes) {
    let floor = &*scene.floor;
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
            let word = Draws::new(seed, keys.worlds[l], robot, keys.update, Stream::Ground).word();
            values[l] = Floor::read(&scene.shade_limits, values[l], word);
        }
    }
    senses.cells[GROUND] = values;
}
