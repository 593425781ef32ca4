//! e-puck2 as an I2C slave (selector position 10; e-puck2 main processor firmware, branch gumstix). The master sends a
//! command of 20 bytes and a repeated start, and then reads a report of 47 bytes. Values have their least significant
//! byte first. The last byte of each packet is a checksum, the exclusive or of all preceding bytes.
//!
//! The robot ignores a command with a wrong checksum, but still replies. If the communication stops, the wheels do not
//! stop.

use crate::spi::Pixel;
use crate::stepper::StepsPerSecond;
use std::fmt;

/// 7-bit I2C address of the e-puck2. The bus runs at 100 kHz.
pub const ADDRESS: u8 = 0x1f;
/// Length of a command, checksum included (bytes).
pub const COMMAND_BYTES: usize = 20;
/// Length of a report, checksum included (bytes).
pub const REPORT_BYTES: usize = 47;
/// Number of exchanges per second (Hz). GCtronic's own programs use the same rate.
pub const HERTZ: u32 = 20;
/// Maximum value of each colour of an RGB LED (per cent).
pub const FULL: u8 = 100;

/// Field of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Offset of the field's first byte in the packet (bytes).
    pub first: usize,
    /// Length of the field (bytes).
    pub bytes: usize,
    /// Name in the documentation.
    pub name: &'static str,
    /// Meaning of the field.
    pub meaning: &'static str,
}

const fn field(first: usize, bytes: usize, name: &'static str, meaning: &'static str) -> Field {
    Field { first, bytes, name, meaning }
}

const SPEEDS: Field = field(0, 4, "speeds", "left, right: int16, steps/s; with settings bit 2 the step counters");
const SOUND: Field = field(4, 1, "sound", "0 none, 1 to 3 play a melody");
const LEDS: Field = field(5, 1, "leds", "bits 0 to 3 light LED 1, 3, 5, 7, red");
const COLOURS: Field = field(6, 12, "colours", "LED 2, 4, 6, 8: red, green, blue, 0 to 100 % each");
const SETTINGS: Field =
    field(18, 1, "settings", "bit 0 calibrate infra-red, bit 1 avoid obstacles, bit 2 set the step counters");
const COMMAND_CHECK: Field = field(19, 1, "checksum", "exclusive or of bytes 0 to 18");

const REFLECTED: Field =
    field(0, 16, "reflected", "sensors 0 to 7: uint16, ambient minus lit minus calibration, larger is nearer");
const AMBIENT: Field = field(16, 16, "ambient", "sensors 0 to 7: uint16, converter counts, larger is darker");
const MICROPHONES: Field = field(32, 8, "microphones", "4 of them: uint16, volume");
const SELECTOR: Field = field(40, 1, "selector", "bits 0 to 3 position of the selector, bit 4 button");
const STEPS: Field = field(41, 4, "steps", "left, right: int16, wrapping");
const REMOTE: Field = field(45, 1, "remote", "code of the TV remote control");
const REPORT_CHECK: Field = field(46, 1, "checksum", "exclusive or of bytes 0 to 45");

/// Fields of a command.
pub const COMMAND_FIELDS: [Field; 6] = [SPEEDS, SOUND, LEDS, COLOURS, SETTINGS, COMMAND_CHECK];
/// Fields of a report.
pub const REPORT_FIELDS: [Field; 7] = [REFLECTED, AMBIENT, MICROPHONES, SELECTOR, STEPS, REMOTE, REPORT_CHECK];

/// Settings byte of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings(pub u8);

impl Settings {
    /// Calibrate the infra-red sensors: average 100 scans without obstacles and subtract the result from later
    /// readings. The calibration takes about a second, during which the robot executes no other command.
    pub const CALIBRATE: Settings = Settings(1 << 0);
    /// Avoid obstacles onboard. The e-puck2's firmware does not implement this setting.
    pub const AVOID: Settings = Settings(1 << 1);
    /// Flag: the robot interprets the speeds as new values of its step counters.
    pub const SET_STEPS: Settings = Settings(1 << 2);

