//! Ambient light at the robots of a block.

use super::lanes::{BodyLanes, LANES, Lanes, SenseLanes};
use crate::math::{min, vec2};
use crate::tree::registers::LIGHT;
use crate::world::senses::light::{Light, Lighting, added, scale_sum};
use crate::world::senses::ray_directions;

/// Computes v_light of one robot, with the same order of operations as `world/senses/light.rs`.
#[inline(always)]
pub(super) fn light(body: &BodyLanes, lighting: &Lighting, senses: &mut SenseLanes) {
    let rays = ray_directions();
    let mut levels = [[lighting.room; LANES]; 8];
    for (level, ray) in levels.iter_mut().zip(rays) {
        for Light { at, height, brightness } in &lighting.lights {
            for l in 0..LANES {
                let direction = ray.rotate(senses.ahead(l));
                let towards = *at - vec2(body.x[l], body.y[l]);
                level[l] += added(towards, direction, height * height, *brightness);
            }
        }
        for l in 0..LANES {
            level[l] = min(level[l], 1.0);
        }
    }
    let mut least: Lanes = levels[0];
    for level in &levels {
        for l in 0..LANES {
            least[l] = min(least[l], level[l]);
        }
    }
    let mut sum = [[0.0; LANES]; 2];
    for (level, ray) in levels.iter().zip(rays) {
        for l in 0..LANES {
            sum[0][l] += ray.x * (level[l] - least[l]);
            sum[1][l] += ray.y * (level[l] - least[l]);
        }
    }
    for l in 0..LANES {
        senses.write_vector(LIGHT, l, scale_sum(vec2(sum[0][l], sum[1][l])));
    }
}
