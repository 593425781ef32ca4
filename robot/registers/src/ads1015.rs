//! The ADS1015, a converter of four inputs and 12 bits (Texas Instruments SBAS473), with which the Pi-puck board measures the
//! batteries through dividers. Registers are two bytes, most significant first.

/// 7-bit address on the Pi-puck board.
pub const ADDRESS: u8 = 0x48;
/// Register of the last conversion: 12 bits in the upper ones.
pub const CONVERSION: u8 = 0;
/// Register of the settings.
pub const CONFIGURATION: u8 = 1;
/// What [`CONFIGURATION`] holds after power-up.
pub const CONFIGURATION_AT_RESET: u16 = 0x8583;
/// Bit of [`CONFIGURATION`]: written, begins a conversion; read, says that none is under way.
pub const START: u16 = 1 << 15;
/// Place of the bits that choose the input; 4 to 7 are the inputs 0 to 3 against ground.
pub const INPUT_SHIFT: u32 = 12;
/// Range of 4.096 V, one conversion and then rest, 1600 conversions a second, no comparator.
pub const SETTINGS: u16 = 1 << 9 | 1 << 8 | 4 << 5 | 3;
/// A conversion takes so long, ms, rounded up.
pub const CONVERSION_MS: u64 = 1;
/// Input of the e-puck's battery.
pub const BATTERY_INPUT: u16 = 0;
/// Input of the auxiliary battery.
pub const AUXILIARY_INPUT: u16 = 1;
/// One step at the input, V.
const STEP: f32 = 0.002;
/// The board's dividers halve the voltage.
const DIVIDER: f32 = 2.0;

/// What begins a conversion of an input, 0 to 3.
pub fn start(input: u16) -> u16 {
    START | (4 + (input & 3)) << INPUT_SHIFT | SETTINGS
}

/// The battery's voltage in a conversion register, V.
pub fn volts(register: u16) -> f32 {
    f32::from(register as i16 >> 4) * STEP * DIVIDER
}

/// The conversion register of a battery's voltage, V.
pub fn register(volts: f32) -> u16 {
    (((volts / DIVIDER / STEP).round().clamp(-2048.0, 2047.0) as i16) << 4) as u16
}

/// The bytes of a write to a register.
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
