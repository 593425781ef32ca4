//! Calibration of one robot's body, in table `[calibration]` of the robot's file. `xpuckd calibrate` measures the
//! values and writes them to the file.

use crate::vision::colours::{REGIONS, Region};
use crate::vision::lens::Lens;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;
use xpuck_experiment::calibration::{self, CurveFile, MAX_CAMERA_ANGLE, curve_rows};
pub use xpuck_experiment::calibration::{FACTORS, OFFSETS, SCALES, Wheels};
use xpuck_registers::accelerometer::{COUNTS_PER_G, ZERO_COUNTS};
use xpuck_registers::ground::MOST;
use xpuck_registers::infrared::{Curve, PUBLISHED};

/// Calibration of a robot. Missing keys have the values of an ideal robot.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Calibration {
    /// Path of the swarm's calibration file, relative to the robot's file. The calibration file's entries for this
    /// robot are used for the tables that are missing in the robot's file. Its entries for worlds apply to the robot's
    /// simulations.
    pub file: Option<PathBuf>,
    /// Calibration of the infra-red sensors.
    pub infrared: Infrared,
    /// Calibration of the wheels.
    pub drive: Wheels,
    /// Calibration of the camera: colours, mounting angle and lens.
    pub camera: Camera,
    /// Calibration of the accelerometer and the light sensors.
    pub senses: Senses,
}

/// Calibration of the infra-red sensors. The sensors are in the order of the thesis's Table 6.1. The reading of a
/// sensor is scale * curve(distance) + offset (counts), as in thesis 7.3.1.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Infrared {
    /// Reading of each sensor without an obstacle (counts, -500..=500).
    #[schemars(inner(range(min = OFFSETS.0, max = OFFSETS.1)))]
    pub offset: [f32; 8],
    /// Gain of each sensor relative to the response curve (0.3..=3).
    #[schemars(inner(range(min = SCALES.0, max = SCALES.1)))]
    pub scale: [f32; 8],
    /// Response curve of all sensors. The default is Eq. 7.3 of the thesis; `xpuck calibrate fit ir` fits other curves.
    #[serde(with = "CurveFile")]
    #[schemars(with = "CurveFile")]
    pub curve: Curve,
}

impl Default for Infrared {
    fn default() -> Infrared {
        Infrared { offset: [0.0; 8], scale: [1.0; 8], curve: PUBLISHED }
    }
}

/// Calibration of the camera: mounting angle, lens, and regions of the primary colours in HSV space. The default
/// regions are those of the thesis's Table 7.3.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Camera {
    /// Angle of the camera to the left of straight ahead (degrees, -15..=15).
    #[schemars(range(min = -MAX_CAMERA_ANGLE, max = MAX_CAMERA_ANGLE))]
    pub turn_deg: f32,
    /// Region of red, the colour of the robots' skirts.
    pub red: Region,
    /// Region of green, the colour of the wall patches.
    pub green: Region,
    /// Region of blue, the colour of the frisbee.
    pub blue: Region,
    /// Lens as measured by `xpuckd calibrate lens`, used for tag poses. The default is an ideal pinhole with a field of
    /// view of 56 degrees.
    pub lens: Option<Lens>,
}

impl Default for Camera {
    fn default() -> Camera {
        let [red, green, blue] = REGIONS;
        Camera { turn_deg: 0.0, red, green, blue, lens: None }
    }
}

/// Calibration of the accelerometer, the light sensors and the ground sensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Senses {
    /// Calibration of the accelerometer.
    pub acceleration: Accelerometer,
    /// Calibration of the infra-red sensors as light sensors, with their own emitters off.
    pub light: Light,
    /// Calibration of the middle ground sensor.
    pub ground: Ground,
}

/// Calibration of the middle ground sensor.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ground {
    /// Reading on a black floor (counts, 0..=600).
    #[schemars(range(min = GROUND_BLACK.0, max = GROUND_BLACK.1))]
    pub black: f32,
    /// Reading on a white floor (counts, 601..=1023).
    #[schemars(range(min = GROUND_WHITE.0, max = GROUND_WHITE.1))]
    pub white: f32,
}

/// Ranges of the readings of a ground sensor on black and on white (counts).
const GROUND_BLACK: (f32, f32) = (0.0, 600.0);
const GROUND_WHITE: (f32, f32) = (601.0, 1023.0);

