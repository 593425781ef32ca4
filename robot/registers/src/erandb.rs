//! The e-puck's range and bearing board (e-RandB; GCtronic's map of its registers, and its firmware). Twelve infra-red emitters
//! send a word to all sides; who hears it is told the word, from where it came, and how strongly. A read of [`AVAILABLE`]
//! takes the next word from the board's queue, and [`HEARD`] then tells about it.

/// 7-bit address.
pub const ADDRESS: u8 = 0x20;
/// Register that is 1 if a word was taken from the queue, else 0.
pub const AVAILABLE: u8 = 0;
/// First of the registers about that word, a byte each: word, bearing, strength, peak (high byte first), and receiver.
pub const HEARD: u8 = 1;
/// Bytes of them.
pub const HEARD_BYTES: usize = 9;
/// Register of the power: 0 is the farthest, about 1 m, and 255 the nearest.
pub const POWER: u8 = 12;
/// Registers of the word that is sent: the high byte waits, and the low one sends both.
pub const SEND: [u8; 2] = [13, 14];
/// Register that takes the light that is there now as darkness; it wants 150 ms.
pub const STORE_LIGHT: u8 = 16;
/// The board is busy for so long after [`STORE_LIGHT`], ms.
pub const STORE_LIGHT_MS: u64 = 150;
/// Register that says who computes bearing and strength, and the value for the board itself.
pub const COMPUTE: (u8, u8) = (17, 0);
/// Bearings are told in parts of a radian, from -pi to pi as 16 bits with a sign. (The map says degrees; the firmware
/// multiplies radians.)
const PER_RADIAN: f32 = 10_000.0;
/// Bearings of the twelve receivers, degrees to the left of ahead.
const RECEIVERS: [f32; 12] = [15.0, 50.0, 75.0, 105.0, 133.0, 159.0, -165.0, -135.0, -105.0, -77.0, -50.0, -15.0];

/// A word that was heard.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heard {
    /// The word.
    pub word: u16,
    /// Where it came from, rad to the left of ahead.
    pub bearing: f32,
    /// How strongly, counts of the converter; more is nearer.
    pub strength: u16,
}

/// What the board's registers from [`HEARD`] on say.
pub fn decode(bytes: &[u8; HEARD_BYTES]) -> Heard {
    let [word, bearing, strength] = [0, 2, 4].map(|i| u16::from_be_bytes([bytes[i], bytes[i + 1]]));
    Heard { word, bearing: f32::from(bearing as i16) / PER_RADIAN, strength }
}

/// The registers of a word that was heard.
pub fn encode(heard: &Heard) -> [u8; HEARD_BYTES] {
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
    fn what_was_heard_comes_back_with_its_receiver() {
        for (bearing, receiver) in [(0.25, 0), (-0.25, 11), (2.9, 5), (-3.0, 6), (1.3, 2)] {
            let bytes = encode(&Heard { word: 0x1234, bearing, strength: 900 });
            let heard = decode(&bytes);
            assert_eq!((heard.word, heard.strength, bytes[8]), (0x1234, 900, receiver), "{bearing}");
            assert!((heard.bearing - bearing).abs() < 2e-4, "{heard:?}");
        }
    }
}
