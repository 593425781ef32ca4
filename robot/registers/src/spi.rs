//! The SPI messages between the board and the dsPIC (thesis 5.1.4 and 5.2.1: 32 words of 16 bits each way, full duplex,
//! 5 MHz, one message every 5 ms). The thesis lost the words' meaning; the layout is that of the older Linux extension board
//! from the same lab, with the Neopixels, sequence numbers and a checksum in the words that it left free.
//!
//! Board to dsPIC: 0 actions, 1 and 2 speeds left and right, 3 LEDs, 4 blink cycle, 5..=27 Neopixels, 28 reserved,
//! 29 sequence number, 30 CRC over words 0..=29, 31 dummy.
//! dsPIC to board: 0..=7 reflected infra-red, 8..=10 acceleration, 11..=13 microphones, 14..=21 ambient infra-red,
//! 22 and 23 step counters left and right, 24 battery, 25 status, 26 echo, 27 rejected commands, 28 reserved,
//! 29 sequence number, 30 CRC over words 0..=29, 31 dummy.

use crate::infrared::RawInfrared;
use crate::stepper::StepsPerSecond;
use std::fmt;

/// Words of a message.
pub const WORDS: usize = 32;
/// Bytes of a message on the wire.
pub const BYTES: usize = 2 * WORDS;
/// Neopixels on the interface board's ring.
pub const PIXELS: usize = 15;
/// Words that hold the Neopixels: 15 times 24 bits, padded with zeros.
const PIXEL_WORDS: usize = 23;
const FIRST_PIXEL_WORD: usize = 5;
const SEQUENCE: usize = 29;
const CRC: usize = 30;

/// A message's words, in the order in which they travel.
pub type Words = [u16; WORDS];

/// What the dsPIC is asked to do: word 0 of a command, bits as on the Linux extension board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actions(pub u16);

impl Actions {
    /// Take over the speeds.
    pub const SET_MOTOR: Actions = Actions(1 << 0);
    /// Take over the LEDs and their blink cycle.
    pub const SET_LED: Actions = Actions(1 << 1);
    /// Restart the firmware.
    pub const RESET: Actions = Actions(1 << 2);
    /// Average the infra-red sensors facing nothing.
    pub const CALIBRATE_IR: Actions = Actions(1 << 3);
    /// Average the accelerometer at rest.
    pub const CALIBRATE_ACCELERATION: Actions = Actions(1 << 4);
    /// Scan the reflected infra-red.
    pub const READ_IR: Actions = Actions(1 << 5);
    /// Read the ambient infra-red.
    pub const READ_LIGHT: Actions = Actions(1 << 6);
    /// Read the microphones.
    pub const READ_MICROPHONES: Actions = Actions(1 << 7);
    /// Read the accelerometer.
    pub const READ_ACCELERATION: Actions = Actions(1 << 8);

    /// Both sets of actions.
    pub const fn and(self, other: Actions) -> Actions {
        Actions(self.0 | other.0)
    }

    /// True if all of `other` is asked for.
    pub const fn has(self, other: Actions) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The dsPIC's condition: word 25 of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status(pub u16);

impl Status {
    /// The motors stand still because no valid command came in time.
    pub const MOTORS_TIMED_OUT: Status = Status(1 << 0);
    /// The last command's checksum was wrong, and it was ignored.
    pub const LAST_COMMAND_BAD: Status = Status(1 << 1);

    /// True if all bits of `other` are set.
    pub const fn has(self, other: Status) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Colour of a Neopixel, 0..=255 each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pixel {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

/// One message to the dsPIC and the logic between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// What to do.
    pub actions: Actions,
    /// Speeds of the left and right motor.
    pub speeds: [StepsPerSecond; 2],
    /// LEDs that are lit: bits 0..=7 the ring, 8 the body, 9 the front.
    pub leds: u16,
    /// Blink cycle of the LEDs, in the firmware's own ticks; 0 does not blink.
    pub blink: u16,
    /// The ring of Neopixels, which the logic drives from the passing words.
    pub pixels: [Pixel; PIXELS],
    /// Number of this command; the dsPIC echoes the last one that it accepted.
    pub sequence: u16,
}

/// One message from the dsPIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Reflected infra-red, ambient already taken off. In the order of the thesis's Table 6.1: sensor 1 is left of the
    /// front and they go counter-clockwise, so element i is the e-puck's own IR 7-i.
    pub reflected: [RawInfrared; 8],
    /// Acceleration along x, y, z, ADC counts, 2048 at 0 g.
    pub acceleration: [u16; 3],
    /// Levels of the three microphones, ADC counts.
    pub microphones: [u16; 3],
    /// Ambient infra-red, ADC counts, in the order of `reflected`.
    pub ambient: [u16; 8],
    /// Steps the left and right motor made, wrapping; forward counts up.
    pub steps: [u16; 2],
    /// Battery voltage as the dsPIC measures it, mV.
    pub battery: u16,
    /// Condition of motors and link.
    pub status: Status,
    /// Sequence number of the last command that was accepted.
    pub echo: u16,
    /// Commands rejected for their checksum since the start, wrapping.
    pub rejected: u16,
    /// Number of this report.
    pub sequence: u16,
}

/// Why a message was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpiError {
    /// Word 30 is not the checksum of words 0..=29.
    Crc {
        /// The checksum in the message.
        found: u16,
        /// The checksum of its words.
        computed: u16,
    },
}

