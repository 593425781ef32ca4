//! What is particular to one robot's body: `[calibration]` of its file. `xpuckd calibrate` measures and writes it.

use crate::vision::{REGIONS, Region};
use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_registers::infrared::{Curve, PUBLISHED};

/// Least and greatest offset of an infra-red sensor, counts.
pub const OFFSETS: (f32, f32) = (-500.0, 500.0);
/// Least and greatest scale of an infra-red sensor.
pub const SCALES: (f32, f32) = (0.3, 3.0);
/// Least and greatest factor of a wheel and of the distance between the wheels.
pub const FACTORS: (f32, f32) = (0.8, 1.2);

/// All of it; what a file leaves out is as a perfect robot has it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Calibration {
    /// The infra-red sensors.
    pub infrared: Infrared,
    /// The wheels.
    pub drive: Wheels,
    /// The camera's colours.
    pub camera: Camera,
}

/// The infra-red sensors, in the order of Table 6.1: one reads scale * curve(distance) + offset counts (thesis 7.3.1).
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Infrared {
    /// What each sensor reads with nothing near, counts, -500..=500.
    #[schemars(inner(range(min = OFFSETS.0, max = OFFSETS.1)))]
    pub offset: [f32; 8],
    /// How strongly each answers, compared with the curve, 0.3..=3.
    #[schemars(inner(range(min = SCALES.0, max = SCALES.1)))]
    pub scale: [f32; 8],
    /// The curve; Eq. 7.3 unless `xpuck calibrate ir` fitted another.
    #[serde(deserialize_with = "CurveFile::deserialize")]
    #[schemars(with = "CurveFile")]
    pub curve: Curve,
}

/// [`Curve`] in a file: all of it or nothing, because its values come from one fit.
#[derive(Deserialize, JsonSchema)]
#[serde(remote = "Curve", deny_unknown_fields)]
struct CurveFile {
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

impl Default for Infrared {
    fn default() -> Infrared {
        Infrared { offset: [0.0; 8], scale: [1.0; 8], curve: PUBLISHED }
    }
}

/// The wheels, each value a factor of the nominal one, 0.8..=1.2 (thesis 7.2.3: robots differ by about 1 %).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wheels {
    /// Distance that the left wheel rolls in a step.
    #[schemars(range(min = FACTORS.0, max = FACTORS.1))]
    pub left: f32,
    /// Distance that the right wheel rolls in a step.
    #[schemars(range(min = FACTORS.0, max = FACTORS.1))]
    pub right: f32,
    /// Distance between the wheels.
    #[schemars(range(min = FACTORS.0, max = FACTORS.1))]
    pub baseline: f32,
}

impl Default for Wheels {
    fn default() -> Wheels {
        Wheels { left: 1.0, right: 1.0, baseline: 1.0 }
    }
}

/// The regions of the primary colours in HSV space; Table 7.3 unless measured.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Camera {
    /// Robots' skirts.
    pub red: Region,
    /// Wall patches.
    pub green: Region,
    /// The frisbee.
    pub blue: Region,
}

impl Default for Camera {
    fn default() -> Camera {
        let [red, green, blue] = REGIONS;
        Camera { red, green, blue }
    }
}

impl Camera {
    /// Red, green and blue.
    pub fn regions(&self) -> [Region; 3] {
        [self.red, self.green, self.blue]
    }
}

impl Calibration {
    /// Checks every range.
    ///
    /// # Errors
    /// One line with the first key that is out of its range.
    pub fn check(&self) -> Result<(), String> {
        let mut rows: Vec<(String, f32, (f32, f32))> = Vec::new();
        let ir = &self.infrared;
        for (i, (offset, scale)) in ir.offset.iter().zip(&ir.scale).enumerate() {
            rows.push((format!("infrared.offset[{i}]"), *offset, OFFSETS));
            rows.push((format!("infrared.scale[{i}]"), *scale, SCALES));
        }
        let curve = [
            ("steepness", ir.curve.steepness, (5.0, 200.0)),
            ("shift", ir.curve.shift, (0.1, 3.0)),
            ("floor", ir.curve.floor, (0.0, 1.0)),
            ("near_level", ir.curve.near_level, (0.2, 2.0)),
            ("near_slope", ir.curve.near_slope, (0.1, 100.0)),
            ("knee", ir.curve.knee, (0.001, 0.015)),
        ];
        rows.extend(curve.map(|(key, value, range)| (format!("infrared.curve.{key}"), value, range)));
        let drive = [("left", self.drive.left), ("right", self.drive.right), ("baseline", self.drive.baseline)];
        rows.extend(drive.map(|(key, value)| (format!("drive.{key}"), value, FACTORS)));
        for (colour, region) in ["red", "green", "blue"].into_iter().zip(self.camera.regions()) {
            rows.push((format!("camera.{colour}.hue[0]"), region.hue[0], (0.0, 360.0)));
            rows.push((format!("camera.{colour}.hue[1]"), region.hue[1], (0.0, 360.0)));
            rows.push((format!("camera.{colour}.saturation"), region.saturation, (0.05, 1.0)));
            rows.push((format!("camera.{colour}.value"), region.value, (0.05, 1.0)));
        }
        for (key, value, (low, high)) in rows {
            if !(low..=high).contains(&value) {
                return Err(format!("calibration.{key} = {value} is outside {low}..={high}"));
            }
        }
        Ok(())
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
    fn what_is_left_out_is_nominal() {
        assert_eq!(read("").unwrap(), Calibration::default());
        let some =
            read("[drive]\nleft = 1.01\n[camera.red]\nhue = [310, 10]\nsaturation = 0.5\nvalue = 0.3\n").unwrap();
        assert_eq!((some.drive.left, some.drive.right), (1.01, 1.0));
        assert_eq!(some.camera.red, Region { hue: [310.0, 10.0], saturation: 0.5, value: 0.3 });
        assert_eq!(some.camera.blue, REGIONS[2]);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_key() {
        let error = |text: &str| read(text).unwrap_err();
        assert_eq!(error("[drive]\nbaseline = 1.3\n"), "calibration.drive.baseline = 1.3 is outside 0.8..=1.2");
        assert!(error("[drive]\nleft = nan\n").contains("drive.left = NaN"));
        assert!(error("[infrared]\noffset = [0, 0, 0, 900, 0, 0, 0, 0]\n").contains("offset[3] = 900"));
        assert!(error("[infrared]\nofset = [0]\n").contains("ofset"));
        assert!(error("[infrared]\nscale = [1, 1]\n").contains("line 2"));
        assert!(error("[infrared.curve]\nsteepness = 40\n").contains("shift"));
    }
}