impl Default for Ground {
    fn default() -> Ground {
        Ground { black: 0.0, white: f32::from(MOST) }
    }
}

impl Ground {
    /// Returns the brightness of the floor (0..=1) for a reading (counts).
    pub fn brightness(&self, counts: u16) -> f32 {
        ((f32::from(counts) - self.black) / (self.white - self.black)).clamp(0.0, 1.0)
    }
}

/// Calibration of the accelerometer, with axes x (ahead), y (left) and z (up).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Accelerometer {
    /// Reading of each axis at 0 g (counts, 1500..=2600).
    #[schemars(inner(range(min = ZEROS.0, max = ZEROS.1)))]
    pub zero: [f32; 3],
    /// Difference between the readings at 1 g and 0 g of each axis (counts, 400..=1600).
    #[schemars(inner(range(min = PER_G.0, max = PER_G.1)))]
    pub per_g: [f32; 3],
}

/// Range of the accelerometer's reading at 0 g (counts). The next constant is the range of the difference between the
/// readings at 1 g and at 0 g (counts).
const ZEROS: (f32, f32) = (1500.0, 2600.0);
const PER_G: (f32, f32) = (400.0, 1600.0);
/// Range of a light sensor's dark reading (counts).
const DARK: (f32, f32) = (0.0, 1000.0);

impl Default for Accelerometer {
    fn default() -> Accelerometer {
        Accelerometer { zero: [ZERO_COUNTS; 3], per_g: [COUNTS_PER_G; 3] }
    }
}

/// Calibration of the infra-red sensors as light sensors, with their own emitters off. The sensors are in the order of
/// the thesis's Table 6.1.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Light {
    /// Reading of each sensor in the dark (counts, 0..=1000).
    #[schemars(inner(range(min = DARK.0, max = DARK.1)))]
    pub dark: [f32; 8],
    /// Gain of each sensor relative to a nominal sensor (0.3..=3).
    #[schemars(inner(range(min = SCALES.0, max = SCALES.1)))]
    pub scale: [f32; 8],
}

impl Default for Light {
    fn default() -> Light {
        Light { dark: [0.0; 8], scale: [1.0; 8] }
    }
}

impl Camera {
    /// Returns the regions of red, green and blue.
    pub fn regions(&self) -> [Region; 3] {
        [self.red, self.green, self.blue]
    }
}

impl Calibration {
    /// Adopts the swarm's infra-red curve, and the values for robot `id` from the swarm's calibration. These values
    /// replace only the values of this calibration that equal the defaults.
    pub fn adopt(&mut self, swarm: &calibration::Calibration, id: &str) {
        let nominal = Calibration::default();
        if let Some(common) = swarm.infrared.filter(|_| self.infrared.curve == nominal.infrared.curve) {
            self.infrared.curve = common.curve;
        }
        let Some(body) = swarm.robots.get(id) else { return };
        if let Some(wheels) = body.drive.filter(|_| self.drive == nominal.drive) {
            self.drive = wheels;
        }
        let (offset, scale) = (self.infrared.offset, self.infrared.scale);
        if let Some(sensors) =
            body.infrared.filter(|_| (offset, scale) == (nominal.infrared.offset, nominal.infrared.scale))
        {
            (self.infrared.offset, self.infrared.scale) = (sensors.offset, sensors.scale);
        }
        if let Some(mount) = body.camera.filter(|_| self.camera.turn_deg == 0.0) {
            self.camera.turn_deg = mount.turn_deg;
        }
    }

