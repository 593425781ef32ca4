//! Battery of a robot (thesis 5.1.4: one cell of 3400 mAh), and the battery's two INA231 monitors.

use crate::draw::IDLE_WATTS;
use xpuck_registers::ina231::{self, Register};

/// Capacity of a cell (A h). It follows from the discharge in thesis figure 5.4: 3.3 W for nearly three hours. The data
/// sheet gives 3.4 A h.
pub const CAPACITY: f64 = 2.9;
/// Efficiency of the boost converter (TPS61232 data sheet, about 0.5 A at 5 V).
const EFFICIENCY: f64 = 0.92;
/// Output voltage of the boost converter (V).
const SUPPLY_VOLTS: f64 = 5.0;
/// Total resistance of the cell, the switch and the board (thesis 5.1.4) (ohm).
const PATH_OHMS: f64 = 0.1;
/// Open-circuit voltage of a lithium-ion cell at a state of charge of 0, 10, ... 100 % (V).
const OPEN_CIRCUIT: [f64; 11] = [2.9, 3.35, 3.48, 3.56, 3.62, 3.68, 3.76, 3.85, 3.94, 4.04, 4.18];

/// A lithium-ion cell with a constant-power load.
#[derive(Clone, Debug)]
pub struct Battery {
    charge: f64,
    /// Capacity (A h).
    capacity: f64,
    /// Resistance between the cell and the board (ohm).
    ohms: f64,
    /// Current load (W).
    watts: f64,
}

impl Battery {
    /// Creates a cell with the given state of charge (0..=1).
    pub fn new(charge: f64) -> Battery {
        Battery { charge: charge.clamp(0.0, 1.0), capacity: CAPACITY, ohms: PATH_OHMS, watts: IDLE_WATTS }
    }

    /// Sets the state of charge (0..=1). Values that are not finite are ignored.
    pub fn set_charge(&mut self, charge: f64) {
        self.charge = if charge.is_finite() { charge.clamp(0.0, 1.0) } else { self.charge };
    }

    /// Sets the capacity (A h).
    pub fn set_capacity(&mut self, capacity: f64) {
        self.capacity = capacity;
    }

    /// Sets the resistance between the cell and the board (ohm).
    pub fn set_ohms(&mut self, ohms: f64) {
        self.ohms = ohms;
    }

    /// Sets the load (W).
    pub fn set_load(&mut self, watts: f64) {
        self.watts = watts;
    }

    /// Returns the current load (W).
    pub fn watts(&self) -> f64 {
        self.watts
    }

    /// Returns whether the battery is empty.
    pub fn is_empty(&self) -> bool {
        self.charge <= 0.0
    }

    /// Returns the state of charge (0..=1).
    pub fn charge(&self) -> f64 {
        self.charge
    }

    /// Returns the voltage U at the board (V). It is the larger solution of U = E - R P/U, with the open-circuit
    /// voltage E, the resistance R and the load P. The voltage is 0 if the cell is empty, or if the load is too large
    /// for a solution.
    pub fn volts(&self) -> f64 {
        if self.charge <= 0.0 {
            return 0.0;
        }
        let place = self.charge * 10.0;
        let i = (place as usize).min(9);
        let open = OPEN_CIRCUIT[i] + (OPEN_CIRCUIT[i + 1] - OPEN_CIRCUIT[i]) * (place - i as f64);
        let under = open * open - 4.0 * self.ohms * self.watts;
        if under < 0.0 { 0.0 } else { (open + under.sqrt()) / 2.0 }
    }

    /// Returns the current that the battery supplies (A).
    pub fn amps(&self) -> f64 {
        match self.volts() {
            0.0 => 0.0,
            volts => self.watts / volts,
        }
    }

    /// Returns the output current of the boost converter at 5 V (A).
    pub fn supply_amps(&self) -> f64 {
        EFFICIENCY * self.watts / SUPPLY_VOLTS
    }

    /// Discharges the battery with the current load for `seconds`.
    pub fn drain(&mut self, seconds: f64) {
        self.charge = (self.charge - self.amps() * seconds / 3600.0 / self.capacity).max(0.0);
    }
}

/// Writable state of one INA231 monitor: its register pointer and the registers that the board can write.
#[derive(Clone, Debug)]
struct Monitor {
    pointer: u8,
    configuration: u16,
    calibration: u16,
    mask: u16,
    limit: u16,
}

const AT_RESET: Monitor =
    Monitor { pointer: 0, configuration: ina231::CONFIGURATION_AT_RESET, calibration: 0, mask: 0, limit: 0 };

impl Monitor {
    fn write(&mut self, bytes: &[u8]) {
        let [pointer, rest @ ..] = bytes else { return };
        self.pointer = *pointer;
        let [high, low, ..] = rest else { return };
        let value = u16::from_be_bytes([*high, *low]);
        match Register::from_pointer(*pointer) {
            Some(Register::Configuration) if value & ina231::CONFIGURATION_RESET_BIT != 0 => *self = AT_RESET,
            Some(Register::Configuration) => self.configuration = value,
            Some(Register::Calibration) => self.calibration = value & 0x7fff,
            Some(Register::MaskEnable) => self.mask = value,
            Some(Register::AlertLimit) => self.limit = value,
            _ => {}
        }
    }

