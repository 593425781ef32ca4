//! SPI messages between the board and the dsPIC (thesis 5.1.4 and 5.2.1: 32 words of 16 bits in each direction, full
//! duplex, 5 MHz, one message every 5 ms). The thesis does not document the words; the layout is that of the older
//! Linux extension board of the same laboratory, with Neopixels, sequence numbers and checks in its unused words.
//!
//! [`words`] defines the layout; [`page`] exports it to the documentation, and [`header`] to the firmware.

mod check;
pub mod header;
pub mod page;
pub mod words;

pub use check::{SpiError, crc, sum};
use check::{check, seal};

use crate::infrared::RawInfrared;
use crate::stepper::StepsPerSecond;
use std::ops::Range;
use words::{ACTION_BITS, COMMAND_WORDS, REPORT_WORDS, STATUS_BITS, at, mask, span};

/// Number of words in a message.
pub const WORDS: usize = 32;
/// Length of a message on the wire (bytes).
pub const BYTES: usize = 2 * WORDS;
/// Number of Neopixels on the interface board's ring.
pub const PIXELS: usize = 15;
/// Clock frequency of the link (Hz) (thesis 5.2.1).
pub const CLOCK_HZ: u32 = 5_000_000;
/// Pause between two words (clocks), 6.4 us, during which the slave loads its next word (thesis 5.2.1).
pub const GAP_CLOCKS: u32 = 32;
/// Message period (ms) (thesis 5.2.1).
pub const PERIOD_MS: u32 = 5;
/// Time without a valid command after which the dsPIC stops its motors (ms).
pub const COMMAND_TIMEOUT_MS: u32 = 200;
/// Start value of the CRC. With this value, an idle line (all zeros or all ones) is not a valid message.
pub const CRC_START: u16 = 0xffff;
/// Polynomial of the CRC, x^16 + x^12 + x^5 + 1.
pub const CRC_POLYNOMIAL: u16 = 0x1021;

// Commands and reports have their checks in the same words, so these indices serve for both.
const SUM: usize = at(COMMAND_WORDS, "sum");
const SEQUENCE: usize = at(COMMAND_WORDS, "sequence");
const CRC: usize = at(COMMAND_WORDS, "crc");
/// Last word: unused by the dsPIC, reserved for the shim.
pub const DUMMY: usize = at(COMMAND_WORDS, "dummy");
const _: () = assert!(SUM == at(REPORT_WORDS, "sum") && SEQUENCE == at(REPORT_WORDS, "sequence"));
const _: () = assert!(CRC == at(REPORT_WORDS, "crc") && SUM < CRC && SEQUENCE < CRC);

const ACTIONS: usize = at(COMMAND_WORDS, "actions");
const SPEEDS: [usize; 2] = [at(COMMAND_WORDS, "speed_left"), at(COMMAND_WORDS, "speed_right")];
const LEDS: usize = at(COMMAND_WORDS, "leds");
const BLINK: usize = at(COMMAND_WORDS, "blink");
const PIXEL_WORDS: Range<usize> = span(COMMAND_WORDS, "pixels");
const _: () = assert!((PIXEL_WORDS.end - PIXEL_WORDS.start) * 16 >= PIXELS * 24);

const REFLECTED: Range<usize> = span(REPORT_WORDS, "reflected");
const ACCELERATION: Range<usize> = span(REPORT_WORDS, "acceleration");
const MICROPHONES: Range<usize> = span(REPORT_WORDS, "microphones");
const AMBIENT: Range<usize> = span(REPORT_WORDS, "ambient");
const STEPS: [usize; 2] = [at(REPORT_WORDS, "steps_left"), at(REPORT_WORDS, "steps_right")];
const BATTERY: usize = at(REPORT_WORDS, "battery");
const STATUS: usize = at(REPORT_WORDS, "status");
const ECHO: usize = at(REPORT_WORDS, "echo");
const REJECTED: usize = at(REPORT_WORDS, "rejected");

/// Words of a message, in transmission order.
pub type Words = [u16; WORDS];

/// Requested actions: word 0 of a command, bits as on the Linux extension board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actions(pub u16);

