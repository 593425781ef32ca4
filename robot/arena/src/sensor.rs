//! Registers of a camera sensor, as seen on the I2C bus of a robot's board. Only the exposure time affects the
//! pictures.

use xpuck_registers::camera_sensor::{Clock, Exposing, OV7670, Sensor};

/// Maximum number of register banks of a sensor.
const BANKS: usize = 4;
/// Address of the OV7670 register that contains the reset bit, and mask of this bit. The bit resets all registers to
/// their power-up values.
const RESET: (u8, u8) = (0x12, 0x80);

/// Exposure time that gives the correct brightness in the arena's light (s).
const RIGHT: f64 = 0.015;

/// State of a camera sensor between two I2C transactions.
#[derive(Clone, Debug)]
pub struct CameraSensor {
    kind: &'static Sensor,
    /// Value of the id registers.
    id: u16,
    registers: Box<[[u8; 256]; BANKS]>,
    bank: u8,
    pointer: u8,
}

impl CameraSensor {
    /// Creates a sensor in its state after power-up.
    pub fn new(kind: &'static Sensor) -> CameraSensor {
        let mut registers = Box::new([[0; 256]; BANKS]);
        if let Some(Exposing { switch: (bank, register), at_first, .. }) = kind.exposing {
            registers[usize::from(bank)][usize::from(register)] = at_first;
        }
        CameraSensor { kind, id: kind.id, registers, bank: 0, pointer: 0 }
    }

    /// Returns the brightness of the pictures relative to the correct exposure. Returns 1 with automatic exposure.
    /// Manual exposure is set in lines, and the duration of a line grows with the frame width.
    pub fn brightness(&self, clock: Clock) -> f32 {
        let Some(exposing) = self.kind.exposing else { return 1.0 };
        let held = |(bank, register): (u8, u8)| self.registers[usize::from(bank)][usize::from(register)];
        if held(exposing.switch) & exposing.mask == exposing.automatic {
            return 1.0;
        }
        let (bank, first) = exposing.time;
        let time: Vec<u8> = (first..).take(exposing.bytes.into()).map(|register| held((bank, register))).collect();
        let width = self.kind.width_register().map_or(0, |(bank, register)| {
            u32::from(u16::from_be_bytes([held((bank, register)), held((bank, register + 1))]))
        });
        let exposed = exposing.decode(&time) * Sensor::line_seconds(clock, width + 1);
        (exposed / RIGHT) as f32
    }

    /// Sets the value of the id registers, to emulate a broken bus line.
    pub fn set_id(&mut self, id: u16) {
        self.id = id;
    }

    /// Performs one I2C transaction: writes `write`, then fills `read`. Returns false if the sensor does not
    /// acknowledge.
    pub fn transfer(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        let combined = !write.is_empty() && !read.is_empty();
        if address != self.kind.address || combined && !self.kind.repeated_start {
            return false;
        }
        if let [pointer, data @ ..] = write {
            self.pointer = *pointer;
            data.iter().for_each(|value| self.write(*value));
        }
        for byte in read {
            *byte = self.value();
            self.pointer = self.pointer.wrapping_add(1);
        }
        true
    }

    fn write(&mut self, value: u8) {
        let register = self.pointer;
        self.pointer = self.pointer.wrapping_add(1);
        if Some(register) == self.kind.bank_register {
            self.bank = value % BANKS as u8;
        } else if *self.kind == OV7670 && register == RESET.0 && value & RESET.1 != 0 {
            *self = CameraSensor { id: self.id, ..CameraSensor::new(self.kind) };
        } else {
            self.registers[usize::from(self.bank)][usize::from(register)] = value;
        }
    }

    fn value(&self) -> u8 {
        let [high, low] = self.id.to_be_bytes();
        match self.pointer {
            pointer if pointer == self.kind.id_register => high,
            pointer if pointer == self.kind.id_register + 1 => low,
            pointer if Some(pointer) == self.kind.bank_register => self.bank,
            pointer => self.registers[usize::from(self.bank)][usize::from(pointer)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_registers::camera_sensor::{PO6030K, PO8030};

    #[test]
    fn brightness_is_proportional_to_exposure_time() {
        let mut sensor = CameraSensor::new(&PO8030);
        let set = |sensor: &mut CameraSensor, bank: u8, bytes: &[u8]| {
            assert!(sensor.transfer(0x6e, &[3, bank], &mut []) && sensor.transfer(0x6e, bytes, &mut []));
        };
        assert_eq!(sensor.brightness(Clock::Xpuck), 1.0, "by itself");
        // The exposure is set to 56 + 64/256 lines. A line of 800 pixels takes 133.3 us, so the exposure takes 7.5 ms,
        // which is half of the correct time.
        set(&mut sensor, 0, &[0x04, 0x03, 0x1f]);
        set(&mut sensor, 0, &[0x17, 0, 56, 64]);
        assert_eq!(sensor.brightness(Clock::Xpuck), 1.0, "the time does not count yet");
        set(&mut sensor, 2, &[0x04, 0x03]);
        assert!((sensor.brightness(Clock::Xpuck) - 0.5).abs() < 1e-4);
        set(&mut sensor, 2, &[0x04, 0x00]);
        assert_eq!(sensor.brightness(Clock::Xpuck), 1.0);
        assert_eq!(CameraSensor::new(&OV7670).brightness(Clock::Epuck2), 1.0);
        assert_eq!(CameraSensor::new(&PO6030K).brightness(Clock::Epuck1), 1.0);
    }

    #[test]
    fn banks_hold_different_values_and_one_id() {
        let mut sensor = CameraSensor::new(&PO6030K);
        let mut two = [0; 2];
        for bank in 0..3 {
            assert!(sensor.transfer(0x6e, &[3, bank], &mut []));
            assert!(sensor.transfer(0x6e, &[0x38, 0x10 + bank], &mut []));
            assert!(sensor.transfer(0x6e, &[0], &mut two));
            assert_eq!(two, [0x60, 0x30]);
        }
        let mut one = [0];
        sensor.transfer(0x6e, &[3, 1], &mut []);
        sensor.transfer(0x6e, &[0x38], &mut one);
        assert_eq!(one, [0x11]);
        assert!(!sensor.transfer(0x21, &[0], &mut one));
    }

    #[test]
    fn omnivision_read_needs_stop_and_reset_restores_registers() {
        let mut sensor = CameraSensor::new(&OV7670);
        let mut one = [0];
        assert!(!sensor.transfer(0x21, &[0x0a], &mut one));
        assert!(sensor.transfer(0x21, &[0x11, 0x80], &mut []));
        assert!(sensor.transfer(0x21, &[0x11], &mut []) && sensor.transfer(0x21, &[], &mut one));
        assert_eq!(one, [0x80]);
        sensor.transfer(0x21, &[0x12, 0x80], &mut []);
        assert!(sensor.transfer(0x21, &[0x11], &mut []) && sensor.transfer(0x21, &[], &mut one));
        assert_eq!(one, [0]);
    }
}
