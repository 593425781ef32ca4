//! VL53L0X, a time-of-flight distance sensor that faces ahead on an e-puck2 (ST data sheet DS11555). The registers are
//! those of ST's own library. The sensor is used in single-shot mode.

/// 7-bit I2C address of the sensor.
pub const ADDRESS: u8 = 0x29;
/// Register of the model id, and its expected value.
pub const MODEL: (u8, u8) = (0xc0, 0xee);
/// Register that starts a measurement when 1 is written to it.
pub const START: u8 = 0x00;
/// Register of the measurement state. After a measurement, at least one of the bits in [`DONE_MASK`] is 1.
pub const DONE: u8 = 0x13;
/// Mask of the state bits in [`DONE`].
pub const DONE_MASK: u8 = 0x07;
/// Register that clears the result for the next measurement when 1 is written to it.
pub const CLEAR: u8 = 0x0b;
/// First of the twelve result registers.
pub const RESULT: u8 = 0x14;
/// Length of a result (bytes).
pub const RESULT_BYTES: usize = 12;
/// Duration of a measurement (ms).
pub const MEASUREMENT_MS: u64 = 33;
/// Distance value of a result without an echo (mm). Valid distances are smaller.
pub const NOTHING: u16 = 8190;
/// Maximum range of the sensor according to the data sheet (m).
pub const RANGE: f32 = 1.2;

/// Offsets of the status and the distance in a result (bytes).
const STATUS: usize = 0;
const DISTANCE: usize = 10;
/// Status of a valid measurement. It is in bits 3 to 6 of the status byte.
const GOOD: u8 = 11;

/// Decodes the distance in a result (m). Returns `None` if the result is not valid or nothing is in range.
pub fn decode(result: &[u8; RESULT_BYTES]) -> Option<f32> {
    let millimetres = u16::from_be_bytes([result[DISTANCE], result[DISTANCE + 1]]);
    let good = result[STATUS] >> 3 & 0x0f == GOOD && millimetres < NOTHING;
    good.then_some(f32::from(millimetres) / 1000.0)
}

/// Encodes a result for a distance (m). `None` encodes a result without an echo.
pub fn encode(distance: Option<f32>) -> [u8; RESULT_BYTES] {
    let mut result = [0; RESULT_BYTES];
    // The status of a result without an echo is 4 (signal too weak).
    result[STATUS] = if distance.is_some() { GOOD << 3 } else { 4 << 3 };
    let millimetres = distance.map_or(NOTHING, |d| (d * 1000.0).round().clamp(0.0, 8189.0) as u16);
    result[DISTANCE..].copy_from_slice(&millimetres.to_be_bytes());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_come_back_and_nothing_is_nothing() {
        assert_eq!(decode(&encode(Some(0.512))), Some(0.512));
        assert_eq!(decode(&encode(None)), None);
        assert_eq!(decode(&[0; RESULT_BYTES]), None);
    }
}
