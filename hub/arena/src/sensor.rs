//! A camera sensor's registers as the board's I2C bus meets them. What they hold has no effect on the picture.

use xpuck_registers::camera_sensor::{OV7670, Sensor};

/// Banks that a sensor can have.
const BANKS: usize = 4;
/// Register and bit of an OV7670 that restore the values after power-up.
const RESET: (u8, u8) = (0x12, 0x80);

/// A sensor's state between transactions.
#[derive(Clone, Debug)]
pub struct CameraSensor {
    kind: &'static Sensor,
    /// What its id registers hold.
    id: u16,
    registers: Box<[[u8; 256]; BANKS]>,
    bank: u8,
    pointer: u8,
}

impl CameraSensor {
    /// A sensor as after power-up.
    pub fn new(kind: &'static Sensor) -> CameraSensor {
        CameraSensor { kind, id: kind.id, registers: Box::new([[0; 256]; BANKS]), bank: 0, pointer: 0 }
    }

    /// Holds another id from now on, as a sensor with a broken line would.
    pub fn set_id(&mut self, id: u16) {
        self.id = id;
    }

    /// One transaction; false if it does not acknowledge.
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
    use xpuck_registers::camera_sensor::PO6030K;

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
    fn an_omnivision_wants_a_stop_before_a_read_and_can_be_reset() {
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
