//! INA231 power monitors on the interface board (thesis 5.1.4; TI data sheet SBOS644D). The board has two monitors,
//! each across a 20 mOhm shunt. Registers have 16 bits, most significant byte first. A write sets the register
//! pointer. A read returns the register at the pointer.
//!
//! The thesis does not state the addresses. This project chose the two lowest addresses that the address pins allow:
//! 0x40 for the battery side and 0x41 for the 5 V side.

/// 7-bit I2C address of the monitor between the battery and the boost converter.
pub const BATTERY_ADDRESS: u8 = 0x40;
/// 7-bit I2C address of the monitor between the boost converter and the 5 V supply of the board.
pub const SUPPLY_ADDRESS: u8 = 0x41;

/// Resistance of the shunt (ohm).
pub const SHUNT_OHMS: f32 = 0.020;
/// Resolution of the shunt voltage register (V).
pub const SHUNT_VOLTS_LSB: f32 = 2.5e-6;
/// Resolution of the bus voltage register (V).
pub const BUS_VOLTS_LSB: f32 = 1.25e-3;
/// Resolution of the current register if the calibration register contains [`CALIBRATION`] (A).
pub const CURRENT_LSB: f32 = 1.0e-3;
/// Resolution of the power register if the calibration register contains [`CALIBRATION`] (W). The chip fixes it at 25
/// times the resolution of the current register.
pub const POWER_LSB: f32 = 25.0 * CURRENT_LSB;
/// Value of the calibration register for a resolution of 1 mA: 0.00512 / (1 mA * 20 mOhm).
pub const CALIBRATION: u16 = 256;
/// Value of the configuration register after power-up or reset: no averaging, conversions of 1.1 ms, continuous
/// measurement of shunt and bus.
pub const CONFIGURATION_AT_RESET: u16 = 0x4127;
/// Value of the configuration register in use, as in Linux's ina2xx: averages of 16 conversions of 1.1 ms, continuous
/// measurement of shunt and bus.
pub const CONFIGURATION: u16 = 0x4527;
/// Bit of the configuration register that resets the chip.
pub const CONFIGURATION_RESET_BIT: u16 = 0x8000;
/// Maximum measurable current (A). Full scale of the shunt input is 81.92 mV.
pub const MAX_AMPS: f32 = 4.096;

/// Value of the `name` attribute of the kernel's driver for this chip.
pub const HWMON_NAME: &str = "ina231";

/// Attribute of the kernel's `ina2xx` driver in /sys/class/hwmon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// File name of the attribute.
    pub name: &'static str,
    /// Unit of the attribute's integer value.
    pub unit: &'static str,
    /// Meaning of the attribute's value.
    pub meaning: &'static str,
}

/// Attribute with the bus voltage.
pub const HWMON_VOLTAGE: Attribute = Attribute { name: "in1_input", unit: "mV", meaning: "voltage at the load's side" };
/// Attribute with the current.
pub const HWMON_CURRENT: Attribute =
    Attribute { name: "curr1_input", unit: "mA", meaning: "current, positive towards the load" };
/// Attribute with the shunt resistance that the kernel uses. Its default is 10 mOhm.
pub const HWMON_SHUNT: Attribute =
    Attribute { name: "shunt_resistor", unit: "uOhm", meaning: "the shunt; must be set to 20000" };
/// All attributes in use.
pub const HWMON: [Attribute; 3] = [HWMON_VOLTAGE, HWMON_CURRENT, HWMON_SHUNT];

/// Register of the chip, with its pointer value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Register {
    /// Averaging, conversion times and mode.
    Configuration = 0,
    /// Voltage across the shunt (signed).
    ShuntVoltage = 1,
    /// Voltage at the load side of the shunt. Bit 15 is always 0.
    BusVoltage = 2,
    /// Power, computed from the current and the bus voltage.
    Power = 3,
    /// Current (signed). It is 0 until the calibration register is written.
    Current = 4,
    /// Scale of the current register (15 bits).
    Calibration = 5,
    /// Function of the alert pin.
    MaskEnable = 6,
    /// Limit for the alert pin.
    AlertLimit = 7,
}