impl Actions {
    /// Apply the speeds.
    pub const SET_MOTOR: Actions = Actions(mask(ACTION_BITS, "set_motor"));
    /// Apply the LEDs and their blinking.
    pub const SET_LED: Actions = Actions(mask(ACTION_BITS, "set_led"));
    /// Return to the state after power-up.
    pub const RESET: Actions = Actions(mask(ACTION_BITS, "reset"));
    /// Kept from the Linux extension board; without effect.
    pub const CALIBRATE_IR: Actions = Actions(mask(ACTION_BITS, "calibrate_ir"));
    /// Kept from the Linux extension board; without effect.
    pub const CALIBRATE_ACCELERATION: Actions = Actions(mask(ACTION_BITS, "calibrate_acceleration"));
    /// Scan the reflected infra-red; the firmware always does.
    pub const READ_IR: Actions = Actions(mask(ACTION_BITS, "read_ir"));
    /// Read the ambient infra-red; the firmware always does.
    pub const READ_LIGHT: Actions = Actions(mask(ACTION_BITS, "read_light"));
    /// Read the microphones; the firmware always does.
    pub const READ_MICROPHONES: Actions = Actions(mask(ACTION_BITS, "read_microphones"));
    /// Read the accelerometer; the firmware always does.
    pub const READ_ACCELERATION: Actions = Actions(mask(ACTION_BITS, "read_acceleration"));

    /// Union of both sets of actions.
    pub const fn and(self, other: Actions) -> Actions {
        Actions(self.0 | other.0)
    }

    /// Whether all actions of `other` are requested.
    pub const fn has(self, other: Actions) -> bool {
        self.0 & other.0 == other.0
    }
}

/// State of the dsPIC: word 25 of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status(pub u16);

impl Status {
    /// The motors are stopped because no valid command arrived in time.
    pub const MOTORS_TIMED_OUT: Status = Status(mask(STATUS_BITS, "motors_timed_out"));
    /// The last command was corrupt or truncated, and was ignored.
    pub const LAST_COMMAND_BAD: Status = Status(mask(STATUS_BITS, "last_command_bad"));

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Status) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Colour of a Neopixel, 0..=255 per channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pixel {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

/// Message to the dsPIC and the shim's logic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Requested actions.
    pub actions: Actions,
    /// Speeds of the left and right motor.
    pub speeds: [StepsPerSecond; 2],
    /// Lit LEDs: bits 0..=7 the ring, 8 the body, 9 the front.
    pub leds: u16,
    /// Half-period of blinking (ms); 0 is steady.
    pub blink: u16,
    /// Colours of the Neopixel ring, which the logic reads from the passing words.
    pub pixels: [Pixel; PIXELS],
    /// Sequence number; the dsPIC returns the number of the last accepted command.
    pub sequence: u16,
}

/// Message from the dsPIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Reflected infra-red minus ambient, in the order of the thesis's Table 6.1: sensor 1 is left of the front, then
    /// counter-clockwise. Element i is the e-puck's own IR 7-i.
    pub reflected: [RawInfrared; 8],
    /// Acceleration along x, y and z (ADC counts), 2048 at 0 g.
    pub acceleration: [u16; 3],
    /// Levels of the three microphones (ADC counts).
    pub microphones: [u16; 3],
    /// Ambient infra-red (ADC counts), in the order of `reflected`.
    pub ambient: [u16; 8],
    /// Step counters of the left and right motor, wrapping; forward counts up.
    pub steps: [u16; 2],
    /// Battery voltage measured by the dsPIC (mV); 0 if it cannot be measured.
    pub battery: u16,
    /// State of motors and link.
    pub status: Status,
    /// Sequence number of the last accepted command.
    pub echo: u16,
    /// Number of corrupt or truncated commands rejected since the start, wrapping.
    pub rejected: u16,
    /// Number of messages before the message of this report, wrapping.
    pub sequence: u16,
}

