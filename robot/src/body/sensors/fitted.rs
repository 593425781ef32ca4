//! Readings of optional devices in the sensor message for the hub. All functions are pure.

use crate::device::fitted::FittedReadings;
use xpuck_registers::bno055::Data;
use xpuck_registers::erandb::ReceivedWord;
use xpuck_registers::ground::MOST;
use xpuck_wire::message::{HeardRobot, Sensors};

/// Adds the readings to the sensor message. The accelerometer of the body takes precedence over the accelerometer of
/// the inertial unit.
pub fn add(readings: &FittedReadings, to: &mut Sensors) {
    if let Some(Data { acceleration, magnetic, turn, angles: [heading, roll, pitch] }) = readings.imu {
        to.acceleration = to.acceleration.or(Some(acceleration));
        to.magnetic = Some(magnetic);
        to.turn = Some(turn);
        // The heading of the inertial unit increases clockwise, but the heading in the message increases
        // counter-clockwise.
        to.heading = Some(xpuck_kernels::math::wrap_angle(-heading));
        to.tilt = Some([roll, pitch]);
    }
    to.ground = readings.ground.map(|counts| counts.map(|value| f32::from(value) / f32::from(MOST)));
    to.ahead = readings.ahead.flatten();
    let heard = readings.heard.into_iter().flatten().filter(|heard| heard.word > 0);
    to.heard =
        heard.map(|ReceivedWord { word, bearing, strength }| HeardRobot { robot: word, bearing, strength }).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_turn_round_and_the_bodys_own_accelerometer_counts() {
        let data = Data { acceleration: [1.0, 0.0, 9.0], angles: [1.0, 0.0, 0.0], ..Data::default() };
        let readings = FittedReadings {
            imu: Some(data),
            ground: Some([1023, 0, 0]),
            ahead: Some(None),
            ..FittedReadings::default()
        };
        let mut alone = Sensors::default();
        add(&readings, &mut alone);
        assert_eq!((alone.heading, alone.acceleration, alone.ahead), (Some(-1.0), Some([1.0, 0.0, 9.0]), None));
        assert_eq!(alone.ground, Some([1.0, 0.0, 0.0]));
        let mut heard = [ReceivedWord::default(); crate::device::fitted::MOST_HEARD];
        heard[0] = ReceivedWord { word: 3, bearing: 0.5, strength: 700 };
        heard[1] = ReceivedWord { word: 2, bearing: -1.0, strength: 90 };
        let mut told = Sensors::default();
        add(&FittedReadings { heard: Some(heard), ..FittedReadings::default() }, &mut told);
        let robots: Vec<(u16, f32, u16)> = told.heard.iter().map(|h| (h.robot, h.bearing, h.strength)).collect();
        assert_eq!(robots, [(3, 0.5, 700), (2, -1.0, 90)]);
        let mut both = Sensors { acceleration: Some([0.0, 0.0, 9.8]), ..Sensors::default() };
        add(&readings, &mut both);
        assert!(both.acceleration == Some([0.0, 0.0, 9.8]) && both.is_sound());
    }
}
