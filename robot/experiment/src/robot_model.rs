//! Robot models: the body, wheels and senses of the robots of a world, as a file or as a table of a world file.
//! docs/robot-models.md describes the keys.

mod message_keys;

pub use message_keys::MessageKeys;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::f32::consts::PI;
use std::fmt;
use std::path::Path;
use xpuck_kernels::model::NOISE;
use xpuck_kernels::world::robot::CameraView;
use xpuck_kernels::world::robot::{
    Curve, GroundPoints, GroundSense, LightLaw, LightSense, Proximity, RobotModel, Steering, Wheels,
};
use xpuck_kernels::world::senses::camera_model::CameraModel;
use xpuck_kernels::world::senses::messages::Messages;
use xpuck_kernels::world::{Sensing, Shape, WorldSpec};
use xpuck_wire::file::{self, FileError};

/// Names and texts of the models that are part of the program.
pub const NAMED: [(&str, &str); 5] = [
    ("xpuck", include_str!("../../../docs/robot-models/xpuck.toml")),
    ("e-puck2", include_str!("../../../docs/robot-models/e-puck2.toml")),
    ("pi-puck", include_str!("../../../docs/robot-models/pi-puck.toml")),
    ("rm1.1", include_str!("../../../docs/robot-models/rm1.1.toml")),
    ("rm1.2", include_str!("../../../docs/robot-models/rm1.2.toml")),
];

/// Maximum number of models of which each is the base of the previous one.
const MAX_BASES: usize = 8;

/// Loader of the text of a model file, given the name in the key `base` or `robot`.
pub type Loader<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Robots of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotSpec {
    /// Radius, mass, wheelbase and friction.
    pub shape: Shape,
    /// Wheels and senses.
    pub model: RobotModel,
    /// Standard deviations of the motion noise (see [`NOISE`]).
    pub motion_noise: [f32; 3],
    /// Imperfections of the camera.
    pub camera: CameraModel,
    /// Messages between robots.
    pub messages: Option<Messages>,
}

impl Default for RobotSpec {
    fn default() -> RobotSpec {
        RobotSpec {
            shape: Shape::ROBOT,
            model: RobotModel::default(),
            motion_noise: NOISE,
            camera: CameraModel::default(),
            messages: None,
        }
    }
}

impl RobotSpec {
    /// Replaces the robots of a world, including camera and messages.
    pub fn apply(&self, spec: &mut WorldSpec) {
        spec.robot = self.shape;
        spec.physics.robot = self.model;
        spec.physics.noise = self.motion_noise;
        spec.camera = self.camera;
        spec.messages = self.messages;
    }