    fn value(&self, volts: f64, amps: f64) -> u16 {
        let bus = ina231::bus_register(volts as f32);
        let shunt = ina231::shunt_register(amps as f32);
        let current = ina231::current_register(shunt, self.calibration);
        match Register::from_pointer(self.pointer) {
            Some(Register::Configuration) => self.configuration,
            Some(Register::ShuntVoltage) => shunt,
            Some(Register::BusVoltage) => bus,
            Some(Register::Power) => ina231::power_register(current, bus),
            Some(Register::Current) => current,
            Some(Register::Calibration) => self.calibration,
            Some(Register::MaskEnable) => self.mask,
            Some(Register::AlertLimit) => self.limit,
            None => 0xffff,
        }
    }
}

/// A robot's battery with its two monitors on the I2C bus.
#[derive(Clone, Debug)]
pub struct Power {
    /// The battery cell.
    pub battery: Battery,
    monitors: [Monitor; 2],
}

impl Power {
    /// Creates a battery with the given state of charge (0..=1), and monitors in their state after power-up.
    pub fn new(charge: f64) -> Power {
        Power { battery: Battery::new(charge), monitors: [AT_RESET, AT_RESET] }
    }

    /// Resets the monitors to their state after power-up.
    pub fn restart(&mut self) {
        self.monitors = [AT_RESET, AT_RESET];
    }

    /// Performs one I2C transaction: a write, then a read. Returns false if no monitor has the given 7-bit address.
    pub fn transfer(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        let (monitor, volts, amps) = match address {
            ina231::BATTERY_ADDRESS => (&mut self.monitors[0], self.battery.volts(), self.battery.amps()),
            ina231::SUPPLY_ADDRESS => (&mut self.monitors[1], SUPPLY_VOLTS, self.battery.supply_amps()),
            _ => return false,
        };
        monitor.write(write);
        // After the two bytes of the register, the monitor releases the bus, so the master reads ones.
        read.fill(0xff);
        for (byte, value) in read.iter_mut().zip(monitor.value(volts, amps).to_be_bytes()) {
            *byte = value;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_registers::ina231::{BATTERY_ADDRESS, CALIBRATION, CONFIGURATION_AT_RESET, SUPPLY_ADDRESS};

    fn read(power: &mut Power, address: u8, register: Register) -> u16 {
        let mut bytes = [0; 2];
        assert!(power.transfer(address, &[register as u8], &mut bytes));
        u16::from_be_bytes(bytes)
    }

    /// Returns the time for which a full battery supplies a load (h).
    fn hours(watts: f64) -> f64 {
        let mut battery = Battery::new(1.0);
        battery.set_load(watts);
        let (mut hours, mut last) = (0.0, battery.volts());
        assert!((4.0..4.17).contains(&last));
        while !battery.is_empty() {
            assert!(battery.volts() <= last);
            last = battery.volts();
            battery.drain(36.0);
            hours += 0.01;
            assert!(hours < 10.0);
        }
        assert!(last > 2.5 && battery.volts() == 0.0, "{last} V left");
        hours
    }

    #[test]
    fn battery_lasts_as_in_the_thesis() {
        let [usual, full] = [3.3, 6.6].map(hours);
        assert!((2.9..3.2).contains(&usual), "{usual} h");
        assert!((1.4..1.6).contains(&full), "{full} h");
    }

    #[test]
    fn current_reads_zero_until_the_chip_is_calibrated() {
        let mut power = Power::new(0.5);
        assert_eq!(read(&mut power, BATTERY_ADDRESS, Register::Configuration), CONFIGURATION_AT_RESET);
        assert_eq!(read(&mut power, BATTERY_ADDRESS, Register::Current), 0);
        assert!(power.transfer(BATTERY_ADDRESS, &ina231::write(Register::Calibration, CALIBRATION), &mut []));
        let amps = ina231::amps(read(&mut power, BATTERY_ADDRESS, Register::Current));
        let volts = ina231::volts(read(&mut power, BATTERY_ADDRESS, Register::BusVoltage));
        let idle = IDLE_WATTS as f32;
        assert!((amps * volts - idle).abs() < 0.01, "{amps} A at {volts} V");
        assert!((ina231::watts(read(&mut power, BATTERY_ADDRESS, Register::Power)) - idle).abs() < 0.03);
        assert_eq!(read(&mut power, SUPPLY_ADDRESS, Register::Current), 0, "each chip has its own calibration");
        assert!((ina231::volts(read(&mut power, SUPPLY_ADDRESS, Register::BusVoltage)) - 5.0).abs() < 1e-3);
    }

    #[test]
    fn reset_clears_calibration() {
        let mut power = Power::new(0.5);
        power.transfer(BATTERY_ADDRESS, &ina231::write(Register::Calibration, CALIBRATION), &mut []);
        power.transfer(BATTERY_ADDRESS, &ina231::write(Register::Configuration, 0x8000), &mut []);
        assert_eq!(read(&mut power, BATTERY_ADDRESS, Register::Calibration), 0);
        assert!(!power.transfer(0x44, &[0], &mut [0; 2]), "no chip at 0x44");
        let mut long = [0; 4];
        power.transfer(BATTERY_ADDRESS, &[Register::BusVoltage as u8], &mut long);
        assert_eq!(long[2..], [0xff, 0xff]);
    }
}