    /// Returns whether all bits of `other` are set.
    pub const fn has(self, other: Settings) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Packet from the board to the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Speeds of the left and right motor (steps/s), or values of their step counters (see [`Settings::SET_STEPS`]).
    pub speeds: [i16; 2],
    /// Number of the melody to play, 1 to 3. The value 0 plays no melody.
    pub sound: u8,
    /// Whether the LEDs 1, 3, 5 and 7 are lit.
    pub leds: [bool; 4],
    /// Colours of the RGB LEDs 2, 4, 6 and 8 (per cent).
    pub colours: [Pixel; 4],
    /// Settings of the command.
    pub settings: Settings,
}

/// Packet from the robot to the board. Sensors are in the e-puck's own order: sensor 0 is right of the front, and the
/// numbers increase clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Calibrated readings of the reflected infra-red light (converter counts). They increase with proximity.
    pub reflected: [u16; 8],
    /// Readings of the ambient infra-red light (converter counts). They increase with darkness.
    pub ambient: [u16; 8],
    /// Volumes of the four microphones (converter counts).
    pub microphones: [u16; 4],
    /// Position of the selector, 0 to 15.
    pub selector: u8,
    /// Whether the button is pressed.
    pub button: bool,
    /// Step counters of the left and right motor, which wrap.
    pub steps: [u16; 2],
    /// Code of the last received command of the TV remote control.
    pub remote: u8,
}

/// Error of a packet whose checksum is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChecksumError {
    /// Checksum in the packet.
    pub found: u8,
    /// Checksum computed from the packet.
    pub computed: u8,
}

impl fmt::Display for ChecksumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the packet's last byte is {:#04x}, but those before it give {:#04x}", self.found, self.computed)
    }
}

impl std::error::Error for ChecksumError {}

impl Command {
    /// Creates a command that sets the speeds of the left and right motor. All other fields have their defaults.
    pub fn driving(speeds: [StepsPerSecond; 2]) -> Command {
        Command { speeds: speeds.map(StepsPerSecond::get), ..Command::default() }
    }

    /// Encodes the command with its checksum.
    pub fn encode(&self) -> [u8; COMMAND_BYTES] {
        let mut bytes = [0; COMMAND_BYTES];
        put(&mut bytes, SPEEDS, self.speeds.map(|s| s as u16));
        bytes[SOUND.first] = self.sound;
        bytes[LEDS.first] = self.leds.iter().enumerate().fold(0, |bits, (i, lit)| bits | u8::from(*lit) << i);
        let colours = self.colours.iter().flat_map(|p| [p.red, p.green, p.blue]);
        bytes[COLOURS.first..][..COLOURS.bytes].iter_mut().zip(colours).for_each(|(b, c)| *b = c.min(FULL));
        bytes[SETTINGS.first] = self.settings.0;
        seal(bytes)
    }

    /// Decodes a command. Returns an error if its checksum is wrong.
    pub fn decode(bytes: &[u8; COMMAND_BYTES]) -> Result<Command, ChecksumError> {
        check(bytes)?;
        let colour = |i: usize| {
            let at = COLOURS.first + 3 * i;
            Pixel { red: bytes[at], green: bytes[at + 1], blue: bytes[at + 2] }
        };
        Ok(Command {
            speeds: get(bytes, SPEEDS).map(|s: u16| s as i16),
            sound: bytes[SOUND.first],
            leds: std::array::from_fn(|i| bytes[LEDS.first] & 1 << i != 0),
            colours: std::array::from_fn(colour),
            settings: Settings(bytes[SETTINGS.first]),
        })
    }
}

impl Report {
    /// Encodes the report with its checksum.
    pub fn encode(&self) -> [u8; REPORT_BYTES] {
        let mut bytes = [0; REPORT_BYTES];
        put(&mut bytes, REFLECTED, self.reflected);
        put(&mut bytes, AMBIENT, self.ambient);
        put(&mut bytes, MICROPHONES, self.microphones);
        bytes[SELECTOR.first] = self.selector & 0x0f | u8::from(self.button) << 4;
        put(&mut bytes, STEPS, self.steps);
        bytes[REMOTE.first] = self.remote;
        seal(bytes)
    }

