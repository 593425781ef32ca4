//! Robot model: body, wheels and senses of the robots of a world. The default is the reference model of the thesis
//! (Table 6.1). The parts whose laws differ between models are enums, so each model runs its own expressions.

use super::Sensing;
use crate::math::{Vec2, atan2, max, min};
use crate::model::{CAMERA_COLUMNS, CAMERA_FOV, NEIGHBOUR_RANGE, PROX_RANGE, ROBOT_RADIUS, SEGMENT_ANGLE, V_MAX};
use crate::random::{Stream, error_words, nearly_normal};
use crate::tree::registers::{ATTR, BLUE, GROUND, LIGHT, NEIGHBOURS, PROX, RED, TAG, UP};
use crate::tree::{Program, register_of};
use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

/// Wheels and senses of a robot. [`Shape`](super::Shape) has its radius, mass and wheelbase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotModel {
    /// Radius (m), 0.02 to 0.5. It equals the radius of the robots' shape.
    pub radius: f32,
    /// Wheels.
    pub wheels: Wheels,
    /// Proximity sensors.
    pub proximity: Proximity,
    /// Maximum distance between the centres of two robots for range and bearing in a world without a message model
    /// (m), 0 to 10.
    pub neighbour_range: f32,
    /// View of the camera.
    pub camera: CameraView,
    /// Light sensors.
    pub light: LightSense,
    /// Ground sensors.
    pub ground: GroundSense,
    /// Senses that the robot has.
    pub senses: Sensing,
    /// Whether the robot has a compass. Without a compass, v_up is always (1, 0).
    pub compass: bool,
}

impl Default for RobotModel {
    fn default() -> RobotModel {
        RobotModel {
            radius: ROBOT_RADIUS,
            wheels: Wheels::default(),
            proximity: Proximity::default(),
            neighbour_range: NEIGHBOUR_RANGE,
            camera: CameraView::default(),
            light: LightSense::default(),
            ground: GroundSense::Class,
            senses: Sensing::ALL,
            compass: true,
        }
    }
}

impl RobotModel {
    /// Returns the registers of the senses that the robot lacks, as a bit mask. Bit i is cell i of the full register map.
    pub fn absent_cells(&self) -> u32 {
        let Sensing { proximity, camera, neighbours, light, tags, ground } = self.senses;
        let vector = |cell: usize| 0b11u32 << cell;
        [
            (proximity, vector(PROX)),
            (self.compass, vector(UP)),
            (camera, vector(RED) | vector(RED + 2) | vector(BLUE)),
            (neighbours, vector(ATTR) | 1 << NEIGHBOURS),
            (light, vector(LIGHT)),
            (tags, vector(TAG)),
            (ground, 1 << GROUND),
        ]
        .into_iter()
        .fold(0, |all, (is_present, cells)| if is_present { all } else { all | cells })
    }

    /// Returns the name of a register that the program reads, but whose sense the robot lacks.
    pub fn missing_register(&self, program: &Program) -> Option<&'static str> {
        let missing = program.register_reads() & self.absent_cells();
        (missing != 0).then(|| register_of(missing.trailing_zeros() as u8).name)
    }

    /// Checks that the robot has all senses that a program reads.
    ///
    /// # Errors
    /// Returns one line that names the register.
    pub fn check_program(&self, program: &Program) -> Result<(), String> {
        self.missing_register(program).map_or(Ok(()), |register| {
            Err(format!(
                "the tree reads {register}, but the robot model lacks this sense; add it to `senses` of the model, or \
                 change the tree"
            ))
        })
    }
}

/// Wheels of a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wheels {
    /// Maximum ground speed of a wheel (m/s), 0.01 to 2.
    pub max_speed: f32,
    /// Law that converts goal velocities to wheel speeds.
    pub steering: Steering,
    /// Standard deviation of the relative error of a wheel's speed, drawn in each update, 0 to 1.
    pub noise: f32,
}

impl Default for Wheels {
    fn default() -> Wheels {
        Wheels { max_speed: V_MAX, steering: Steering::Diagonal, noise: 0.0 }
    }
}

/// Law that converts goal velocities to wheel speeds. Goals longer than 1 count as goals of length 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steering {
    /// Thesis Eq. 6.7 to 6.9. Straight ahead, the speed is the maximum speed divided by sqrt(2).
    #[default]
    Diagonal,
    /// Law of the AutoMoDe modules. The outer wheel has the maximum speed. The factor of the inner wheel is the cosine of
    /// the goal's angle, at least -0.5. Straight ahead, the speed is the maximum speed.
    Pivot,
}

