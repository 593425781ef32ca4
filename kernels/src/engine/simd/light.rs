//! Ambient light at the robots of a block.

use super::lanes::{BodyLanes, LANES, Lanes, SenseLanes};
use crate::math::{max, min, vec2};
use crate::model::PROX_ANGLES;
use crate::tree::registers::LIGHT;
use crate::world::robot::{LightLaw, RobotModel, symmetric_half};
use crate::world::senses::light::{Light, Lighting, added, scale_sum};
use crate::world::senses::ray_directions;

/// Computes v_light of one robot, with the same order of operations as `world/senses/light.rs`.
#[inline(always)]
pub(super) fn light(
    body: &BodyLanes,
    lighting: &Lighting,
    robot: &RobotModel,
    senses: &mut SenseLanes,
    words: impl Fn() -> [[u32; LANES]; 4],
) {
    let rays = ray_directions();
    let mut levels = [[lighting.room; LANES]; 8];
    match robot.light.law {
        LightLaw::InverseSquare => inverse_square(body, lighting, robot.radius, senses, &mut levels),
        LightLaw::Exponential => exponential(body, lighting, senses, &mut levels),
    }
    for level in &mut levels {
        for l in 0..LANES {
            level[l] = min(level[l], 1.0);
        }
    }
    let noise = robot.light.noise;
    if noise > 0.0 {
        add_errors(&mut levels, noise, &words());
    }
    let (mut least, mut most): (Lanes, Lanes) = (levels[0], levels[0]);
    for level in &levels {
        for l in 0..LANES {
            least[l] = min(least[l], level[l]);
            most[l] = max(most[l], level[l]);
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
        let vector = robot.light.limited(scale_sum(vec2(sum[0][l], sum[1][l])), most[l]);
        senses.write_vector(LIGHT, l, vector);
    }
}

/// Adds errors to the readings of eight sensors, as `world/robot.rs` does.
#[inline(always)]
pub(super) fn add_errors(readings: &mut [Lanes; 8], noise: f32, words: &[[u32; LANES]; 4]) {
    for (pair, words) in readings.chunks_exact_mut(2).zip(words) {
        for (reading, half) in pair.iter_mut().zip(0..) {
            for l in 0..LANES {
                let error = symmetric_half(words[l], half);
                reading[l] = max(min(reading[l] + noise * error, 1.0), 0.0);
            }
        }
    }
}

/// Adds the lights by the inverse-square law.
#[inline(always)]
fn inverse_square(body: &BodyLanes, lighting: &Lighting, radius: f32, senses: &SenseLanes, levels: &mut [Lanes; 8]) {
    for (level, ray) in levels.iter_mut().zip(ray_directions()) {
        for Light { at, height, brightness } in &lighting.lights {
            for l in 0..LANES {
                let direction = ray.rotate(senses.ahead(l));
                let towards = *at - vec2(body.x[l], body.y[l]);
                level[l] += added(towards, direction, radius, height * height, *brightness);
            }
        }
    }
}

/// Adds the lights by the exponential law.
#[inline(always)]
fn exponential(body: &BodyLanes, lighting: &Lighting, senses: &SenseLanes, levels: &mut [Lanes; 8]) {
    for Light { at, height, brightness } in &lighting.lights {
        let mut lamp = [[0.0; LANES]; 2];
        for l in 0..LANES {
            let towards = *at - vec2(body.x[l], body.y[l]);
            [lamp[0][l], lamp[1][l]] = LightLaw::exponential(towards, senses.ahead(l), height * height, *brightness);
        }
        for (level, angle) in levels.iter_mut().zip(PROX_ANGLES) {
            for l in 0..LANES {
                level[l] += lamp[0][l] * LightLaw::facing(lamp[1][l] - angle);
            }
        }
    }
}
