//! e-puck1 as an I2C slave, with the dsPIC firmware for the Pi-puck board (York Robotics Laboratory, pi-puck-e-puck1).
//! The slave has 23 registers. A transaction transfers one register, least significant byte first.
//!
//! A write consists of pointer, low byte and high byte. If the high byte is omitted, it becomes 0. A read consists of
//! a write of the pointer, a repeated start, and two bytes. The pointer does not increment. The protocol has neither a
//! checksum nor a time-out. If the communication stops, the motors keep their last speed.

/// 7-bit I2C address of the e-puck1. The bus runs at 100 kHz.
pub const ADDRESS: u8 = 0x1f;
/// Number of registers. Their pointers are 0 to 22.
pub const COUNT: usize = 23;

/// Access to a register by the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and write.
    ReadWrite,
    /// Read only.
    Read,
}

/// Single register, or consecutive registers of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Pointer of the first register.
    pub first: u8,
    /// Number of registers.
    pub count: u8,
    /// Number of bits used, 8 or 16. Two bytes are transferred in either case.
    pub bits: u8,
    /// Access by the board.
    pub access: Access,
    /// Name in the documentation.
    pub name: &'static str,
    /// Meaning of the value.
    pub meaning: &'static str,
}

const fn register(
    first: u8,
    count: u8,
    bits: u8,
    access: Access,
    name: &'static str,
    meaning: &'static str,
) -> Register {
    Register { first, count, bits, access, name, meaning }
}

/// Register of the red LEDs on the ring.
pub const RING: Register = register(0, 1, 8, Access::ReadWrite, "ring", "bit n lights LED n of the ring, red");
/// Register of the front LED and the body LED.
pub const LAMPS: Register =
    register(1, 1, 8, Access::ReadWrite, "lamps", "bit 0 front LED, red; bit 1 body LED, green");
/// Registers with the speeds of the left and right motor.
pub const SPEED: Register =
    register(2, 2, 16, Access::ReadWrite, "speed", "left, right: signed steps/s, -1000 to 1000");
/// Registers with the step counters of the left and right motor.
pub const STEPS: Register = register(4, 2, 16, Access::Read, "steps", "left, right: steps made, wrapping");
/// Register that enables the scanning of the infra-red sensors.
pub const INFRARED: Register =
    register(6, 1, 8, Access::ReadWrite, "infrared", "bit 0 scans the infra-red sensors; off after a reset");
/// Registers with the reflected infra-red light.
pub const REFLECTED: Register =
    register(7, 8, 16, Access::Read, "reflected", "sensors 0 to 7: ambient minus lit, 0 to 4095, larger is nearer");
/// Registers with the ambient infra-red light.
pub const AMBIENT: Register =
    register(15, 8, 16, Access::Read, "ambient", "sensors 0 to 7: 0 to 4095, larger is brighter");

/// All registers, ordered by pointer.
pub const REGISTERS: [Register; 7] = [RING, LAMPS, SPEED, STEPS, INFRARED, REFLECTED, AMBIENT];

/// Bit of [`LAMPS`] that lights the front LED.
pub const FRONT_LAMP: u16 = 1 << 0;
/// Bit of [`LAMPS`] that lights the body LED.
pub const BODY_LAMP: u16 = 1 << 1;
/// Bit of [`INFRARED`] that enables the scanning of the sensors.
pub const SCAN: u16 = 1 << 0;
/// Duration of a scan of all eight sensors, rounded up (ms). The exact duration is 9.8 ms according to the firmware's
/// timers.
pub const SCAN_MS: u64 = 10;

impl Register {
    /// Returns the pointer of the `i`-th register of this kind, counted from 0.
    ///
    /// # Panics
    /// If `i` is not less than [`Register::count`].
    pub const fn pointer(&self, i: usize) -> u8 {
        assert!(i < self.count as usize, "an e-puck1 has no such register");
        self.first + i as u8
    }

    /// Returns the entry of [`REGISTERS`] that contains the register at `pointer`; `None` for an unknown pointer.
    pub fn at(pointer: u8) -> Option<Register> {
        REGISTERS.into_iter().find(|r| (r.first..r.first + r.count).contains(&pointer))
    }
}

/// Encodes a write of `value` to the register at `pointer`.
pub fn write(pointer: u8, value: u16) -> [u8; 3] {
    let [low, high] = value.to_le_bytes();
    [pointer, low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn register_map_has_no_gaps() {
        let mut next = 0;
        for register in REGISTERS {
            assert_eq!(register.first, next, "{}", register.name);
            next += register.count;
        }
        assert_eq!(usize::from(next), COUNT);
        assert_eq!(Register::at(14), Some(REFLECTED));
        assert_eq!(Register::at(23), None);
    }

    #[test]
    fn bytes_match_firmware() {
        assert_eq!(write(SPEED.pointer(1), (-300i16) as u16), [3, 0xd4, 0xfe]);
        assert_eq!((AMBIENT.pointer(7), INFRARED.pointer(0)), (22, 6));
    }
}
