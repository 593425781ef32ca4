//! The VL53L0X, a distance sensor by time of flight that looks ahead on an e-puck2 (ST data sheet DS11555; registers as in
//! ST's own library). It measures once when it is told to.

/// 7-bit address.
pub const ADDRESS: u8 = 0x29;
/// Register that names the model, and what it holds.
pub const MODEL: (u8, u8) = (0xc0, 0xee);
/// Register that begins a measurement when 1 is written.
pub const START: u8 = 0x00;
/// Register whose lowest three bits are not 0 once a measurement is done.
pub const DONE: u8 = 0x13;
/// Bits of [`DONE`].
pub const DONE_MASK: u8 = 0x07;
/// Register that makes ready for the next one when 1 is written.
pub const CLEAR: u8 = 0x0b;
/// First of the result's registers: twelve bytes.
pub const RESULT: u8 = 0x14;
/// Bytes of a result.
pub const RESULT_BYTES: usize = 12;
/// A measurement takes so long, ms.
pub const MEASUREMENT_MS: u64 = 33;
/// What stands in the result if nothing came back, mm; so it is from about 8.19 m on.
pub const NOTHING: u16 = 8190;
/// The farthest that it tells by its data sheet, m.
pub const RANGE: f32 = 1.2;

/// Place of the status and of the distance in a result.
const STATUS: usize = 0;
const DISTANCE: usize = 10;
/// Status of a measurement that is good, in bits 3 to 6.
const GOOD: u8 = 11;

/// The distance of a result, m; none if nothing is in range.
pub fn decode(result: &[u8; RESULT_BYTES]) -> Option<f32> {
    let millimetres = u16::from_be_bytes([result[DISTANCE], result[DISTANCE + 1]]);
    let good = result[STATUS] >> 3 & 0x0f == GOOD && millimetres < NOTHING;
    good.then_some(f32::from(millimetres) / 1000.0)
}

/// The result of a distance, m; none if nothing is in range.
pub fn encode(distance: Option<f32>) -> [u8; RESULT_BYTES] {
    let mut result = [0; RESULT_BYTES];
    // Another status says that the signal was too weak.
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