    /// Returns the text of a model file that has every key, so that it does not depend on other files.
    pub fn to_toml(&self) -> String {
        use std::fmt::Write;
        let RobotSpec { shape, model, motion_noise, camera, messages } = self;
        let Wheels { max_speed, steering, noise } = model.wheels;
        let Sensing { proximity, camera: colours, neighbours, light, tags, ground } = model.senses;
        let senses = [
            (proximity, "proximity"),
            (neighbours, "range-and-bearing"),
            (colours, "camera"),
            (tags, "tags"),
            (light, "light"),
            (ground, "ground"),
            (model.compass, "compass"),
        ];
        let senses: Vec<&str> = senses.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect();
        let mut text = format!(
            "radius_m = {:?}\nmass_kg = {:?}\nfriction = {:?}\nwheelbase_m = {:?}\nsenses = {senses:?}\n\
             neighbour_range_m = {:?}\n",
            shape.radius,
            shape.mass,
            shape.mu,
            2.0 * shape.contact_arm,
            model.neighbour_range
        );
        let _ = match model.ground {
            GroundSense::Class => writeln!(text, "ground = \"class\""),
            GroundSense::Points(GroundPoints { noise, black_below, white_above, window, majority }) => writeln!(
                text,
                "ground = {{ noise = {noise:?}, black_below = {black_below:?}, white_above = {white_above:?}, \
                 window = {window}, majority = {majority} }}"
            ),
        };
        let steering = match steering {
            Steering::Diagonal => "diagonal",
            Steering::Pivot => "pivot",
        };
        let _ = write!(
            text,
            "[wheels]\nmax_speed_m_s = {max_speed:?}\nsteering = \"{steering}\"\nnoise = {noise:?}\n\
             motion_noise = {motion_noise:?}\n"
        );
        let Proximity { range, curve, noise } = model.proximity;
        let curve = match curve {
            Curve::Linear => "\"linear\"".into(),
            Curve::Quadratic(coefficients) => format!("{coefficients:?}"),
        };
        let _ = write!(text, "[proximity]\nlength_m = {range:?}\ncurve = {curve}\nnoise = {noise:?}\n");
        let fov = fov_degrees(model.camera.fov);
        let _ =
            write!(text, "[camera]\nfov_deg = {fov:?}\ndelay_s = {:?}\nmisses = {:?}\n", camera.delay_s, camera.misses);
        if model.camera.range.is_finite() {
            let _ = writeln!(text, "range_m = {:?}", model.camera.range);
        }
        let LightSense { law, threshold, noise } = model.light;
        let law = match law {
            LightLaw::InverseSquare => "inverse-square",
            LightLaw::Exponential => "exponential",
        };
        let _ = write!(text, "[light]\nlaw = \"{law}\"\nthreshold = {threshold:?}\nnoise = {noise:?}\n");
        if let Some(messages) = messages.as_ref().and_then(|messages| toml::to_string(messages).ok()) {
            let _ = write!(text, "[messages]\n{messages}");
        }
        text
    }
}

/// Field of view (rad) of a number of degrees.
fn fov_radians(degrees: f32) -> f32 {
    degrees * PI / 180.0
}

/// Field of view in degrees, from which [`fov_radians`] computes exactly this number of radians.
fn fov_degrees(fov: f32) -> f32 {
    let near = (fov * 180.0 / PI).to_bits();
    let candidates = (0..8u32).flat_map(|i| [near + i, near - i]).map(f32::from_bits);
    let rounded = (fov * 180.0 / PI * 1e3).round() / 1e3;
    [rounded].into_iter().chain(candidates).find(|degrees| fov_radians(*degrees) == fov).unwrap_or(rounded)
}

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
    noise: f32,
    /// Readings below this limit are black, 0 to 1.
    black_below: f32,
    /// Readings above this limit are white, 0 to 1.
    white_above: f32,
    /// Number of updates whose readings are counted, 1 to 8.
    window: u32,
    /// The floor is black if more than this number of readings are black, and white likewise.
    majority: u32,
}

impl RobotFile {
    /// Parses the text of a model file, and validates the robot. `name` is the path of the file.
    ///
    /// # Errors
    /// Returns one line that names the file, and the line or the key.
    pub fn check(name: &str, text: &str) -> Result<RobotSpec, FileError> {
        let parsed: RobotFile = file::parse(name, text)?;
        let load = |base: &str| read_file(Path::new(&beside(name, base)));
        let robot = parsed.robot(&load).map_err(|why| FileError::value(name, why))?;
        // A world with a single robot shows whether the values are in range.
        let mut world = WorldSpec::benchmark(1);
        robot.apply(&mut world);
        world.check().map_err(|error| FileError::value(name, error.to_string()))?;
        Ok(robot)
    }

