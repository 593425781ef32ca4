//! ADS1015, a 12-bit analogue-to-digital converter with four inputs (Texas Instruments SBAS473). It measures the
//! batteries of the Pi-puck board through voltage dividers. Registers have two bytes, most significant byte first.

/// 7-bit I2C address on the Pi-puck board.
pub const ADDRESS: u8 = 0x48;
/// Register with the result of the last conversion (12 bits, left-aligned).
pub const CONVERSION: u8 = 0;
/// Configuration register.
pub const CONFIGURATION: u8 = 1;
/// Value of [`CONFIGURATION`] after power-up.
pub const CONFIGURATION_AT_RESET: u16 = 0x8583;
/// Bit of [`CONFIGURATION`]. Writing 1 starts a conversion. When read, 1 means that the converter is idle.
pub const START: u16 = 1 << 15;
/// Number of the lowest bit of the input selection in [`CONFIGURATION`]. The values 4 to 7 of this field select the
/// inputs 0 to 3 against ground.
pub const INPUT_SHIFT: u32 = 12;
/// Bits of [`CONFIGURATION`] for a range of 4.096 V, single-shot mode, 1600 conversions/s, and the comparator off.
pub const SETTINGS: u16 = 1 << 9 | 1 << 8 | 4 << 5 | 3;
/// Conversion time, rounded up (ms).
pub const CONVERSION_MS: u64 = 1;
/// Number of the input to which the e-puck's battery is connected.
pub const BATTERY_INPUT: u16 = 0;
/// Number of the input to which the auxiliary battery is connected.
pub const AUXILIARY_INPUT: u16 = 1;
/// Input voltage per step of the converter (V).
const STEP: f32 = 0.002;
/// Division ratio of the board's voltage dividers.
const DIVIDER: f32 = 2.0;

/// Returns the value of [`CONFIGURATION`] that starts a conversion of an input, 0 to 3.
pub fn start(input: u16) -> u16 {
    START | (4 + (input & 3)) << INPUT_SHIFT | SETTINGS
}

/// Returns the battery voltage (V) for a value of the register [`CONVERSION`].
pub fn volts(register: u16) -> f32 {
    f32::from(register as i16 >> 4) * STEP * DIVIDER
}

/// Returns the value of the register [`CONVERSION`] for a battery voltage (V).
pub fn register(volts: f32) -> u16 {
    (((volts / DIVIDER / STEP).round().clamp(-2048.0, 2047.0) as i16) << 4) as u16
}

/// Encodes a write of `value` to a register.
pub fn write(register: u8, value: u16) -> [u8; 3] {
    let [high, low] = value.to_be_bytes();
    [register, high, low]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volts_come_back_and_a_start_names_the_input() {
        for expected in [0.0, 3.3, 4.138] {
            assert!((volts(register(expected)) - expected).abs() < 0.0021, "{expected}");
        }
        assert_eq!((start(BATTERY_INPUT), start(AUXILIARY_INPUT)), (0xc383, 0xd383));
    }
}