impl Command {
    /// Encodes the command with its checks.
    pub fn encode(&self) -> Words {
        let mut words = [0; WORDS];
        words[ACTIONS] = self.actions.0;
        words[SPEEDS[0]] = self.speeds[0].get() as u16;
        words[SPEEDS[1]] = self.speeds[1].get() as u16;
        words[LEDS] = self.leds;
        words[BLINK] = self.blink;
        // The LED strip expects green, red, blue, most significant bit first, so the bytes are packed in that order.
        for (i, byte) in self.pixels.iter().flat_map(|p| [p.green, p.red, p.blue]).enumerate() {
            words[PIXEL_WORDS.start + i / 2] |= u16::from(byte) << (8 * (1 - i % 2));
        }
        words[SEQUENCE] = self.sequence;
        seal(words)
    }

    /// Decodes a command.
    pub fn decode(words: &Words) -> Result<Command, SpiError> {
        check(words)?;
        let byte = |i: usize| (words[PIXEL_WORDS.start + i / 2] >> (8 * (1 - i % 2))) as u8;
        Ok(Command {
            actions: Actions(words[ACTIONS]),
            speeds: SPEEDS.map(|i| StepsPerSecond::new(words[i] as i16)),
            leds: words[LEDS],
            blink: words[BLINK],
            pixels: std::array::from_fn(|i| Pixel { green: byte(3 * i), red: byte(3 * i + 1), blue: byte(3 * i + 2) }),
            sequence: words[SEQUENCE],
        })
    }

    /// Decodes a command from the dsPIC's receive buffer, in which every word is one position late (see
    /// [`shifted_buffer`]).
    pub fn decode_shifted(buffer: &Words) -> Result<Command, SpiError> {
        let mut words = [0; WORDS];
        words[..WORDS - 1].copy_from_slice(&buffer[1..]);
        Command::decode(&words)
    }
}

impl Report {
    /// Encodes the report with its checks.
    pub fn encode(&self) -> Words {
        let mut words = [0; WORDS];
        words[REFLECTED].copy_from_slice(&self.reflected.map(|raw| raw.0));
        words[ACCELERATION].copy_from_slice(&self.acceleration);
        words[MICROPHONES].copy_from_slice(&self.microphones);
        words[AMBIENT].copy_from_slice(&self.ambient);
        words[STEPS[0]] = self.steps[0];
        words[STEPS[1]] = self.steps[1];
        words[BATTERY] = self.battery;
        words[STATUS] = self.status.0;
        words[ECHO] = self.echo;
        words[REJECTED] = self.rejected;
        words[SEQUENCE] = self.sequence;
        seal(words)
    }

    /// Decodes a report.
    pub fn decode(words: &Words) -> Result<Report, SpiError> {
        check(words)?;
        Ok(Report {
            reflected: std::array::from_fn(|i| RawInfrared(words[REFLECTED.start + i])),
            acceleration: std::array::from_fn(|i| words[ACCELERATION.start + i]),
            microphones: std::array::from_fn(|i| words[MICROPHONES.start + i]),
            ambient: std::array::from_fn(|i| words[AMBIENT.start + i]),
            steps: STEPS.map(|i| words[i]),
            battery: words[BATTERY],
            status: Status(words[STATUS]),
            echo: words[ECHO],
            rejected: words[REJECTED],
            sequence: words[SEQUENCE],
        })
    }
}

/// Returns the dsPIC's receive buffer after an exchange. When an SPI slave loads word i of its reply, it has received
/// word i - 1. The dsPIC uses one index for both directions, so every received word is one position late, and word 31
/// of the previous message (`previous_last`) comes first. The CRC arrives before the dummy word; during the dummy
/// word the slave validates the message.
pub fn shifted_buffer(previous_last: u16, words: &Words) -> Words {
    let mut buffer = [previous_last; WORDS];
    buffer[1..].copy_from_slice(&words[..WORDS - 1]);
    buffer
}

/// Bytes of a message on the wire, most significant byte first.
pub fn to_wire(words: &Words) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (pair, word) in bytes.chunks_exact_mut(2).zip(words) {
        pair.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

/// Words of a message from its bytes.
pub fn from_wire(bytes: &[u8; BYTES]) -> Words {
    std::array::from_fn(|i| u16::from_be_bytes([bytes[2 * i], bytes[2 * i + 1]]))
}

#[cfg(test)]
mod tests;
