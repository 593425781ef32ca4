//! Range and bearing board of the e-puck (e-RandB; GCtronic's register map and firmware). Twelve infra-red emitters
//! send a word in all directions. A board that receives the word reports the word, its bearing and its signal
//! strength. A read of [`AVAILABLE`] takes the next received word from the board's queue. The registers from [`HEARD`]
//! on then describe this word.

/// 7-bit I2C address of the board.
pub const ADDRESS: u8 = 0x20;
/// Register whose read takes the next word from the queue. The value read is 1 if the queue contained a word, and 0
/// otherwise.
pub const AVAILABLE: u8 = 0;
/// First of the one-byte registers that describe the received word. They contain word, bearing, strength and peak (two
/// bytes each, high byte first), and the number of the receiver.
pub const HEARD: u8 = 1;
/// Number of registers that describe the received word.
pub const HEARD_BYTES: usize = 9;
/// Register of the transmission range. The value 0 selects the longest range (about 1 m), and 255 the shortest.
pub const POWER: u8 = 12;
/// Registers of the high and the low byte of the word to send. A write of the high byte only stores it. A write of the
/// low byte sends both bytes.
pub const SEND: [u8; 2] = [13, 14];
/// Register for storing the ambient light. After a write to it, the board stores the current light as its dark level,
/// and is busy for [`STORE_LIGHT_MS`].
pub const STORE_LIGHT: u8 = 16;
/// Duration for which the board is busy after a write to [`STORE_LIGHT`] (ms).
pub const STORE_LIGHT_MS: u64 = 150;
/// Register that selects the processor for computing bearing and strength. The second number is the register value that
/// selects the processor of the board.
pub const COMPUTE: (u8, u8) = (17, 0);
/// Number of bearing units per radian. Bearings are signed 16-bit values from -pi to pi. The register map states
/// degrees, but the firmware uses radians.
const PER_RADIAN: f32 = 10_000.0;
/// Bearings of the twelve receivers, counter-clockwise from ahead (degrees).
const RECEIVERS: [f32; 12] = [15.0, 50.0, 75.0, 105.0, 133.0, 159.0, -165.0, -135.0, -105.0, -77.0, -50.0, -15.0];

/// Word received by the board.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReceivedWord {
    /// Content of the word.
    pub word: u16,
    /// Bearing of the sender, counter-clockwise from ahead (rad).
    pub bearing: f32,
    /// Signal strength (converter counts). It increases with proximity.
    pub strength: u16,
}

/// Decodes the registers from [`HEARD`] on. The peak and the receiver are ignored.
pub fn decode(bytes: &[u8; HEARD_BYTES]) -> ReceivedWord {
    let [word, bearing, strength] = [0, 2, 4].map(|i| u16::from_be_bytes([bytes[i], bytes[i + 1]]));
    ReceivedWord { word, bearing: f32::from(bearing as i16) / PER_RADIAN, strength }
}

/// Encodes the registers from [`HEARD`] on. The peak equals the strength, and the receiver is the nearest one to the
/// bearing.
pub fn encode(heard: &ReceivedWord) -> [u8; HEARD_BYTES] {
    let bearing = (heard.bearing * PER_RADIAN) as i16;
    let far = |i: &usize| (RECEIVERS[*i].to_radians() - heard.bearing).cos();
    let receiver = (0..RECEIVERS.len()).max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0);
    let mut bytes = [0; HEARD_BYTES];
    let words =
        [heard.word.to_be_bytes(), bearing.to_be_bytes(), heard.strength.to_be_bytes(), heard.strength.to_be_bytes()];
    bytes[..8].copy_from_slice(words.as_flattened());
    bytes[8] = receiver as u8;
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heard_message_round_trips_with_receiver() {
        for (bearing, receiver) in [(0.25, 0), (-0.25, 11), (2.9, 5), (-3.0, 6), (1.3, 2)] {
            let bytes = encode(&ReceivedWord { word: 0x1234, bearing, strength: 900 });
            let heard = decode(&bytes);
            assert_eq!((heard.word, heard.strength, bytes[8]), (0x1234, 900, receiver), "{bearing}");
            assert!((heard.bearing - bearing).abs() < 2e-4, "{heard:?}");
        }
    }
}
