//! Keys of a robot model. docs/robot-models.md describes them.

use super::message_keys::MessageKeys;
use schemars::JsonSchema;
use serde::Deserialize;

/// Robot model. Omitted keys have the values of the base.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RobotFile {
    /// Model whose values this model changes: a name, or a file relative to this file. Default: `xpuck`.
    pub base: Option<String>,
    /// Radius (m), 0.02 to 0.5.
    pub radius_m: Option<f32>,
    /// Mass (kg), 0.001 to 10.
    pub mass_kg: Option<f32>,
    /// Friction coefficient on the floor, 0 to 10.
    pub friction: Option<f32>,
    /// Distance of the wheels (m), 0.01 to twice the radius.
    pub wheelbase_m: Option<f32>,
    /// Senses of the robot.
    pub senses: Option<Vec<Sense>>,
    /// Wheels.
    pub wheels: WheelKeys,
    /// Proximity sensors.
    pub proximity: ProximityKeys,
    /// Maximum distance of the centres of two robots for range and bearing (m), 0 to 10. It counts only without
    /// `messages`.
    pub neighbour_range_m: Option<f32>,
    /// Messages between robots, from which range and bearing are computed. By default, range and bearing are exact.
    pub messages: Option<MessageKeys>,
    /// Camera.
    pub camera: CameraKeys,
    /// Light sensors.
    pub light: LightKeys,
    /// Ground sensors: `class`, or the table of three points.
    pub ground: Option<GroundKeys>,
}

/// Sense of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sense {
    /// Proximity sensors.
    Proximity,
    /// Range and bearing of neighbours.
    RangeAndBearing,
    /// Colours in the camera image.
    Camera,
    /// Tags in the camera image.
    Tags,
    /// Light sensors.
    Light,
    /// Ground sensors.
    Ground,
    /// Compass.
    Compass,
}

/// Wheels of a robot.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WheelKeys {
    /// Maximum ground speed of a wheel (m/s), 0.01 to 2.
    pub max_speed_m_s: Option<f32>,
    /// Law that converts goals to wheel speeds.
    pub steering: Option<SteeringKey>,
    /// Standard deviation of the relative error of a wheel's speed in each update, 0 to 1.
    pub noise: Option<f32>,
    /// Motion noise parameters alpha_1, alpha_2 and alpha_3, 0 to 1 each.
    pub motion_noise: Option<[f32; 3]>,
}

/// Steering law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SteeringKey {
    /// Law of the thesis: straight ahead at the maximum speed divided by sqrt(2).
    Diagonal,
    /// Law of AutoMoDe: the outer wheel has the maximum speed.
    Pivot,
}

/// Proximity sensors of a robot.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProximityKeys {
    /// Length of the rays from the rim (m), 0.005 to 0.5.
    pub length_m: Option<f32>,
    /// Reading at a distance: `linear`, or the coefficients of a quadratic polynomial of the distance (m).
    pub curve: Option<CurveKey>,
    /// Maximum of the uniform error of a reading, 0 to 1.
    pub noise: Option<f32>,
}

/// Curve of proximity sensors.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum CurveKey {
    /// Word `linear`: 1 at the rim, 0 at the end of the ray.
    Word(String),
    /// Coefficients, the constant first.
    Quadratic([f32; 3]),
}

/// Camera of a robot. The image has 15 columns in three segments.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CameraKeys {
    /// Horizontal field of view (degrees), 10 to 170.
    pub fov_deg: Option<f32>,
    /// Maximum distance of visible objects (m), 0.05 to 40. Default: unlimited.
    pub range_m: Option<f32>,
    /// Delay of images (s), 0 to 0.4.
    pub delay_s: Option<f32>,
    /// Probability that the objects in a segment are missed, 0 to 1.
    pub misses: Option<f32>,
}

/// Light sensors of a robot.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LightKeys {
    /// Reading for a lamp.
    pub law: Option<LightLawKey>,
    /// If above 0, v_light has length 1 if a reading exceeds the threshold, and otherwise length 0. 0 to 1.
    pub threshold: Option<f32>,
    /// Maximum of the uniform error of a reading, 0 to 1.
    pub noise: Option<f32>,
}

/// Law of light sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LightLawKey {
    /// Inverse square of the distance.
    InverseSquare,
    /// exp(-2 d / brightness), as in ARGoS.
    Exponential,
}

/// Ground sensors of a robot.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum GroundKeys {
    /// Word `class`: one sensor that reads black, grey or white.
    Word(String),
    /// Three points.
    Points(PointKeys),
}

/// Three ground sensors whose last readings are counted.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointKeys {
    /// Maximum of the uniform error of a reading, 0 to 1.
    pub noise: f32,
    /// Readings below this limit are black, 0 to 1.
    pub black_below: f32,
    /// Readings above this limit are white, 0 to 1.
    pub white_above: f32,
    /// Number of updates whose readings are counted, 1 to 8.
    pub window: u32,
    /// The floor is black if more than this number of readings are black, and white likewise.
    pub majority: u32,
}

/// Robots of a world file: a name or file, or the keys of a model.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum RobotEntry {
    /// Name, or file relative to the world file.
    Name(String),
    /// Model.
    Keys(Box<RobotFile>),
}