impl Wheels {
    /// Maximum speed straight ahead (m/s).
    pub fn straight_speed(&self) -> f32 {
        match self.steering {
            Steering::Diagonal => self.max_speed * FRAC_1_SQRT_2,
            Steering::Pivot => self.max_speed,
        }
    }

    /// Errors of the wheel speeds of a robot in an update, as factors. `key` is the seed, low word first.
    #[inline(always)]
    pub fn errors(&self, key: [u32; 2], world: u32, robot: u32, update: u32) -> [f32; 2] {
        let words = error_words(key, world, robot, update, Stream::Wheels);
        [0, 1].map(|i| 1.0 + self.noise * nearly_normal(words[i], words[2] >> (8 * i)))
    }
}

/// Proximity sensors of a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity {
    /// Range of a ray from the rim (m), 0.005 to 0.5.
    pub range: f32,
    /// Reading as a function of the distance.
    pub curve: Curve,
    /// Maximum of the uniformly distributed error of a reading, 0 to 1. The sum is limited to 0 to 1.
    pub noise: f32,
}

/// Reading of a proximity sensor as a function of the distance of the obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Curve {
    /// 1 at distance 0, and 0 at the end of the ray.
    #[default]
    Linear,
    /// Quadratic polynomial of the distance (m), with the constant coefficient first. The value is limited to 0 to 1.
    Quadratic([f32; 3]),
}

impl Default for Proximity {
    fn default() -> Proximity {
        Proximity { range: PROX_RANGE, curve: Curve::Linear, noise: 0.0 }
    }
}

impl Proximity {
    /// Computes the reading of a ray from the distance of the obstacle (m), without noise.
    #[inline(always)]
    pub fn reading(&self, distance: f32) -> f32 {
        match self.curve {
            Curve::Linear => 1.0 - distance * (1.0 / self.range),
            Curve::Quadratic([a, b, c]) => max(min(a + distance * (b + distance * c), 1.0), 0.0),
        }
    }
}

/// Tangent of 28 degrees, which is half of the default camera's field of view.
pub(crate) const HALF_VIEW: f32 = 0.531_709_4;

/// View of a camera: its field of view and range. [`CameraView::new`] creates it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraView {
    /// Horizontal field of view (rad).
    pub fov: f32,
    /// Maximum distance of the centre of a visible body, and of a visible point of a wall patch (m).
    pub range: f32,
    /// Half of the field of view (rad).
    pub(crate) half: f32,
    /// Number of columns per angle (1/rad).
    pub(crate) per_radian: f32,
    /// Width of a column (rad).
    pub(crate) column: f32,
    /// Left edge of the field of view as a unit vector in the robot's frame.
    pub(crate) edge: Vec2,
    /// Direction of the left segment as a unit vector in the robot's frame.
    pub(crate) aside: Vec2,
    /// Squared range (m^2).
    pub(crate) square: f32,
    /// Tangent of half of the field of view.
    pub(crate) slope: f32,
}

impl CameraView {
    /// Creates a view. The vectors of the left and the right segment have the angle of Table 6.4, scaled to the field of
    /// view (rad). `range` may be infinite.
    pub fn new(fov: f32, range: f32) -> CameraView {
        let edge = Vec2::unit(fov * 0.5);
        CameraView {
            fov,
            range,
            half: fov * 0.5,
            per_radian: CAMERA_COLUMNS as f32 / fov,
            column: fov / CAMERA_COLUMNS as f32,
            edge,
            aside: Vec2::unit(SEGMENT_ANGLE * (fov / CAMERA_FOV)),
            square: range * range,
            slope: if fov == CAMERA_FOV { HALF_VIEW } else { edge.y / edge.x },
        }
    }
}

impl Default for CameraView {
    fn default() -> CameraView {
        CameraView::new(CAMERA_FOV, f32::INFINITY)
    }
}

/// Light sensors of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LightSense {
    /// Reading as a function of distance and angle.
    pub law: LightLaw,
    /// If above 0, v_light has length 1 if a reading exceeds this threshold, and length 0 otherwise. 0 to 1.
    pub threshold: f32,
    /// Maximum of the uniformly distributed error of a reading, 0 to 1. The sum is limited to 0 to 1.
    pub noise: f32,
}

/// Reading of a light sensor for a lamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LightLaw {
    /// Brightness divided by the square of the distance, times the cosine of the angle of incidence.
    #[default]
    InverseSquare,
    /// ARGoS: exp(-2 d / b) (1 - angle / 90 degrees), where d is the distance (m) and b is the brightness. 0 for
    /// distances above 2.5 b and angles above 90 degrees.
    Exponential,
}

