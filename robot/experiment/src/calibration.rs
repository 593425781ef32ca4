//! `calibration.toml`: measurements of the real system, in one file for the simulator, the virtual arena and the
//! robots (thesis chapter 7). `xpuck calibrate` writes the file, and docs/calibration.md describes every key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_kernels::world::senses::camera_model::CameraModel;
use xpuck_kernels::world::senses::messages::Messages;
use xpuck_kernels::world::{PhysicsKeys, WorldSpec};
use xpuck_registers::infrared::Curve;
use xpuck_wire::file::{self, FileError};

/// Range of the offset of an infra-red sensor (counts).
pub const OFFSETS: (f32, f32) = (-500.0, 500.0);
/// Range of the scale of an infra-red sensor relative to the curve.
pub const SCALES: (f32, f32) = (0.3, 3.0);
/// Range of the factors for the wheels and for the distance between the wheels.
pub const FACTORS: (f32, f32) = (0.8, 1.2);
/// Maximum angle between a camera and the forward direction (degrees).
pub const MAX_CAMERA_ANGLE: f32 = 15.0;

/// Measured values. For a missing value, each program uses its own default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Calibration {
    /// Masses, friction and noise, in place of the world's own values.
    pub physics: PhysicsKeys,
    /// Camera imperfections, in place of the world's own values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<CameraModel>,
    /// Latency of the virtual senses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Lateness>,
    /// Infra-red curve common to all robots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infrared: Option<InfraredCurve>,
    /// Properties of individual robots, by the robot's name in the swarm file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub robots: BTreeMap<String, Body>,
}

/// Latency of the virtual senses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lateness {
    /// Age of the data when a message arrives (s, 0 to 2). If the world has no message model, this key adds a message
    /// model with default values.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub latency_s: f64,
}

/// Infra-red curve common to all robots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InfraredCurve {
    /// Curve as fitted by `xpuck calibrate fit ir` (Eq. 7.3).
    #[serde(with = "CurveFile")]
    #[schemars(with = "CurveFile")]
    pub curve: Curve,
}

/// Form of [`Curve`] in a file. All values are required, because one fit determines all of them.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Curve", deny_unknown_fields)]
pub struct CurveFile {
    #[schemars(range(min = 5.0, max = 200.0))]
    steepness: f32,
    #[schemars(range(min = 0.1, max = 3.0))]
    shift: f32,
    #[schemars(range(min = 0.0, max = 1.0))]
    floor: f32,
    #[schemars(range(min = 0.2, max = 2.0))]
    near_level: f32,
    #[schemars(range(min = 0.1, max = 100.0))]
    near_slope: f32,
    #[schemars(range(min = 0.001, max = 0.015))]
    knee: f32,
}

/// Returns key, value, and range of each parameter of a curve.
pub fn curve_rows(curve: &Curve) -> [(&'static str, f32, (f32, f32)); 6] {
    [
        ("steepness", curve.steepness, (5.0, 200.0)),
        ("shift", curve.shift, (0.1, 3.0)),
        ("floor", curve.floor, (0.0, 1.0)),
        ("near_level", curve.near_level, (0.2, 2.0)),
        ("near_slope", curve.near_slope, (0.1, 100.0)),
        ("knee", curve.knee, (0.001, 0.015)),
    ]
}

/// Properties of one robot's body. The robot compensates for these properties. Simulated robots have nominal bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// Calibration of the wheels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive: Option<Wheels>,
    /// Calibration of the infra-red sensors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infrared: Option<Sensors>,
    /// Mounting of the camera.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<Mount>,
}

/// Calibration of the wheels. Each value is a factor of the nominal value (0.8..=1.2). Robots differ by about 1 %
/// (thesis 7.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wheels {
    /// Factor for the distance that the left wheel rolls per step.
    #[schemars(range(min = FACTORS.0, max = FACTORS.1))]
    pub left: f32,
    /// Factor for the distance that the right wheel rolls per step.
    #[schemars(range(min = FACTORS.0, max = FACTORS.1))]
    pub right: f32,
    /// Factor for the distance between the wheels.
    #[schemars(range(min = FACTORS.0, max = FACTORS.1))]
    pub baseline: f32,
}

impl Default for Wheels {
    fn default() -> Wheels {
        Wheels { left: 1.0, right: 1.0, baseline: 1.0 }
    }
}

/// Calibration of the infra-red sensors, in the order of Table 6.1. The reading of a sensor (counts) is scale *
/// curve(distance) + offset (thesis 7.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sensors {
    /// Reading of each sensor without an obstacle (counts, -500..=500).
    #[schemars(inner(range(min = OFFSETS.0, max = OFFSETS.1)))]
    pub offset: [f32; 8],
    /// Gain of each sensor relative to the curve (0.3..=3).
    #[schemars(inner(range(min = SCALES.0, max = SCALES.1)))]
    pub scale: [f32; 8],
}

impl Default for Sensors {
    fn default() -> Sensors {
        Sensors { offset: [0.0; 8], scale: [1.0; 8] }
    }
}

