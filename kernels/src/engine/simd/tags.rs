//! Tags in view of the robots of a block.

use super::lanes::{BodyLanes, LANES, SenseLanes};
use super::scene::Scene;
use crate::math::vec2;
use crate::tree::registers::TAG;
use crate::world::senses::tags::{in_frame, in_view, occludes, wall_hides};

/// Computes v_tag of robot `me`, with the same order of operations as `world/senses/tags.rs`.
#[inline(always)]
pub(super) fn tags(bodies: &[BodyLanes], me: usize, scene: &Scene, senses: &mut SenseLanes) {
    let body = &bodies[me];
    let mut nearest = [f32::INFINITY; LANES];
    (senses.cells[TAG], senses.cells[TAG + 1]) = ([0.0; LANES], [0.0; LANES]);
    for tag in &scene.tags.list {
        let mut seen = [0u32; LANES];
        let (mut x, mut y) = ([0.0; LANES], [0.0; LANES]);
        for l in 0..LANES {
            let towards = tag.at - vec2(body.x[l], body.y[l]);
            (x[l], y[l]) = (towards.x, towards.y);
            let ahead = senses.ahead(l);
            seen[l] =
                u32::from(in_view(towards, ahead, tag.facing, scene.tags.range, scene.physics.robot.camera.slope));
        }
        if seen.iter().all(|seen| *seen == 0) {
            continue;
        }
        for wall in &scene.physics.walls {
            for l in 0..LANES {
                seen[l] &= u32::from(!wall_hides(wall, vec2(body.x[l], body.y[l]), vec2(x[l], y[l])));
            }
        }
        for (other, fixed) in bodies.iter().zip(&scene.bodies).enumerate().filter(|(i, _)| *i != me).map(|(_, o)| o) {
            for l in 0..LANES {
                let offset = vec2(other.x[l] - body.x[l], other.y[l] - body.y[l]);
                seen[l] &= u32::from(!occludes(offset, fixed.radius, vec2(x[l], y[l])));
            }
        }
        for l in 0..LANES {
            let towards = vec2(x[l], y[l]);
            let square = towards.length_squared();
            if seen[l] != 0 && square < nearest[l] {
                let v = in_frame(towards, senses.ahead(l));
                nearest[l] = square;
                senses.write_vector(TAG, l, v);
            }
        }
    }
}