impl LightLaw {
    /// Strength of a lamp in the exponential law, without the factor for the angle, and bearing of the lamp relative to
    /// the robot's heading (rad). `towards` is the vector from the robot's centre to the lamp (m).
    #[inline(always)]
    pub(crate) fn exponential(towards: Vec2, ahead: Vec2, height_squared: f32, brightness: f32) -> [f32; 2] {
        let distance = (towards.length_squared() + height_squared).sqrt();
        let strength = crate::math::exp(-2.0 * distance / max(brightness, 1e-6));
        let bearing = atan2(ahead.cross(towards), ahead.dot(towards));
        [if distance <= 2.5 * brightness { strength } else { 0.0 }, bearing]
    }

    /// Factor of the exponential law for the angle between a sensor and a lamp (rad, -2 pi to 2 pi).
    #[inline(always)]
    pub(crate) fn facing(angle: f32) -> f32 {
        let size = crate::math::wrap_angle(angle).abs();
        max(1.0 - size * (1.0 / FRAC_PI_2), 0.0)
    }
}

/// Ground sensors of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum GroundSense {
    /// One sensor that reads the class of the floor, with the confusion table of the floor.
    #[default]
    Class,
    /// Three sensors with noise, whose last readings are counted.
    Points(GroundPoints),
}

/// Three ground sensors, 0.03 m ahead of the centre and 0.009 m apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPoints {
    /// Maximum of the uniformly distributed error of a reading, 0 to 1.
    pub noise: f32,
    /// Readings below this limit are black, 0 to 1.
    pub black_below: f32,
    /// Readings above this limit are white, 0 to 1.
    pub white_above: f32,
    /// Number of updates whose readings are counted, 1 to [`GroundPoints::MAX_WINDOW`].
    pub window: u32,
    /// The floor is black if more than this number of the counted readings are black, and white likewise.
    pub majority: u32,
}

impl GroundPoints {
    /// Maximum number of updates whose readings are counted.
    pub const MAX_WINDOW: u32 = 8;
    /// Distances of the three sensors to the left of the robot's centre line (m).
    pub const ASIDE: [f32; 3] = [-0.009, 0.0, 0.009];

    /// Bit mask of the updates of a history that are kept when a further update is added.
    pub(crate) fn kept(&self) -> u32 {
        (1 << (2 * (self.window - 1))) - 1
    }

    /// Adds the readings of an update to a history. `levels` contains the brightness at the three sensors (0 to 1), and
    /// `words` contains random words. A history has two bits for each update for black, and two bits for white.
    #[inline(always)]
    pub(crate) fn push(&self, history: u32, levels: [f32; 3], words: [u32; 4]) -> u32 {
        let (mut black, mut white) = (0, 0);
        for (level, word) in levels.into_iter().zip(words) {
            let read = level + self.noise * symmetric(word);
            black += u32::from(read < self.black_below);
            white += u32::from(read > self.white_above);
        }
        let kept = self.kept();
        let (blacks, whites) = (history & 0xffff & kept, history >> 16 & kept);
        (blacks << 2 | black) | (whites << 2 | white) << 16
    }

    /// Value of s_ground for a history.
    #[inline(always)]
    pub(crate) fn class(&self, history: u32) -> f32 {
        let count = |bits: u32| {
            let pairs = (bits & 0x3333) + (bits >> 2 & 0x3333);
            let bytes = (pairs & 0x0f0f) + (pairs >> 4 & 0x0f0f);
            (bytes & 0xff) + (bytes >> 8)
        };
        let (black, white) = (count(history & 0xffff), count(history >> 16));
        if black > self.majority {
            -1.0
        } else if white > self.majority {
            1.0
        } else {
            0.0
        }
    }
}

/// Converts a random word to a number in -1..1.
#[inline(always)]
pub(crate) fn symmetric(word: u32) -> f32 {
    2.0 * crate::random::unit(word) - 1.0
}

/// Converts the low (0) or high (1) half of a random word to a number in -1..1.
#[inline(always)]
pub(crate) fn symmetric_half(word: u32, half: u32) -> f32 {
    (word >> (16 * half) & 0xffff) as i32 as f32 * (1.0 / 32_768.0) - 1.0
}

/// Adds errors to the readings of eight sensors, and limits the sums to 0 to 1.
#[inline(always)]
pub(crate) fn with_errors(readings: [f32; 8], noise: f32, words: [u32; 4]) -> [f32; 8] {
    let error = |i: usize| symmetric_half(words[i / 2], i as u32 % 2);
    std::array::from_fn(|i| max(min(readings[i] + noise * error(i), 1.0), 0.0))
}
