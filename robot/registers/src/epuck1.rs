//! The e-puck1 as an I2C slave, with the dsPIC firmware that the Pi-puck board uses (York Robotics Laboratory,
//! pi-puck-e-puck1): 23 registers, one a transaction, least significant byte first.
//!
//! A write is pointer, low byte, high byte; without the high byte it is cleared. A read is a write of the pointer, a
//! repeated start, and two bytes. The pointer does not move on by itself. There is no checksum, and nothing stops the
//! wheels when nobody talks: the motors keep the last speed.

/// 7-bit address, at 100 kHz.
pub const ADDRESS: u8 = 0x1f;
/// Registers 0 to 22.
pub const COUNT: usize = 23;

/// Who may change a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The board reads and writes it.
    ReadWrite,
    /// The board only reads it.
    Read,
}

/// One register, or several of a kind in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Number of the first.
    pub first: u8,
    /// How many there are.
    pub count: u8,
    /// Bits in use, 8 or 16; the bytes on the wire are two either way.
    pub bits: u8,
    /// Who may change it.
    pub access: Access,
    /// Name in the documentation.
    pub name: &'static str,
    /// What the value means.
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

/// The red LEDs of the ring.
pub const RING: Register = register(0, 1, 8, Access::ReadWrite, "ring", "bit n lights LED n of the ring, red");
/// The front and the body LED.
pub const LAMPS: Register =
    register(1, 1, 8, Access::ReadWrite, "lamps", "bit 0 front LED, red; bit 1 body LED, green");
/// The speeds of the left and right motor.
pub const SPEED: Register =
    register(2, 2, 16, Access::ReadWrite, "speed", "left, right: signed steps/s, -1000 to 1000");
/// The step counters of the left and right motor.
pub const STEPS: Register = register(4, 2, 16, Access::Read, "steps", "left, right: steps made, wrapping");
/// Whether the infra-red sensors are scanned.
pub const INFRARED: Register =
    register(6, 1, 8, Access::ReadWrite, "infrared", "bit 0 scans the infra-red sensors; off after a reset");
/// Reflected infra-red.
pub const REFLECTED: Register =
    register(7, 8, 16, Access::Read, "reflected", "sensors 0 to 7: ambient minus lit, 0 to 4095, larger is nearer");
/// Ambient infra-red.
pub const AMBIENT: Register =
    register(15, 8, 16, Access::Read, "ambient", "sensors 0 to 7: 0 to 4095, larger is brighter");

/// The whole map.
pub const REGISTERS: [Register; 7] = [RING, LAMPS, SPEED, STEPS, INFRARED, REFLECTED, AMBIENT];

/// Bit of [`LAMPS`] that lights the front LED.
pub const FRONT_LAMP: u16 = 1 << 0;
/// Bit of [`LAMPS`] that lights the body LED.
pub const BODY_LAMP: u16 = 1 << 1;
/// Bit of [`INFRARED`] that scans the sensors.
pub const SCAN: u16 = 1 << 0;
/// One scan of all eight sensors, ms (9.8 ms measured from the firmware's timers), rounded up.
pub const SCAN_MS: u64 = 10;

impl Register {
    /// The pointer of the `i`-th of its kind.
    ///
    /// # Panics
    /// If there are not so many.
    pub const fn pointer(&self, i: usize) -> u8 {
        assert!(i < self.count as usize, "an e-puck1 has no such register");
        self.first + i as u8
    }

    /// The kind of register at a pointer, if there is one.
    pub fn at(pointer: u8) -> Option<Register> {
        REGISTERS.into_iter().find(|r| (r.first..r.first + r.count).contains(&pointer))
    }
}

/// The bytes of a write to a register.
pub fn write(pointer: u8, value: u16) -> [u8; 3] {
    let [low, high] = value.to_le_bytes();
    [pointer, low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_has_no_holes() {
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
    fn bytes_are_those_of_the_firmware() {
        assert_eq!(write(SPEED.pointer(1), (-300i16) as u16), [3, 0xd4, 0xfe]);
        assert_eq!((AMBIENT.pointer(7), INFRARED.pointer(0)), (22, 6));
    }
}