/// Mounting of the camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mount {
    /// Angle of the camera relative to the forward direction, positive to the left (degrees, -15..=15).
    #[schemars(range(min = -MAX_CAMERA_ANGLE, max = MAX_CAMERA_ANGLE))]
    pub turn_deg: f32,
}

impl Calibration {
    /// Reads and validates a calibration file.
    ///
    /// # Errors
    /// Returns one line that names the file, the key and the range.
    pub fn read(path: &Path) -> Result<Calibration, FileError> {
        Calibration::parse(&path.display().to_string(), &file::text(path, file::MAX_TOML)?)
    }

    /// Parses and validates the text of a calibration file. `name` identifies the text in errors.
    ///
    /// # Errors
    /// Returns one line that names the text, the key and the range.
    pub fn parse(name: &str, text: &str) -> Result<Calibration, FileError> {
        let read: Calibration = file::parse(name, text)?;
        read.check().map_err(|why| FileError::value(name, why))?;
        Ok(read)
    }

    fn check(&self) -> Result<(), String> {
        let p = &self.physics;
        let physics = [
            ("robot_mass_kg", p.robot_mass_kg, (0.001, 10.0)),
            ("robot_friction", p.robot_friction, (0.0, 10.0)),
            ("frisbee_mass_kg", p.frisbee_mass_kg, (0.001, 10.0)),
            ("frisbee_friction", p.frisbee_friction, (0.0, 10.0)),
            ("body_friction", p.body_friction, (0.0, 10.0)),
            ("restitution", p.restitution, (0.0, 1.0)),
        ];
        let physics = physics.into_iter().filter_map(|(key, value, range)| Some((key.to_string(), value?, range)));
        let noise =
            (0..3).zip(p.noise.into_iter().flatten()).map(|(i, alpha)| (format!("noise[{i}]"), alpha, (0.0, 1.0)));
        let mut rows: Vec<(String, f32, (f32, f32))> =
            physics.chain(noise).map(|(key, value, range)| (format!("physics.{key}"), value, range)).collect();
        if let Some(camera) = self.camera {
            camera.check()?;
        }
        if let Some(Lateness { latency_s }) = self.messages {
            Messages { latency_s, ..Messages::default() }.check()?;
        }
        let curve = self.infrared.iter().flat_map(|infrared| curve_rows(&infrared.curve));
        rows.extend(curve.map(|(key, value, range)| (format!("infrared.curve.{key}"), value, range)));
        for (robot, body) in &self.robots {
            rows.extend(
                body.rows().into_iter().map(|(key, value, range)| (format!("robots.{robot}.{key}"), value, range)),
            );
        }
        match rows.into_iter().find(|(_, value, (low, high))| !(low..=high).contains(&value)) {
            Some((key, value, (low, high))) => Err(format!("{key} = {value} is outside {low} to {high}")),
            None => Ok(()),
        }
    }

    /// Returns a copy of the world with the measured physics, camera and message latency.
    pub fn applied(&self, spec: &WorldSpec) -> WorldSpec {
        let mut spec = spec.clone();
        self.physics.apply(&mut spec);
        spec.camera = self.camera.unwrap_or(spec.camera);
        if let Some(Lateness { latency_s }) = self.messages {
            spec.messages = Some(Messages { latency_s, ..spec.messages.unwrap_or_default() });
        }
        spec
    }

    /// Returns the result of [`Calibration::applied`] after validation. A valid world may become invalid with the
    /// measured values.
    ///
    /// # Errors
    /// Returns one line with the reason why the calibrated world is invalid.
    pub fn apply(&self, spec: &WorldSpec) -> Result<WorldSpec, String> {
        let applied = self.applied(spec);
        applied.check().map_err(|error| format!("the calibrated world is invalid: {error}"))?;
        Ok(applied)
    }

    /// Returns the measured values that are keys of a robot model, as the text of a model file. The text is empty if there
    /// are none.
    pub fn robot_keys(&self) -> String {
        let PhysicsKeys { robot_mass_kg, robot_friction, noise, .. } = self.physics;
        let mut text = String::new();
        text.extend(robot_mass_kg.map(|mass| format!("mass_kg = {mass:?}\n")));
        text.extend(robot_friction.map(|friction| format!("friction = {friction:?}\n")));
        text.extend(noise.map(|noise| format!("[wheels]\nmotion_noise = {noise:?}\n")));
        text.extend(self.camera.map(|CameraModel { delay_s, misses, .. }| {
            format!("[camera]\ndelay_s = {delay_s:?}\nmisses = {misses:?}\n")
        }));
        text.extend(self.messages.map(|Lateness { latency_s }| format!("[messages]\nlatency_s = {latency_s:?}\n")));
        text
    }

    /// Returns whether the calibration changes worlds.
    pub fn changes_worlds(&self) -> bool {
        self.physics != PhysicsKeys::default() || self.camera.is_some() || self.messages.is_some()
    }
}