impl Register {
    /// Returns the register with a pointer value; `None` for an unknown pointer.
    pub fn from_pointer(pointer: u8) -> Option<Register> {
        use Register::*;
        let all = [Configuration, ShuntVoltage, BusVoltage, Power, Current, Calibration, MaskEnable, AlertLimit];
        all.get(usize::from(pointer)).copied()
    }
}

/// Encodes a write of `value` to a register.
pub fn write(register: Register, value: u16) -> [u8; 3] {
    let [high, low] = value.to_be_bytes();
    [register as u8, high, low]
}

/// Returns the bus voltage (V, 0..=40.96) for a value of the bus voltage register.
pub fn volts(bus: u16) -> f32 {
    f32::from(bus & 0x7fff) * BUS_VOLTS_LSB
}

/// Returns the value of the bus voltage register for a voltage (V), clamped to the register's range.
pub fn bus_register(volts: f32) -> u16 {
    (volts / BUS_VOLTS_LSB).round().clamp(0.0, 32767.0) as u16
}

/// Returns the current (A) for a value of the current register, if the calibration register contains [`CALIBRATION`].
/// A positive current discharges the battery.
pub fn amps(current: u16) -> f32 {
    f32::from(current as i16) * CURRENT_LSB
}

/// Returns the value of the shunt voltage register for a current through the 20 mOhm shunt (A), clamped to +-4.096 A.
pub fn shunt_register(amps: f32) -> u16 {
    (amps * SHUNT_OHMS / SHUNT_VOLTS_LSB).round().clamp(-32768.0, 32767.0) as i16 as u16
}

/// Computes the current register as the chip does: shunt voltage register times calibration register, divided by 2048.
pub fn current_register(shunt: u16, calibration: u16) -> u16 {
    (i32::from(shunt as i16) * i32::from(calibration & 0x7fff) / 2048).clamp(-32768, 32767) as i16 as u16
}

/// Computes the power register as the chip does: magnitude of the current register times bus voltage register, divided
/// by 20000.
pub fn power_register(current: u16, bus: u16) -> u16 {
    (u32::from((current as i16).unsigned_abs()) * u32::from(bus) / 20_000).min(65535) as u16
}

/// Returns the power (W) for a value of the power register, if the calibration register contains [`CALIBRATION`].
pub fn watts(power: u16) -> f32 {
    f32::from(power) * POWER_LSB
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_register_matches_data_sheet() {
        assert!((0.00512 / (CURRENT_LSB * SHUNT_OHMS) - f32::from(CALIBRATION)).abs() < 1e-3);
        assert!((amps(current_register(shunt_register(MAX_AMPS), CALIBRATION)) - MAX_AMPS).abs() < 2.0 * CURRENT_LSB);
    }

    #[test]
    fn volts_amps_and_watts_come_back() {
        let bus = bus_register(3.7);
        let current = current_register(shunt_register(0.892), CALIBRATION);
        assert_eq!((bus, current), (2960, 892));
        assert!((volts(bus) - 3.7).abs() < 1e-6);
        assert!((amps(current) - 0.892).abs() < 1e-6);
        assert!((watts(power_register(current, bus)) - 3.3).abs() < POWER_LSB);
        let charging = current_register(shunt_register(-0.5), CALIBRATION);
        assert!((amps(charging) + 0.5).abs() < 1e-6, "the current is signed");
    }

    #[test]
    fn values_stay_inside_their_registers() {
        assert_eq!(shunt_register(100.0), 0x7fff);
        assert_eq!(shunt_register(-100.0), 0x8000);
        assert_eq!(bus_register(-1.0), 0);
        assert_eq!(current_register(0x8000, 0x7fff), 0x8000);
    }

    #[test]
    fn writes_carry_the_pointer_and_the_high_byte_first() {
        assert_eq!(write(Register::Calibration, CALIBRATION), [5, 0x01, 0x00]);
        assert_eq!(Register::from_pointer(7), Some(Register::AlertLimit));
        assert_eq!(Register::from_pointer(8), None);
    }
}