    /// Verifies that every value is in its range.
    ///
    /// # Errors
    /// One line that names the first invalid key.
    pub fn check(&self) -> Result<(), String> {
        let mut rows: Vec<(String, f32, (f32, f32))> = Vec::new();
        let ir = &self.infrared;
        for (i, (offset, scale)) in ir.offset.iter().zip(&ir.scale).enumerate() {
            rows.push((format!("infrared.offset[{i}]"), *offset, OFFSETS));
            rows.push((format!("infrared.scale[{i}]"), *scale, SCALES));
        }
        let curve = curve_rows(&ir.curve);
        rows.extend(curve.map(|(key, value, range)| (format!("infrared.curve.{key}"), value, range)));
        let drive = [("left", self.drive.left), ("right", self.drive.right), ("baseline", self.drive.baseline)];
        rows.extend(drive.map(|(key, value)| (format!("drive.{key}"), value, FACTORS)));
        let Senses { acceleration, light, ground } = &self.senses;
        rows.push(("senses.ground.black".into(), ground.black, GROUND_BLACK));
        rows.push(("senses.ground.white".into(), ground.white, GROUND_WHITE));
        for i in 0..3 {
            rows.push((format!("senses.acceleration.zero[{i}]"), acceleration.zero[i], ZEROS));
            rows.push((format!("senses.acceleration.per_g[{i}]"), acceleration.per_g[i], PER_G));
        }
        for i in 0..8 {
            rows.push((format!("senses.light.dark[{i}]"), light.dark[i], DARK));
            rows.push((format!("senses.light.scale[{i}]"), light.scale[i], SCALES));
        }
        rows.push(("camera.turn_deg".into(), self.camera.turn_deg, (-MAX_CAMERA_ANGLE, MAX_CAMERA_ANGLE)));
        for (colour, region) in ["red", "green", "blue"].into_iter().zip(self.camera.regions()) {
            rows.push((format!("camera.{colour}.hue[0]"), region.hue[0], (0.0, 360.0)));
            rows.push((format!("camera.{colour}.hue[1]"), region.hue[1], (0.0, 360.0)));
            rows.push((format!("camera.{colour}.saturation"), region.saturation, (0.05, 1.0)));
            rows.push((format!("camera.{colour}.value"), region.value, (0.05, 1.0)));
        }
        for (key, value, (low, high)) in rows {
            if !(low..=high).contains(&value) {
                return Err(format!("calibration.{key} = {value} is outside {low} to {high}"));
            }
        }
        match &self.camera.lens {
            Some(lens) => lens.check().map_err(|why| format!("calibration.camera.{why}")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::file;

    fn read(text: &str) -> Result<Calibration, String> {
        let calibration: Calibration = file::parse("c", text).map_err(|e| e.to_string())?;
        calibration.check()?;
        Ok(calibration)
    }

    #[test]
    fn omitted_keys_are_nominal() {
        assert_eq!(read("").unwrap(), Calibration::default());
        let some =
            read("[drive]\nleft = 1.01\n[camera.red]\nhue = [310, 10]\nsaturation = 0.5\nvalue = 0.3\n").unwrap();
        assert_eq!((some.drive.left, some.drive.right), (1.01, 1.0));
        assert_eq!(some.camera.red, Region { hue: [310.0, 10.0], saturation: 0.5, value: 0.3 });
        assert_eq!(some.camera.blue, REGIONS[2]);
        let ground = read("[senses.ground]\nblack = 100\nwhite = 900\n").unwrap().senses.ground;
        assert_eq!([50, 100, 500, 900, 1000].map(|counts| ground.brightness(counts)), [0.0, 0.0, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn invalid_value_is_rejected_with_key() {
        let error = |text: &str| read(text).unwrap_err();
        assert_eq!(error("[drive]\nbaseline = 1.3\n"), "calibration.drive.baseline = 1.3 is outside 0.8 to 1.2");
        assert!(error("[drive]\nleft = nan\n").contains("drive.left = NaN"));
        assert!(error("[infrared]\noffset = [0, 0, 0, 900, 0, 0, 0, 0]\n").contains("offset[3] = 900"));
        assert!(error("[senses.light]\nscale = [1, 1, 1, 0, 1, 1, 1, 1]\n").contains("senses.light.scale[3] = 0"));
        assert!(error("[senses.ground]\nblack = 700\n").contains("senses.ground.black = 700 is outside 0 to 600"));
        assert!(error("[infrared]\nofset = [0]\n").contains("ofset"));
        assert!(error("[infrared]\nscale = [1, 1]\n").contains("line 2"));
        let lens = "[camera.lens]\nsize = [640, 480]\nfocal = [601, 602]\ncentre = [320, 240]\ndistortion = ";
        assert_eq!(read(&format!("{lens}[-0.2, 0.05]\n")).unwrap().camera.lens.unwrap().focal, [601.0, 602.0]);
        assert!(
            error(&format!("{lens}[-3, 0]\n"))
                .contains("calibration.camera.lens.distortion = [-3.0, 0.0] is too strong: it folds")
        );
        assert!(error("[infrared.curve]\nsteepness = 40\n").contains("shift"));
    }
}