impl Body {
    /// Returns key, value and range of every number.
    fn rows(&self) -> Vec<(String, f32, (f32, f32))> {
        let mut rows = Vec::new();
        if let Some(Wheels { left, right, baseline }) = self.drive {
            let wheels = [("left", left), ("right", right), ("baseline", baseline)];
            rows.extend(wheels.map(|(key, value)| (format!("drive.{key}"), value, FACTORS)));
        }
        if let Some(Sensors { offset, scale }) = self.infrared {
            for (i, (offset, scale)) in offset.into_iter().zip(scale).enumerate() {
                rows.push((format!("infrared.offset[{i}]"), offset, OFFSETS));
                rows.push((format!("infrared.scale[{i}]"), scale, SCALES));
            }
        }
        if let Some(Mount { turn_deg }) = self.camera {
            rows.push(("camera.turn_deg".into(), turn_deg, (-MAX_CAMERA_ANGLE, MAX_CAMERA_ANGLE)));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot_model::RobotFile;

    const WHOLE: &str = "[physics]\nrobot_friction = 0.6\nbody_friction = 0.2\nnoise = [0.01, 0.02, 0.03]\n\
        [camera]\ndelay_s = 0.2\nmisses = 0.05\n[messages]\nlatency_s = 0.2\n[infrared.curve]\nsteepness = 41\n\
        shift = 0.7\nfloor = 0.06\nnear_level = 1.0\nnear_slope = 5\nknee = 0.007\n[robots.xp01.drive]\nleft = 1.02\n\
        [robots.xp02]\ncamera = { turn_deg = -3 }\ninfrared = { offset = [1, 2, 3, 4, 5, 6, 7, 8] }\n";

    #[test]
    fn calibration_changes_only_measured_world_values() {
        let read = Calibration::parse("c.toml", WHOLE).unwrap();
        let before = WorldSpec::benchmark(9);
        let after = read.apply(&before).unwrap();
        assert_eq!((after.robot.mu, after.physics.mu_bodies, after.physics.noise), (0.6, 0.2, [0.01, 0.02, 0.03]));
        assert_eq!((after.camera.delay_s, after.messages.unwrap().latency_s), (0.2, 0.2));
        assert_eq!((after.discs, after.physics.restitution, after.robot.mass), (before.discs.clone(), 0.1, 0.3));
        assert_eq!(read.robots["xp01"].drive.unwrap(), Wheels { left: 1.02, right: 1.0, baseline: 1.0 });
        assert!(read.changes_worlds() && !Calibration::default().changes_worlds());
        assert_eq!(Calibration::default().apply(&before).unwrap(), before);
        let frisbee = Calibration::parse("c", "[physics]\nfrisbee_mass_kg = 0.09\n").unwrap();
        assert_eq!(frisbee.apply(&before).unwrap().discs[0].shape.mass, 0.09);
    }

    #[test]
    fn robot_model_has_the_measured_values() {
        let read = Calibration::parse("c.toml", WHOLE).unwrap();
        let robot = RobotFile::check("r.toml", &read.robot_keys()).unwrap();
        let (mut world, measured) = (WorldSpec::benchmark(9), read.apply(&WorldSpec::benchmark(9)).unwrap());
        robot.apply(&mut world);
        assert_eq!((world.robot, world.physics.noise), (measured.robot, measured.physics.noise));
        assert_eq!((world.camera, world.messages), (measured.camera, measured.messages));
        let walls = Calibration::parse("c.toml", "[physics]\nrestitution = 0.2\n").unwrap();
        assert_eq!(walls.robot_keys(), "");
    }

    #[test]
    fn calibration_page_example_parses() {
        let page = include_str!("../../../docs/calibration.md");
        let (_, rest) = page.split_once("```toml calibration.toml\n").unwrap();
        let read = Calibration::parse("page", rest.split_once("```").unwrap().0).unwrap();
        assert!(read.infrared.is_some() && read.robots["xp01"].camera.is_some() && read.changes_worlds());
    }

    #[test]
    fn calibration_round_trips_through_toml() {
        let read = Calibration::parse("c.toml", WHOLE).unwrap();
        let text = toml::to_string(&read).unwrap();
        assert_eq!(Calibration::parse("c.toml", &text).unwrap(), read, "{text}");
    }

    #[test]
    fn invalid_value_is_rejected_with_key() {
        let error = |text: &str| Calibration::parse("c.toml", text).unwrap_err().to_string();
        for (text, expected) in [
            ("[physics]\nrestitution = 2\n", "c.toml: physics.restitution = 2 is outside 0 to 1"),
            ("[camera]\ndelay_s = 0.7\n", "camera.delay_s = 0.7 is outside 0 to 0.4"),
            ("[messages]\nlatency_s = 3\n", "messages.latency_s = 3 is outside 0 to 2"),
            ("[robots.xp01.drive]\nleft = 2\n", "robots.xp01.drive.left = 2 is outside 0.8 to 1.2"),
            ("[robots.xp01.camera]\nturn_deg = 40\n", "robots.xp01.camera.turn_deg = 40 is outside -15 to 15"),
            ("[robots.xp01]\nlegs = 2\n", "legs"),
            ("[infrared.curve]\nsteepness = 40\n", "shift"),
            ("[physics]\nfriction = 1\n", "friction"),
        ] {
            let said = error(text);
            assert!(said.contains(expected) && said.lines().count() == 1, "{said}");
        }
    }
}
