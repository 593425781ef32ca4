//! Ground sensors of the e-puck: three downward infra-red sensors with a separate processor. Words are unsigned, most
//! significant byte first.

/// 7-bit I2C address of the sensors' processor.
pub const ADDRESS: u8 = 0x60;
/// First register of the readings.
pub const READINGS: u8 = 0x00;
/// Length of all readings (bytes).
pub const BYTES: usize = 6;
/// Maximum reading of the 10-bit converter (counts). The reading increases with the brightness of the floor.
pub const MOST: u16 = 1023;

/// Decodes the readings of the left, centre and right sensor (counts).
pub fn decode(bytes: &[u8; BYTES]) -> [u16; 3] {
    [0, 1, 2].map(|i| u16::from_be_bytes([bytes[2 * i], bytes[2 * i + 1]]))
}

/// Encodes the readings of the left, centre and right sensor (counts).
pub fn encode(readings: [u16; 3]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes.chunks_exact_mut(2).zip(readings).for_each(|(pair, value)| pair.copy_from_slice(&value.to_be_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_readings_are_big_endian() {
        assert_eq!(encode([0x0102, 0, 1023]), [1, 2, 0, 0, 3, 0xff]);
        assert_eq!(decode(&encode([900, 20, 3])), [900, 20, 3]);
    }
}
