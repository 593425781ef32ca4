//! What a robot's sensors tell beside those that telemetry has.

use crate::telemetry::rounded;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest words about sensors in trouble, characters.
pub const MAX_TROUBLE: usize = 200;
/// Most microphones.
const MICROPHONES: usize = 4;
/// Most robots that a range and bearing board tells of.
const MAX_HEARD: usize = 16;

/// Calibrated readings; what a robot does not have, or what cannot be believed at the moment, is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[serde(default)]
pub struct Sensors {
    /// The robot's time, s.
    pub time: f64,
    /// What its housing is pushed with along x (ahead), y (left) and z (up), m/s^2; (0, 0, 9.81) at rest on a level floor.
    pub acceleration: Option<[f32; 3]>,
    /// Brightness at the eight infra-red sensors, part of what they can tell, in the order of proximity.
    pub light: Option<[f32; 8]>,
    /// Root of the mean square at each microphone since the message before, part of what they can tell: right, left, back
    /// and, on an e-puck2, front. Empty without microphones.
    #[schemars(length(max = MICROPHONES))]
    pub loudness: Vec<f32>,
    /// Where the sound comes from in the robot's frame, rad, counter-clockwise from ahead, if one side is clearly louder.
    pub sound_from: Option<f32>,
    /// Steps that the left and the right wheel made since the robot's program started; forward counts up.
    pub steps: Option<[i64; 2]>,
    /// Position of the selector, 0..=15.
    pub selector: Option<u8>,
    /// The button is pressed.
    pub button: Option<bool>,
    /// Heading by a magnetometer, rad, counter-clockwise from magnetic north.
    pub heading: Option<f32>,
    /// Roll and pitch by an inertial unit, rad.
    pub tilt: Option<[f32; 2]>,
    /// Turning about x, y and z, rad/s.
    pub turn: Option<[f32; 3]>,
    /// Magnetic field along x, y and z, uT.
    pub magnetic: Option<[f32; 3]>,
    /// How bright the floor is at the left, the centre and the right of the front, part of what the sensors can tell.
    pub ground: Option<[f32; 3]>,
    /// The way ahead by time of flight, m; absent too if nothing is in range.
    pub ahead: Option<f32>,
    /// Who was heard by a range and bearing board at its last look; empty without one.
    #[schemars(length(max = MAX_HEARD))]
    pub heard: Vec<HeardRobot>,
    /// Which sensors are not believed, and why; empty if all are.
    pub trouble: String,
}

/// A robot that a range and bearing board heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeardRobot {
    /// Its place in the swarm, from 1.
    pub robot: u16,
    /// Where it is, rad to the left of ahead.
    pub bearing: f32,
    /// How strongly it was heard, counts of the board's converter; more is nearer.
    pub strength: u16,
}

impl Sensors {
    /// True if every number is one that a robot may tell.
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

    /// The same without digits that no sensor has.
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
    fn what_no_robot_tells_is_not_sound() {
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
