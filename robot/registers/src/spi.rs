//! SPI messages between the board and the dsPIC. A message has 32 words of 16 bits in each direction. It is sent in
//! full duplex at 5 MHz, every 5 ms (thesis 5.1.4 and 5.2.1). The thesis does not document the words. The layout is
//! that of the older Linux extension board of the same laboratory. Neopixels, sequence numbers and checks use the
//! words that are unused on that board.
//!
//! [`words`] defines the layout. [`page`] exports it to the documentation, and [`header`] exports it to the firmware.

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
/// Length of a message in each direction (bytes).
pub const BYTES: usize = 2 * WORDS;
/// Number of Neopixels on the interface board's ring.
pub const PIXELS: usize = 15;
/// Clock frequency of the link (Hz) (thesis 5.2.1).
pub const CLOCK_HZ: u32 = 5_000_000;
/// Pause between two words, during which the slave loads its next word (clock cycles). The pause lasts 6.4 us (thesis
/// 5.2.1).
pub const GAP_CLOCKS: u32 = 32;
/// Message period (ms) (thesis 5.2.1).
pub const PERIOD_MS: u32 = 5;
/// Time without a valid command after which the dsPIC stops its motors (ms).
pub const COMMAND_TIMEOUT_MS: u32 = 200;
/// Start value of the CRC. With this value, the words from an idle line (all bits 0 or all bits 1) are not a valid
/// message.
pub const CRC_START: u16 = 0xffff;
/// Polynomial of the CRC, x^16 + x^12 + x^5 + 1.
pub const CRC_POLYNOMIAL: u16 = 0x1021;

// Commands and reports have their checks and sequence numbers in the same words, so these indices apply to both.
const SUM: usize = at(COMMAND_WORDS, "sum");
const SEQUENCE: usize = at(COMMAND_WORDS, "sequence");
const CRC: usize = at(COMMAND_WORDS, "crc");
/// Index of the last word. The dsPIC does not use this word; it is reserved for the shim.
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

/// Requested actions, which are word 0 of a command. The bits are the same as on the Linux extension board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actions(pub u16);

impl Actions {
    /// Apply the motor speeds of the command.
    pub const SET_MOTOR: Actions = Actions(mask(ACTION_BITS, "set_motor"));
    /// Apply the LEDs and the blinking period of the command.
    pub const SET_LED: Actions = Actions(mask(ACTION_BITS, "set_led"));
    /// Reset the dsPIC to its state after power-up.
    pub const RESET: Actions = Actions(mask(ACTION_BITS, "reset"));
    /// Calibrate the infra-red sensors. Only the Linux extension board uses this bit. The Xpuck's firmware ignores it.
    pub const CALIBRATE_IR: Actions = Actions(mask(ACTION_BITS, "calibrate_ir"));
    /// Calibrate the accelerometer. Only the Linux extension board uses this bit. The Xpuck's firmware ignores it.
    pub const CALIBRATE_ACCELERATION: Actions = Actions(mask(ACTION_BITS, "calibrate_acceleration"));
    /// Read the reflected infra-red light. The firmware always reads it.
    pub const READ_IR: Actions = Actions(mask(ACTION_BITS, "read_ir"));
    /// Read the ambient infra-red light. The firmware always reads it.
    pub const READ_LIGHT: Actions = Actions(mask(ACTION_BITS, "read_light"));
    /// Read the microphones. The firmware always reads them.
    pub const READ_MICROPHONES: Actions = Actions(mask(ACTION_BITS, "read_microphones"));
    /// Read the accelerometer. The firmware always reads it.
    pub const READ_ACCELERATION: Actions = Actions(mask(ACTION_BITS, "read_acceleration"));

    /// Returns the union of both sets of actions.
    pub const fn and(self, other: Actions) -> Actions {
        Actions(self.0 | other.0)
    }

    /// Returns whether all actions of `other` are requested.
    pub const fn has(self, other: Actions) -> bool {
        self.0 & other.0 == other.0
    }
}

/// State of the dsPIC, which is word 25 of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status(pub u16);