    /// Changes the values of a robot to those of the file. The base is ignored.
    fn change(&self, robot: &mut RobotSpec) {
        fn set<T: Copy>(value: &mut T, given: Option<T>) {
            *value = given.unwrap_or(*value);
        }
        let RobotSpec { shape, model, motion_noise, camera, messages } = robot;
        set(&mut shape.radius, self.radius_m);
        set(&mut shape.mass, self.mass_kg);
        set(&mut shape.mu, self.friction);
        set(&mut shape.contact_arm, self.wheelbase_m.map(|wheelbase| wheelbase / 2.0));
        model.radius = shape.radius;
        if let Some(senses) = &self.senses {
            let has = |sense| senses.contains(&sense);
            model.compass = has(Sense::Compass);
            model.senses = Sensing {
                proximity: has(Sense::Proximity),
                camera: has(Sense::Camera),
                neighbours: has(Sense::RangeAndBearing),
                light: has(Sense::Light),
                tags: has(Sense::Tags),
                ground: has(Sense::Ground),
            };
        }
        let Wheels { max_speed, steering, noise } = &mut model.wheels;
        set(max_speed, self.wheels.max_speed_m_s);
        set(noise, self.wheels.noise);
        set(motion_noise, self.wheels.motion_noise);
        set(
            steering,
            self.wheels.steering.map(|law| match law {
                SteeringKey::Diagonal => Steering::Diagonal,
                SteeringKey::Pivot => Steering::Pivot,
            }),
        );
        let Proximity { range, curve, noise } = &mut model.proximity;
        set(range, self.proximity.length_m);
        set(noise, self.proximity.noise);
        let given = self.proximity.curve.as_ref().map(|curve| match curve {
            CurveKey::Word(_) => Curve::Linear,
            CurveKey::Quadratic(coefficients) => Curve::Quadratic(*coefficients),
        });
        set(curve, given);
        set(&mut model.neighbour_range, self.neighbour_range_m);
        set(messages, self.messages.map(|keys| Some(keys.over(&messages.unwrap_or_default()))));
        set(&mut camera.delay_s, self.camera.delay_s);
        set(&mut camera.misses, self.camera.misses);
        if self.camera.fov_deg.is_some() || self.camera.range_m.is_some() {
            let fov = self.camera.fov_deg.map_or(model.camera.fov, fov_radians);
            model.camera = CameraView::new(fov, self.camera.range_m.unwrap_or(model.camera.range));
        }
        let LightSense { law, threshold, noise } = &mut model.light;
        set(threshold, self.light.threshold);
        set(noise, self.light.noise);
        let given = self.light.law.map(|law| match law {
            LightLawKey::InverseSquare => LightLaw::InverseSquare,
            LightLawKey::Exponential => LightLaw::Exponential,
        });
        set(law, given);
        match &self.ground {
            None => {}
            Some(GroundKeys::Word(_)) => model.ground = GroundSense::Class,
            Some(GroundKeys::Points(points)) => {
                let PointKeys { noise, black_below, white_above, window, majority } = *points;
                model.ground = GroundSense::Points(GroundPoints { noise, black_below, white_above, window, majority });
            }
        }
    }

    /// Returns the robot of the file, with the values of its bases. `load` reads the bases that are files.
    ///
    /// # Errors
    /// A base that cannot be read or parsed, or a chain of more than eight bases.
    pub fn robot(&self, load: Loader<'_>) -> Result<RobotSpec, String> {
        let mut chain = vec![self.clone()];
        let mut path = String::new();
        while let Some(base) = chain.last().and_then(|file| file.base.clone()) {
            if chain.len() > MAX_BASES + 1 {
                return Err(format!("robot model `{base}` has more than {MAX_BASES} bases; remove a circle of bases"));
            }
            path = if is_named(&base) { base } else { beside(&path, &base) };
            chain.push(named(&path, load)?);
        }
        let mut robot = RobotSpec::default();
        chain.iter().rev().for_each(|file| file.change(&mut robot));
        Ok(robot)
    }
}

/// Returns true if this is the name of a model that is part of the program.
pub fn is_named(name: &str) -> bool {
    NAMED.iter().any(|(known, _)| *known == name)
}

/// Returns the model with a name, or the model of a file.
fn named(name: &str, load: Loader<'_>) -> Result<RobotFile, String> {
    let text = match NAMED.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => (*text).to_string(),
        None if name.ends_with(".toml") => load(name)?,
        None => {
            let known: Vec<&str> = NAMED.iter().map(|(known, _)| *known).collect();
            return Err(format!("unknown robot model `{name}`; choose {}, or a file .toml", known.join(", ")));
        }
    };
    file::parse(name, &text).map_err(|error: FileError| error.to_string())
}

