//! BNO055, an inertial unit with accelerometer, gyroscope and magnetometer (Bosch data sheet BST-BNO055-DS000). The
//! unit computes its own orientation. Words are signed, least significant byte first.

/// 7-bit I2C address when the address pin is low.
pub const ADDRESS: u8 = 0x28;
/// Register of the chip id, and its expected value.
pub const CHIP_ID: (u8, u8) = (0x00, 0xa0);
/// First data register. All data registers are read in one transfer (see [`Data`]).
pub const DATA: u8 = 0x08;
/// Length of all data registers (bytes).
pub const DATA_BYTES: usize = 24;
/// Register of the calibration status. It has a field of two bits each for system, gyroscope, accelerometer and
/// magnetometer. A field value of 3 means fully calibrated.
pub const CALIBRATION: u8 = 0x35;
/// Register of the operation mode.
pub const MODE: u8 = 0x3d;
/// Value of [`MODE`] for configuration. The sensors do not measure in this mode.
pub const MODE_CONFIGURE: u8 = 0x00;
/// Value of [`MODE`] for nine-axis sensor fusion.
pub const MODE_FUSION: u8 = 0x0c;
/// Maximum duration of a mode change (ms).
pub const MODE_MS: u64 = 20;

/// Steps per unit: acceleration (steps per m/s^2), angular rate (steps per degree/s), magnetic field (steps per uT)
/// and angle (steps per degree).
const ACCELERATION_STEPS: f32 = 100.0;
const TURN_STEPS: f32 = 16.0;
const MAGNETIC_STEPS: f32 = 16.0;
const ANGLE_STEPS: f32 = 16.0;

/// Contents of the data registers in physical units, in the order of the registers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Data {
    /// Acceleration along x, y and z, including gravity (m/s^2).
    pub acceleration: [f32; 3],
    /// Magnetic field along x, y and z (uT).
    pub magnetic: [f32; 3],
    /// Angular rates about x, y and z (rad/s).
    pub turn: [f32; 3],
    /// Heading, roll and pitch (rad). The heading is clockwise from magnetic north, 0 to 2 pi.
    pub angles: [f32; 3],
}

impl Data {
    /// Decodes the bytes of the data registers.
    pub fn decode(bytes: &[u8; DATA_BYTES]) -> Data {
        let word = |i: usize| f32::from(i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]));
        let three = |first: usize, steps: f32| [0, 1, 2].map(|i| word(first + i) / steps);
        Data {
            acceleration: three(0, ACCELERATION_STEPS),
            magnetic: three(3, MAGNETIC_STEPS),
            turn: three(6, TURN_STEPS).map(f32::to_radians),
            angles: three(9, ANGLE_STEPS).map(f32::to_radians),
        }
    }

    /// Encodes the values as bytes of the data registers.
    pub fn encode(&self) -> [u8; DATA_BYTES] {
        let degrees = |angle: f32| angle.to_degrees();
        let groups = [
            self.acceleration.map(|a| a * ACCELERATION_STEPS),
            self.magnetic.map(|m| m * MAGNETIC_STEPS),
            self.turn.map(|t| degrees(t) * TURN_STEPS),
            self.angles.map(|a| degrees(a) * ANGLE_STEPS),
        ];
        let mut bytes = [0; DATA_BYTES];
        for (pair, value) in bytes.chunks_exact_mut(2).zip(groups.iter().flatten()) {
            pair.copy_from_slice(&(value.round() as i16).to_le_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_come_back_to_their_steps() {
        let data = Data {
            acceleration: [0.1, -0.25, 9.81],
            magnetic: [20.0, -3.0, -40.0],
            turn: [0.0, 0.0, -1.2],
            angles: [6.2, 0.01, -0.02],
        };
        let bytes = data.encode();
        assert_eq!(bytes[4..6], 981i16.to_le_bytes());
        let back = Data::decode(&bytes);
        let near = |a: [f32; 3], b: [f32; 3], step: f32| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= step);
        assert!(near(back.acceleration, data.acceleration, 0.006) && near(back.magnetic, data.magnetic, 0.04));
        assert!(near(back.turn, data.turn, 6e-4) && near(back.angles, data.angles, 6e-4), "{back:?}");
    }
}