impl Status {
    /// The motors are stopped because no valid command arrived in time.
    pub const MOTORS_TIMED_OUT: Status = Status(mask(STATUS_BITS, "motors_timed_out"));
    /// The last command was corrupt or truncated, and was ignored.
    pub const LAST_COMMAND_BAD: Status = Status(mask(STATUS_BITS, "last_command_bad"));

    /// Returns whether all bits of `other` are set.
    pub const fn has(self, other: Status) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Colour of a Neopixel. Each channel is 0..=255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pixel {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

/// Message from the board to the dsPIC and the shim's logic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Requested actions.
    pub actions: Actions,
    /// Speeds of the left and right motor, applied if [`Actions::SET_MOTOR`] is requested.
    pub speeds: [StepsPerSecond; 2],
    /// Bits of the lit LEDs: bits 0..=7 are the ring, bit 8 is the body LED, and bit 9 is the front LED.
    pub leds: u16,
    /// Half of the blinking period (ms). The value 0 means steady light.
    pub blink: u16,
    /// Colours of the Neopixel ring. The shim's logic reads them from the words that the board sends to the dsPIC.
    pub pixels: [Pixel; PIXELS],
    /// Sequence number of the command. The dsPIC returns the number of the last accepted command.
    pub sequence: u16,
}

/// Message from the dsPIC to the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Reflected minus ambient infra-red light, in the order of the thesis's Table 6.1. Sensor 1 is left of the front,
    /// and the numbers increase counter-clockwise. Element i is sensor 7-i in the e-puck's own order.
    pub reflected: [RawInfrared; 8],
    /// Acceleration along x, y and z (ADC counts). The reading is 2048 at 0 g.
    pub acceleration: [u16; 3],
    /// Samples of the three microphones (ADC counts).
    pub microphones: [u16; 3],
    /// Ambient infra-red light (ADC counts), in the order of `reflected`.
    pub ambient: [u16; 8],
    /// Step counters of the left and right motor, which wrap. They increase during forward motion.
    pub steps: [u16; 2],
    /// Battery voltage measured by the dsPIC (mV). It is 0 if the dsPIC cannot measure the voltage.
    pub battery: u16,
    /// State of the motors and of the SPI link.
    pub status: Status,
    /// Sequence number of the last accepted command.
    pub echo: u16,
    /// Number of corrupt or truncated commands that the dsPIC has rejected since its start. The number wraps.
    pub rejected: u16,
    /// Number of messages that the dsPIC sent before this report. The number wraps.
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
        // A Neopixel expects green, red and blue in this order, most significant bit first. The words contain the bytes
        // in the same order.
        for (i, byte) in self.pixels.iter().flat_map(|p| [p.green, p.red, p.blue]).enumerate() {
            words[PIXEL_WORDS.start + i / 2] |= u16::from(byte) << (8 * (1 - i % 2));
        }
        words[SEQUENCE] = self.sequence;
        seal(words)
    }

    /// Decodes a command, and verifies its checks.
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

    /// Decodes a report, and verifies its checks.
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

/// Returns the dsPIC's receive buffer after an exchange of `words`. When an SPI slave loads word i of its reply, it has
/// received word i - 1. The dsPIC uses one index for both directions, so every received word is one position late. The
/// buffer begins with word 31 of the previous message (`previous_last`). The dummy word is missing. It is not needed,
/// because the dsPIC validates the message as soon as the CRC has arrived.
pub fn shifted_buffer(previous_last: u16, words: &Words) -> Words {
    let mut buffer = [previous_last; WORDS];
    buffer[1..].copy_from_slice(&words[..WORDS - 1]);
    buffer
}

/// Encodes a message as bytes for the SPI bus. Each word is sent with the most significant byte first.
pub fn to_wire(words: &Words) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (pair, word) in bytes.chunks_exact_mut(2).zip(words) {
        pair.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

/// Decodes the words of a message from the bytes of the SPI bus.
pub fn from_wire(bytes: &[u8; BYTES]) -> Words {
    std::array::from_fn(|i| u16::from_be_bytes([bytes[2 * i], bytes[2 * i + 1]]))
}

#[cfg(test)]
mod tests;
