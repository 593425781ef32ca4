//! Readings of the sensors that telemetry does not contain.

use crate::telemetry::rounded;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum length of the description of sensor faults (characters).
pub const MAX_TROUBLE: usize = 200;
/// Maximum number of microphones.
const MICROPHONES: usize = 4;
/// Maximum number of robots reported by a range and bearing board.
const MAX_HEARD: usize = 16;

/// Calibrated readings. The field of a sensor is absent if the robot lacks the sensor or if the reading is implausible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[serde(default)]
pub struct Sensors {
    /// Time of the readings on the robot's clock (s).
    pub time: f64,
    /// Specific force along x (ahead), y (left) and z (up) (m/s^2). The value at rest on a level floor is (0, 0, 9.81).
    pub acceleration: Option<[f32; 3]>,
    /// Brightness at the eight infra-red sensors, in the order of the proximity readings (fraction of full scale).
    pub light: Option<[f32; 8]>,
    /// RMS level at each microphone since the previous message (fraction of full scale). The order is right, left, back
    /// and, on an e-puck2, front. Empty without microphones.
    #[schemars(length(max = MICROPHONES))]
    pub loudness: Vec<f32>,
    /// Direction of the loudest sound in the robot's frame, counter-clockwise from ahead (rad). Absent unless one side
    /// is clearly louder.
    pub sound_from: Option<f32>,
    /// Numbers of motor steps of the left and right wheel since the robot's program started; positive forwards.
    pub steps: Option<[i64; 2]>,
    /// Position of the robot's selector switch (0 to 15).
    pub selector: Option<u8>,
    /// Whether the robot's user button is pressed.
    pub button: Option<bool>,
    /// Heading measured by the magnetometer, counter-clockwise from magnetic north (rad).
    pub heading: Option<f32>,
    /// Roll and pitch measured by the inertial unit (rad).
    pub tilt: Option<[f32; 2]>,
    /// Angular rates about the axes x, y and z (rad/s).
    pub turn: Option<[f32; 3]>,
    /// Magnetic field along the axes x, y and z (uT).
    pub magnetic: Option<[f32; 3]>,
    /// Brightness of the floor at the left, centre and right of the robot's front (fraction of full scale).
    pub ground: Option<[f32; 3]>,
    /// Distance to the obstacle ahead, measured by time of flight (m); absent if no obstacle is in range.
    pub ahead: Option<f32>,
    /// Robots heard in the last reading of the range and bearing board; empty without this board.
    #[schemars(length(max = MAX_HEARD))]
    pub heard: Vec<HeardRobot>,
    /// Description of the sensors with implausible readings, with the reasons; empty if all readings are plausible.
    pub trouble: String,
}

/// Robot heard by a range and bearing board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeardRobot {
    /// Position of the heard robot in the swarm file, from 1.
    pub robot: u16,
    /// Bearing in the receiving robot's frame, counter-clockwise from ahead (rad).
    pub bearing: f32,
    /// Signal strength, which increases with proximity (counts of the board's converter).
    pub strength: u16,
}

impl Sensors {
    /// Whether all numbers are within their limits.
    pub fn is_sound(&self) -> bool {
        let within = |values: &[f32], most: f32| values.iter().all(|value| value.abs() <= most);
        self.time.is_finite()
            && within(self.acceleration.as_ref().map_or(&[], |a| a), 200.0)
            && within(self.light.as_ref().map_or(&[], |l| l), 1.0)
            && self.loudness.len() <= MICROPHONES
            && within(&self.loudness, 2.0)
            && within(self.sound_from.as_slice(), std::f32::consts::PI + 1e-3)
            && within(self.heading.as_slice(), 7.0)
            && within(self.tilt.as_ref().map_or(&[], |t| t), 7.0)
            && within(self.turn.as_ref().map_or(&[], |t| t), 100.0)
            && within(self.magnetic.as_ref().map_or(&[], |m| m), 5000.0)
            && within(self.ground.as_ref().map_or(&[], |g| g), 1.0)
            && within(self.ahead.as_slice(), 10.0)
            && self.heard.len() <= MAX_HEARD
            && self.heard.iter().all(|heard| heard.bearing.abs() <= 3.3)
            && self.selector.is_none_or(|position| position < 16)
            && self.trouble.chars().count() <= MAX_TROUBLE
            && !self.trouble.chars().any(char::is_control)
    }

    /// Rounds the readings to the resolution of the sensors.
    pub fn rounded(mut self) -> Sensors {
        self.acceleration.iter_mut().flatten().for_each(|value| *value = rounded(*value, 3));
        self.light.iter_mut().flatten().for_each(|value| *value = rounded(*value, 4));
        self.loudness.iter_mut().for_each(|value| *value = rounded(*value, 5));
        let three = [&mut self.turn, &mut self.magnetic, &mut self.ground];
        three.into_iter().flatten().flatten().for_each(|value| *value = rounded(*value, 4));
        self.heard.iter_mut().for_each(|heard| heard.bearing = rounded(heard.bearing, 4));
        self.tilt.iter_mut().flatten().for_each(|value| *value = rounded(*value, 4));
        [&mut self.heading, &mut self.ahead].into_iter().flatten().for_each(|value| *value = rounded(*value, 4));
        self.sound_from.iter_mut().for_each(|value| *value = rounded(*value, 3));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_sensor_values_are_not_sound() {
        let good = Sensors {
            acceleration: Some([0.0, -0.1, 9.81]),
            light: Some([0.5; 8]),
            loudness: vec![0.1, 0.2, 0.0],
            sound_from: Some(-3.1),
            selector: Some(15),
            ..Sensors::default()
        };
        assert!(good.is_sound() && Sensors::default().is_sound());
        for bad in [
            Sensors { time: f64::NAN, ..good.clone() },
            Sensors { acceleration: Some([0.0, f32::NAN, 0.0]), ..good.clone() },
            Sensors { light: Some([1.1; 8]), ..good.clone() },
            Sensors { loudness: vec![0.0; 5], ..good.clone() },
            Sensors { sound_from: Some(4.0), ..good.clone() },
            Sensors { selector: Some(16), ..good.clone() },
            Sensors { trouble: "x".repeat(201), ..good.clone() },
            Sensors { trouble: "\u{1b}[2J".into(), ..good.clone() },
        ] {
            assert!(!bad.is_sound(), "{bad:?}");
        }
    }
}
