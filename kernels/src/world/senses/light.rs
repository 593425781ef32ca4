//! Ambient light: lamps over the arena, the brightness at each of a robot's eight infra-red sensors, and the vector
//! v_light that trees read.

use super::ray_directions;
use crate::math::{Vec2, max, min};
use crate::model::PROX_ANGLES;
use crate::world::robot::{LightLaw, LightSense, RobotModel, with_errors};

/// Maximum number of lights in a world.
pub const MAX_LIGHTS: usize = 4;
/// Factor of the vector sum over the sensors in [`light_vector`]. Without this factor, the length of the sum is about
/// twice the reading of a sensor that faces the light.
const SUM_SCALE: f32 = 0.5;
/// Brightness of the standard arena as a fraction of the sensor range: 3900 of 4095 counts.
pub const STANDARD_AMBIENT: f32 = 3900.0 / 4095.0;
/// Brightness of a darkened room as a fraction of the sensor range. This is the default for worlds with lights.
pub const DARK_AMBIENT: f32 = 0.1;

/// An omnidirectional lamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Position (m).
    pub at: Vec2,
    /// Height above the sensors (m). Lamps are above all bodies, so there are no shadows.
    pub height: f32,
    /// Reading of a sensor that faces the lamp at a distance of 1 m, as a fraction of the sensor range.
    pub brightness: f32,
}

/// Lighting of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    /// Reading of every sensor when all lights are off, as a fraction of the sensor range.
    pub room: f32,
    /// Lights, at most [`MAX_LIGHTS`].
    pub lights: Vec<Light>,
}

impl Default for Lighting {
    fn default() -> Lighting {
        Lighting { room: STANDARD_AMBIENT, lights: Vec::new() }
    }
}

/// Computes the contribution of a light to the reading of a sensor with the given direction. The contribution follows
/// the inverse-square law and the cosine of the angle of incidence. `towards` is the vector from the robot's centre
/// to the light (m), and `radius` is that of the robot (m).
#[inline(always)]
pub(crate) fn added(towards: Vec2, direction: Vec2, radius: f32, height_squared: f32, brightness: f32) -> f32 {
    let along = towards.dot(direction);
    let facing = max(along - radius, 0.0);
    let square = towards.length_squared() - 2.0 * radius * along + radius * radius + height_squared;
    brightness * facing / (square * square.sqrt())
}

/// Computes the brightness at the eight sensors of a robot, as a fraction of the sensor range (0 to 1), without errors.
pub fn brightness(at: Vec2, ahead: Vec2, lighting: &Lighting, robot: &RobotModel) -> [f32; 8] {
    if robot.light.law == LightLaw::Exponential {
        let mut levels = [lighting.room; 8];
        for light in &lighting.lights {
            let [strength, bearing] =
                LightLaw::exponential(light.at - at, ahead, light.height * light.height, light.brightness);
            for (level, angle) in levels.iter_mut().zip(PROX_ANGLES) {
                *level += strength * LightLaw::facing(bearing - angle);
            }
        }
        return levels.map(|level| min(level, 1.0));
    }
    ray_directions().map(|ray| {
        let direction = ray.rotate(ahead);
        let mut level = lighting.room;
        for light in &lighting.lights {
            level += added(light.at - at, direction, robot.radius, light.height * light.height, light.brightness);
        }
        min(level, 1.0)
    })
}

impl LightSense {
    /// True if v_light can differ from zero in a world with this number of lights.
    pub(crate) fn reads(&self, lights: usize) -> bool {
        lights > 0 || self.noise > 0.0
    }

    /// Computes v_light from the readings without errors. `words` yields random words for the errors.
    pub fn vector(&self, readings: [f32; 8], words: impl FnOnce() -> [u32; 4]) -> Vec2 {
        let readings = if self.noise > 0.0 { with_errors(readings, self.noise, words()) } else { readings };
        let most = readings.iter().copied().fold(readings[0], max);
        self.limited(light_vector(&readings), most)
    }

    /// Applies the threshold to a vector. `most` is the largest reading.
    #[inline(always)]
    pub(crate) fn limited(&self, vector: Vec2, most: f32) -> Vec2 {
        if self.threshold == 0.0 {
            return vector;
        }
        let length = vector.length();
        if (most > self.threshold) & (length > 0.0) { vector * (1.0 / length) } else { Vec2::ZERO }
    }
}

/// Computes v_light from the readings of the eight sensors. The vector is a scaled sum of vectors along the sensor
/// rays. The length of each of these vectors is the sensor's reading minus the minimum reading. v_light points to the
/// light. Its length is approximately the reading of a sensor that faces the light, minus the brightness of the
/// surroundings.
pub fn light_vector(readings: &[f32; 8]) -> Vec2 {
    let least = readings.iter().copied().fold(readings[0], min);
    let mut sum = Vec2::ZERO;
    for (reading, ray) in readings.iter().zip(ray_directions()) {
        sum += ray * (*reading - least);
    }
    scale_sum(sum)
}

/// Scales the vector sum over the sensors. The length of the result is about the reading of a sensor that faces the
/// light.
#[inline(always)]
pub(crate) fn scale_sum(sum: Vec2) -> Vec2 {
    sum * SUM_SCALE
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
        light_vector(&brightness(Vec2::ZERO, Vec2::unit(heading), lighting, &RobotModel::default()))
    }

    #[test]
    fn light_vector_points_to_light_at_any_heading() {
        let lighting = dark(vec![lamp(0.6, 0.3, 0.2)]);
        let bearing = vec2(0.6, 0.3).angle();
        for step in 0..64 {
            let heading = step as f32 * 0.1;
            let off = crate::math::wrap_angle(sees(heading, &lighting).angle() + heading - bearing);
            // The tolerance is large, because the eight sensors are not evenly spaced. The areas between the sides and
            // the back have no sensors.
            assert!(off.abs() < 0.45, "heading {heading}: {off} off");
        }
    }

    #[test]
    fn light_vector_follows_inverse_square_until_saturation() {
        let long = |distance: f32| sees(0.0, &dark(vec![Light { height: 0.02, ..lamp(distance, 0.0, 0.05) }])).length();
        let ratio = long(0.4) / long(0.8);
        // Distances are measured from the rim of the robot, where the sensors are.
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
