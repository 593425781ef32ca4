//! ADS1015, a 12-bit analogue-to-digital converter with four inputs (Texas Instruments SBAS473). It measures the
//! batteries of the Pi-puck board through dividers. Registers have two bytes, most significant first.

/// 7-bit address on the Pi-puck board.
pub const ADDRESS: u8 = 0x48;
/// Register of the last conversion: 12 bits, left-aligned.
pub const CONVERSION: u8 = 0;
/// Configuration register.
pub const CONFIGURATION: u8 = 1;
/// Value of [`CONFIGURATION`] after power-up.
pub const CONFIGURATION_AT_RESET: u16 = 0x8583;
/// Bit of [`CONFIGURATION`]: written as 1 it starts a conversion; read as 1 it means that the converter is idle.
pub const START: u16 = 1 << 15;
/// Position of the input selection; values 4 to 7 select the inputs 0 to 3 against ground.
pub const INPUT_SHIFT: u32 = 12;
/// Range of 4.096 V, single-shot mode, 1600 conversions/s, comparator off.
pub const SETTINGS: u16 = 1 << 9 | 1 << 8 | 4 << 5 | 3;
/// Conversion time, rounded up (ms).
pub const CONVERSION_MS: u64 = 1;
/// Input of the e-puck's battery.
pub const BATTERY_INPUT: u16 = 0;
/// Input of the auxiliary battery.
pub const AUXILIARY_INPUT: u16 = 1;
/// Resolution at the input (V).
const STEP: f32 = 0.002;
/// Ratio of the board's voltage dividers.
const DIVIDER: f32 = 2.0;

/// Configuration that starts a conversion of an input, 0 to 3.
pub fn start(input: u16) -> u16 {
    START | (4 + (input & 3)) << INPUT_SHIFT | SETTINGS
}

/// Battery voltage of a conversion register's value (V).
pub fn volts(register: u16) -> f32 {
    f32::from(register as i16 >> 4) * STEP * DIVIDER
}

/// Conversion register's value for a battery voltage (V).
pub fn register(volts: f32) -> u16 {
    (((volts / DIVIDER / STEP).round().clamp(-2048.0, 2047.0) as i16) << 4) as u16
}

/// Bytes of a register write.
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