    /// Decodes a report. Returns an error if its checksum is wrong.
    pub fn decode(bytes: &[u8; REPORT_BYTES]) -> Result<Report, ChecksumError> {
        check(bytes)?;
        Ok(Report {
            reflected: get(bytes, REFLECTED),
            ambient: get(bytes, AMBIENT),
            microphones: get(bytes, MICROPHONES),
            selector: bytes[SELECTOR.first] & 0x0f,
            button: bytes[SELECTOR.first] & 0x10 != 0,
            steps: get(bytes, STEPS),
            remote: bytes[REMOTE.first],
        })
    }
}

/// Returns the checksum, which is the exclusive or of all bytes.
pub fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum ^ byte)
}

fn put<const N: usize>(bytes: &mut [u8], field: Field, values: [u16; N]) {
    let pairs = bytes[field.first..][..field.bytes].chunks_exact_mut(2);
    pairs.zip(values).for_each(|(pair, value)| pair.copy_from_slice(&value.to_le_bytes()));
}

fn get<const N: usize>(bytes: &[u8], field: Field) -> [u16; N] {
    std::array::from_fn(|i| u16::from_le_bytes([bytes[field.first + 2 * i], bytes[field.first + 2 * i + 1]]))
}

fn seal<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    bytes[N - 1] = checksum(&bytes[..N - 1]);
    bytes
}

fn check(bytes: &[u8]) -> Result<(), ChecksumError> {
    let (last, body) = bytes.split_last().expect("packets have a fixed length");
    let (found, computed) = (*last, checksum(body));
    if found == computed { Ok(()) } else { Err(ChecksumError { found, computed }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_fill_packets_without_gaps() {
        for (fields, bytes) in [(&COMMAND_FIELDS[..], COMMAND_BYTES), (&REPORT_FIELDS[..], REPORT_BYTES)] {
            let end = fields.iter().fold(0, |next, field| {
                assert_eq!(field.first, next, "{}", field.name);
                next + field.bytes
            });
            assert_eq!(end, bytes);
        }
    }

    #[test]
    fn command_bytes_match_firmware() {
        let colour = Pixel { red: 100, green: 0, blue: 255 };
        let command = Command {
            speeds: [512, -512],
            sound: 2,
            leds: [true, false, false, true],
            colours: [colour, Pixel::default(), Pixel::default(), Pixel { blue: 7, ..colour }],
            settings: Settings::CALIBRATE,
        };
        let bytes = command.encode();
        assert_eq!(bytes, [0, 2, 0, 0xfe, 2, 0x09, 100, 0, 100, 0, 0, 0, 0, 0, 0, 100, 0, 7, 1, 0x95]);
        let colours = [Pixel { blue: 100, ..colour }, Pixel::default(), Pixel::default(), command.colours[3]];
        assert_eq!(Command::decode(&bytes), Ok(Command { colours, ..command }), "more than 100 % is 100 %");
    }

    #[test]
    fn report_bytes_match_firmware() {
        let report = Report {
            reflected: [0x0102, 0, 0, 0, 0, 0, 0, 0x0304],
            ambient: [4095, 0, 0, 0, 0, 0, 0, 1],
            microphones: [5, 6, 7, 8],
            selector: 10,
            button: true,
            steps: [0xfffe, 300],
            remote: 9,
        };
        let bytes = report.encode();
        assert_eq!((bytes[..2].to_vec(), bytes[14..18].to_vec()), (vec![2, 1], vec![4, 3, 0xff, 0x0f]));
        assert_eq!(bytes[32..46], [5, 0, 6, 0, 7, 0, 8, 0, 0x1a, 0xfe, 0xff, 44, 1, 9]);
        assert_eq!(Report::decode(&bytes), Ok(report));
    }

    #[test]
    fn any_single_wrong_byte_is_found_and_named() {
        let good = Report { selector: 3, ..Report::default() }.encode();
        for i in 0..REPORT_BYTES {
            let mut bad = good;
            bad[i] ^= 0x10;
            assert!(Report::decode(&bad).is_err(), "byte {i}");
        }
        let mut bad = Command::default().encode();
        bad[3] = 0xfe;
        let error = Command::decode(&bad).unwrap_err();
        assert_eq!(error.to_string(), "the packet's last byte is 0x00, but those before it give 0xfe");
    }
}
