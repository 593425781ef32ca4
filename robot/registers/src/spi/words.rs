//! Table of the SPI words, with position, unit and meaning of each value. Encoder, decoder, the page
//! `docs/protocols/spi.md` and the firmware's header are derived from this table.

use super::WORDS;
use crate::infrared::MAX_COUNTS;
use crate::stepper::MAX_STEPS_PER_SECOND;
use std::ops::Range;

/// Value in a message. It occupies one or more consecutive words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordField {
    /// Index of the first word, 0..=31.
    pub first: usize,
    /// Number of words.
    pub count: usize,
    /// Name in lower case. The firmware's header contains the name in capitals.
    pub name: &'static str,
    /// Unit and range of the value.
    pub unit: &'static str,
    /// Meaning of the value.
    pub meaning: &'static str,
}

/// Single bit of a word that consists of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// Bit number. Bit 0 is the least significant bit.
    pub bit: u32,
    /// Name in lower case.
    pub name: &'static str,
    /// Meaning of a set bit.
    pub meaning: &'static str,
}

const fn word(first: usize, count: usize, name: &'static str, unit: &'static str, meaning: &'static str) -> WordField {
    WordField { first, count, name, unit, meaning }
}

pub(crate) const fn bit(bit: u32, name: &'static str, meaning: &'static str) -> BitField {
    BitField { bit, name, meaning }
}

/// Words of a command. The first five are the same as on the Linux extension board of the same laboratory.
pub const COMMAND_WORDS: &[WordField] = &[
    word(0, 1, "actions", "bits", "actions to perform, see below"),
    word(1, 1, "speed_left", "steps/s, -1000 to 1000, two's complement", "left motor; positive drives forward"),
    word(2, 1, "speed_right", "steps/s, -1000 to 1000, two's complement", "right motor; positive drives forward"),
    word(3, 1, "leds", "bits", "LEDs that are lit: 0 to 7 the ring, 8 the body, 9 the front"),
    word(4, 1, "blink", "ms", "half-period of LED blinking; 0 is steady"),
    word(5, 23, "pixels", "24 bits a pixel", "15 Neopixels, which the logic between drives from the passing words"),
    word(28, 1, "sum", "modulo 65536", "sum of words 0 to 27 and 29"),
    word(29, 1, "sequence", "wraps", "number of this command"),
    word(30, 1, "crc", "CRC-16", "over words 0 to 29"),
    word(31, 1, "dummy", "0", "unused by board and dsPIC; used by the shim's logic"),
];

/// Words of a report.
pub const REPORT_WORDS: &[WordField] = &[
    word(0, 8, "reflected", "ADC counts, 0 to 4095", "reflected infra-red less ambient; larger is nearer"),
    word(8, 3, "acceleration", "ADC counts, 0 to 4095", "along x, y and z; 2048 at 0 g"),
    word(11, 3, "microphones", "ADC counts, 0 to 4095", "the three microphones"),
    word(
        14,
        8,
        "ambient",
        "ADC counts, 0 to 4095",
        "ambient infra-red in the order of the reflected; larger is brighter",
    ),
    word(22, 1, "steps_left", "steps, wraps", "steps that the left motor made; forward counts up"),
    word(23, 1, "steps_right", "steps, wraps", "steps that the right motor made; forward counts up"),
    word(24, 1, "battery", "mV", "battery; 0 where the robot cannot measure it"),
    word(25, 1, "status", "bits", "condition of motors and link, see below"),
    word(26, 1, "echo", "wraps", "number of the last command that was accepted"),
    word(27, 1, "rejected", "wraps", "commands rejected since power-up: wrong CRC or sum, or truncated"),
    word(28, 1, "sum", "modulo 65536", "sum of words 0 to 27 and 29"),
    word(29, 1, "sequence", "wraps", "number of messages before the one for which this report was made"),
    word(30, 1, "crc", "CRC-16", "over words 0 to 29"),
    word(31, 1, "dummy", "0", "unused by board and dsPIC; used by the shim's logic"),
];

/// Bits of a command's word `actions`, as on the Linux extension board.
pub const ACTION_BITS: &[BitField] = &[
    bit(0, "set_motor", "apply the speeds"),
    bit(1, "set_led", "apply the LEDs and their blinking"),
    bit(2, "reset", "return to the state after power-up"),
    bit(3, "calibrate_ir", "kept from the extension board; no effect, offsets are in the robot's file"),
    bit(4, "calibrate_acceleration", "kept from the extension board; no effect"),
    bit(5, "read_ir", "kept from the extension board; every sensor is read all the time"),
    bit(6, "read_light", "as read_ir"),
    bit(7, "read_microphones", "as read_ir"),
    bit(8, "read_acceleration", "as read_ir"),
];

/// Bits of a report's word `status`.
pub const STATUS_BITS: &[BitField] = &[
    bit(0, "motors_timed_out", "the motors stopped because no valid command came for 200 ms"),
    bit(1, "last_command_bad", "the last command was rejected"),
];

/// Constants shared by board and firmware. Each entry contains name, value and meaning.
pub const NUMBERS: &[(&str, u32, &str)] = &[
    ("words", WORDS as u32, "words of a message"),
    ("max_speed", MAX_STEPS_PER_SECOND as u32, "fastest speed of a motor, steps/s"),
    ("max_counts", MAX_COUNTS as u32, "largest value of the converter"),
    ("timeout_ms", super::COMMAND_TIMEOUT_MS, "time without a command after which the motors stop, ms"),
    ("crc_start", super::CRC_START as u32, "start value of the CRC"),
    ("crc_polynomial", super::CRC_POLYNOMIAL as u32, "polynomial of the CRC, most significant bit first"),
];

pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    a.len() == b.len() && i == a.len()
}

const fn field(table: &[WordField], name: &str) -> WordField {
    let mut i = 0;
    while !same(table[i].name, name) {
        i += 1;
    }
    table[i]
}

/// Returns the index of the first word of a value. In a constant, an unknown name is a compile error.
pub(super) const fn at(table: &[WordField], name: &str) -> usize {
    field(table, name).first
}

/// Returns the indices of the words that a value occupies.
pub(crate) const fn span(table: &[WordField], name: &str) -> Range<usize> {
    let field = field(table, name);
    field.first..field.first + field.count
}

/// Returns the mask of the bit with this name.
pub(super) const fn mask(table: &[BitField], name: &str) -> u16 {
    let mut i = 0;
    while !same(table[i].name, name) {
        i += 1;
    }
    1 << table[i].bit
}

/// Returns whether the fields fill a message without gaps or overlaps.
const fn complete(table: &[WordField]) -> bool {
    let (mut i, mut next) = (0, 0);
    while i < table.len() {
        if table[i].first != next {
            return false;
        }
        next += table[i].count;
        i += 1;
    }
    next == WORDS
}

const _: () = assert!(complete(COMMAND_WORDS) && complete(REPORT_WORDS));