/// Returns the robot of a model with a name or of a file. `load` reads files.
///
/// # Errors
/// An unknown name, or a file that cannot be read or parsed.
pub fn find(name: &str, load: Loader<'_>) -> Result<RobotSpec, String> {
    RobotFile { base: Some(name.into()), ..RobotFile::default() }.robot(load)
}

/// Returns the robot of a model with a name or of a file relative to the working folder.
///
/// # Errors
/// An unknown name, or a file that cannot be read or parsed, or whose values are out of range.
pub fn read(name: &str) -> Result<RobotSpec, String> {
    find(name, &|file| read_file(Path::new(file)))
}

/// Reads the text of a model file.
///
/// # Errors
/// The file cannot be read.
pub fn read_file(path: &Path) -> Result<String, String> {
    file::text(path, file::MAX_TOML).map_err(|error| error.to_string())
}

/// Returns the file of a robot model that a world, or another robot model, names.
pub fn named_robot(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let base = |table: &toml::Table| table.get("base").and_then(toml::Value::as_str).map(str::to_string);
    let name = match table.get("robot") {
        Some(toml::Value::String(name)) => Some(name.clone()),
        Some(toml::Value::Table(robot)) => base(robot),
        _ => base(&table),
    };
    name.filter(|name| name.ends_with(".toml"))
}

/// Returns the path of a file that another file names, relative to the folder of the other file.
pub fn beside(path: &str, name: &str) -> String {
    if name.starts_with('/') {
        return name.into();
    }
    path.rfind('/').map_or(name.into(), |end| format!("{}{name}", &path[..=end]))
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

impl Default for RobotEntry {
    fn default() -> RobotEntry {
        RobotEntry::Keys(Box::default())
    }
}

impl RobotEntry {
    /// Returns the robot. `load` reads files.
    ///
    /// # Errors
    /// A name that is unknown, or a file that cannot be read or parsed.
    pub fn robot(&self, load: Loader<'_>) -> Result<RobotSpec, String> {
        match self {
            RobotEntry::Name(name) => find(name, load),
            RobotEntry::Keys(file) => file.robot(load),
        }
    }
}

// The enums below are words or tables. Derived untagged enums would report neither the unknown key nor its line.

impl<'de> Deserialize<'de> for RobotEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RobotEntry, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = RobotEntry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "the name of a robot model, or a table of its keys (the number of robots is the key `robots`)",
                )
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<RobotEntry, E> {
                Ok(RobotEntry::Name(name.into()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RobotEntry, A::Error> {
                RobotFile::deserialize(MapAccessDeserializer::new(map)).map(|file| RobotEntry::Keys(Box::new(file)))
            }
        }
        from.deserialize_any(Words)
    }
}

impl<'de> Deserialize<'de> for CurveKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CurveKey, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = CurveKey;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"linear\" or three coefficients")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<CurveKey, E> {
                if word == "linear" { Ok(CurveKey::Word(word.into())) } else { Err(E::custom(one_of(word, "linear"))) }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<CurveKey, A::Error> {
                <[f32; 3]>::deserialize(SeqAccessDeserializer::new(seq)).map(CurveKey::Quadratic)
            }
        }
        from.deserialize_any(Words)
    }
}

impl<'de> Deserialize<'de> for GroundKeys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<GroundKeys, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = GroundKeys;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"class\" or a table of points")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<GroundKeys, E> {
                if word == "class" { Ok(GroundKeys::Word(word.into())) } else { Err(E::custom(one_of(word, "class"))) }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<GroundKeys, A::Error> {
                PointKeys::deserialize(MapAccessDeserializer::new(map)).map(GroundKeys::Points)
            }
        }
        from.deserialize_any(Words)
    }
}

fn one_of(word: &str, known: &str) -> String {
    format!("unknown word `{word}`; the only word is `{known}`")
}

#[cfg(test)]
mod tests;
