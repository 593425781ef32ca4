//! Ambient light: lamps over the arena, how bright it is at each of a robot's eight infra-red sensors, and the vector that a
//! tree reads of that.

use super::ray_directions;
use crate::math::{Vec2, max, min};
use crate::model::ROBOT_RADIUS;

/// Most lights of a world.
pub const MAX_LIGHTS: usize = 4;
/// Of a light at 1 in its direction v_light is about so long: the eight sensors' shares of it add up to twice that.
const HALF: f32 = 0.5;
/// What the usual arena's own lamps give the sensors, part of what they can tell: 3900 of 4095 counts.
pub const USUAL_ROOM: f32 = 3900.0 / 4095.0;
/// What is left of it where lights are placed: a darkened room.
pub const DARKENED_ROOM: f32 = 0.1;

/// A lamp that shines to all sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where it is, m.
    pub at: Vec2,
    /// Its height above the sensors, m; above all bodies, so that nothing throws a shadow.
    pub height: f32,
    /// What a sensor tells that faces it 1 m away, part of what it can tell.
    pub brightness: f32,
}

/// The light of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    /// What every sensor tells without the lights, part of what it can tell.
    pub room: f32,
    /// The lights, at most [`MAX_LIGHTS`].
    pub lights: Vec<Light>,
}

impl Default for Lighting {
    fn default() -> Lighting {
        Lighting { room: USUAL_ROOM, lights: Vec::new() }
    }
}

/// What a light adds at the sensor that looks in a direction, by the inverse-square law and the cosine of the angle at which
/// it comes in. `towards` is the way from the robot's centre to the light.
#[inline(always)]
pub(crate) fn added(towards: Vec2, direction: Vec2, height_squared: f32, brightness: f32) -> f32 {
    let along = towards.dot(direction);
    let facing = max(along - ROBOT_RADIUS, 0.0);
    let square = towards.length_squared() - 2.0 * ROBOT_RADIUS * along + ROBOT_RADIUS * ROBOT_RADIUS + height_squared;
    brightness * facing / (square * square.sqrt())
}

/// How bright it is at the eight sensors of a robot at this place, part of what they can tell, 0..=1.
pub fn brightness(at: Vec2, ahead: Vec2, lighting: &Lighting) -> [f32; 8] {
    ray_directions().map(|ray| {
        let direction = ray.rotate(ahead);
        let mut level = lighting.room;
        for light in &lighting.lights {
            level += added(light.at - at, direction, light.height * light.height, light.brightness);
        }
        min(level, 1.0)
    })
}

/// v_light: the sensors' readings above the least of them as vectors along their rays, added up. It points to the light and is
/// about as long as a sensor that faces it is brighter than its surroundings.
pub fn light_vector(readings: &[f32; 8]) -> Vec2 {
    let least = readings.iter().copied().fold(readings[0], min);
    let mut sum = Vec2::ZERO;
    for (reading, ray) in readings.iter().zip(ray_directions()) {
        sum += ray * (*reading - least);
    }
    half(sum)
}

/// Brings the sensors' sum to the length of what one of them tells that faces the light.
#[inline(always)]
pub(crate) fn half(sum: Vec2) -> Vec2 {
    sum * HALF
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;

    fn dark(lights: Vec<Light>) -> Lighting {
        Lighting { room: 0.1, lights }
    }

    fn lamp(x: f32, y: f32, brightness: f32) -> Light {
        Light { at: vec2(x, y), height: 0.1, brightness }
    }

    fn sees(heading: f32, lighting: &Lighting) -> Vec2 {
        light_vector(&brightness(Vec2::ZERO, Vec2::unit(heading), lighting))
    }

    #[test]
    fn the_vector_points_to_the_light_however_the_robot_stands() {
        let lighting = dark(vec![lamp(0.6, 0.3, 0.2)]);
        let bearing = vec2(0.6, 0.3).angle();
        for step in 0..64 {
            let heading = step as f32 * 0.1;
            let off = crate::math::wrap_angle(sees(heading, &lighting).angle() + heading - bearing);
            // Nothing looks between the sides and the back: the eight sensors are not evenly spaced.
            assert!(off.abs() < 0.45, "heading {heading}: {off} off");
        }
    }

    #[test]
    fn it_grows_with_the_inverse_square_of_the_distance_until_the_sensors_are_full() {
        let long = |distance: f32| sees(0.0, &dark(vec![Light { height: 0.02, ..lamp(distance, 0.0, 0.05) }])).length();
        let ratio = long(0.4) / long(0.8);
        // From the rim on, where the sensors are.
        let expected = ((0.8f32 - 0.0375) / (0.4 - 0.0375)).powi(2);
        assert!((ratio / expected - 1.0).abs() < 0.05, "{ratio} for {expected}");
        assert!(long(0.07) < 2.0 && long(0.07) > long(0.4));
        assert_eq!(sees(0.3, &Lighting { room: 1.0, lights: vec![lamp(0.5, 0.0, 1.0)] }), Vec2::ZERO, "all are full");
    }

    #[test]
    fn even_light_has_no_direction() {
        assert_eq!(sees(1.0, &Lighting::default()), Vec2::ZERO);
        assert_eq!(sees(1.0, &dark(Vec::new())), Vec2::ZERO);
        let both = sees(0.0, &dark(vec![lamp(0.5, 0.5, 0.2), lamp(0.5, -0.5, 0.2)]));
        assert!(both.x > 0.1 && both.y.abs() < 1e-5, "two lights ahead: {both:?}");
    }
}
