//! Robot models: the body, wheels and senses of the robots of a world, as a file or as a table of a world file.
//! docs/robot-models.md describes the keys.

mod keys;
mod message_keys;
mod text;
mod words;

pub use keys::*;
pub use message_keys::MessageKeys;

use std::f32::consts::PI;
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

    /// Checks that the values are in range.
    fn checked(self) -> Result<RobotSpec, String> {
        let mut world = WorldSpec::benchmark(1);
        self.apply(&mut world);
        world.check_robots().map(|()| self).map_err(|error| error.to_string())
    }
}

/// Field of view (rad) of a number of degrees.
fn fov_radians(degrees: f32) -> f32 {
    degrees * PI / 180.0
}

impl RobotFile {
    /// Parses the text of a model file, and validates the robot. `name` is the path of the file.
    ///
    /// # Errors
    /// Returns one line that names the file, and the line or the key.
    pub fn check(name: &str, text: &str) -> Result<RobotSpec, FileError> {
        let parsed: RobotFile = file::parse(name, text)?;
        let load = |base: &str| read_file(Path::new(&beside(name, base)));
        parsed.robot(&load).and_then(RobotSpec::checked).map_err(|why| FileError::value(name, why))
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
/// An unknown name, a file that cannot be read or parsed, or a value that is out of range.
pub fn find(name: &str, load: Loader<'_>) -> Result<RobotSpec, String> {
    let robot = RobotFile { base: Some(name.into()), ..RobotFile::default() }.robot(load)?;
    robot.checked().map_err(|why| format!("{name}: {why}"))
}

/// Returns the robot of a model with a name or of a file relative to the working folder.
///
/// # Errors
/// As [`find`].
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

#[cfg(test)]
mod tests;