impl fmt::Display for SpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SpiError::Crc { found, computed } = self;
        write!(f, "SPI word 30 holds CRC {found:#06x}, but words 0 to 29 give {computed:#06x}")
    }
}

impl std::error::Error for SpiError {}

impl Command {
    /// The words of this command, checksum included.
    pub fn encode(&self) -> Words {
        let mut words = [0; WORDS];
        words[0] = self.actions.0;
        words[1] = self.speeds[0].get() as u16;
        words[2] = self.speeds[1].get() as u16;
        words[3] = self.leds;
        words[4] = self.blink;
        // The strip takes green, red, blue, most significant bit first, so the bytes are packed in that order.
        for (i, byte) in self.pixels.iter().flat_map(|p| [p.green, p.red, p.blue]).enumerate() {
            words[FIRST_PIXEL_WORD + i / 2] |= u16::from(byte) << (8 * (1 - i % 2));
        }
        words[SEQUENCE] = self.sequence;
        seal(words)
    }

    /// The command in a message's words.
    pub fn decode(words: &Words) -> Result<Command, SpiError> {
        check(words)?;
        let byte = |i: usize| (words[FIRST_PIXEL_WORD + i / 2] >> (8 * (1 - i % 2))) as u8;
        Ok(Command {
            actions: Actions(words[0]),
            speeds: [words[1], words[2]].map(|w| StepsPerSecond::new(w as i16)),
            leds: words[3],
            blink: words[4],
            pixels: std::array::from_fn(|i| Pixel { green: byte(3 * i), red: byte(3 * i + 1), blue: byte(3 * i + 2) }),
            sequence: words[SEQUENCE],
        })
    }

    /// The command in the dsPIC's receive buffer, where every word stands one place late (see [`late`]).
    pub fn decode_late(buffer: &Words) -> Result<Command, SpiError> {
        let mut words = [0; WORDS];
        words[..WORDS - 1].copy_from_slice(&buffer[1..]);
        Command::decode(&words)
    }
}

impl Report {
    /// The words of this report, checksum included.
    pub fn encode(&self) -> Words {
        let mut words = [0; WORDS];
        for (word, raw) in words.iter_mut().zip(self.reflected) {
            *word = raw.0;
        }
        words[8..11].copy_from_slice(&self.acceleration);
        words[11..14].copy_from_slice(&self.microphones);
        words[14..22].copy_from_slice(&self.ambient);
        words[22..24].copy_from_slice(&self.steps);
        words[24] = self.battery;
        words[25] = self.status.0;
        words[26] = self.echo;
        words[27] = self.rejected;
        words[SEQUENCE] = self.sequence;
        seal(words)
    }

    /// The report in a message's words.
    pub fn decode(words: &Words) -> Result<Report, SpiError> {
        check(words)?;
        Ok(Report {
            reflected: std::array::from_fn(|i| RawInfrared(words[i])),
            acceleration: std::array::from_fn(|i| words[8 + i]),
            microphones: std::array::from_fn(|i| words[11 + i]),
            ambient: std::array::from_fn(|i| words[14 + i]),
            steps: [words[22], words[23]],
            battery: words[24],
            status: Status(words[25]),
            echo: words[26],
            rejected: words[27],
            sequence: words[SEQUENCE],
        })
    }
}

/// What the dsPIC's receive buffer holds after an exchange. A SPI slave has to load its shift register before the first
/// clock, which puts the word before (`previous_last`, word 31 of the last message) in front and leaves word 31
/// of this one for the next: hence the dummy.
pub fn late(previous_last: u16, words: &Words) -> Words {
    let mut buffer = [previous_last; WORDS];
    buffer[1..].copy_from_slice(&words[..WORDS - 1]);
    buffer
}

/// The bytes of a message on the wire, most significant first.
pub fn to_wire(words: &Words) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (pair, word) in bytes.chunks_exact_mut(2).zip(words) {
        pair.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

/// The words of a message's bytes.
pub fn from_wire(bytes: &[u8; BYTES]) -> Words {
    std::array::from_fn(|i| u16::from_be_bytes([bytes[2 * i], bytes[2 * i + 1]]))
}

/// CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xffff) over words as big-endian bytes. Its start value makes an idle
/// line, all zeros or all ones, an invalid message.
pub fn crc(words: &[u16]) -> u16 {
    words.iter().flat_map(|w| w.to_be_bytes()).fold(0xffff, |crc, byte| {
        (0..8).fold(crc ^ u16::from(byte) << 8, |c, _| if c & 0x8000 != 0 { c << 1 ^ 0x1021 } else { c << 1 })
    })
}

fn seal(mut words: Words) -> Words {
    words[CRC] = crc(&words[..CRC]);
    words
}

fn check(words: &Words) -> Result<(), SpiError> {
    let (found, computed) = (words[CRC], crc(&words[..CRC]));
    if found == computed { Ok(()) } else { Err(SpiError::Crc { found, computed }) }
}

const _: () = assert!(FIRST_PIXEL_WORD + PIXEL_WORDS < SEQUENCE && PIXEL_WORDS * 16 >= PIXELS * 24);

#[cfg(test)]
mod tests;
