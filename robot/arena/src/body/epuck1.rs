//! Model of an e-puck1 on the I2C bus of the robot's board: a slave with 23 registers and no watchdog.

use crate::body::infrared::counts;
use crate::body::lamps::Lamps;
use crate::body::motors::{EPUCK1, Motors};
use crate::body::sensor_levels::{SensorLevels, failed};
use xpuck_kernels::random::Draws;
use xpuck_registers::epuck1::{
    self, Access, BODY_LAMP, COUNT, FRONT_LAMP, INFRARED, LAMPS, REFLECTED, RING, Register, SCAN, SPEED, STEPS,
};
use xpuck_registers::infrared::other_order;
use xpuck_registers::stepper::StepsPerSecond;

/// An e-puck1 with its state between transactions.
#[derive(Clone, Debug)]
pub struct Epuck1 {
    registers: [u16; COUNT],
    pointer: u8,
    motors: Motors,
}

impl Default for Epuck1 {
    fn default() -> Epuck1 {
        Epuck1 { registers: [0; COUNT], pointer: 0, motors: Motors::new(EPUCK1) }
    }
}

impl Epuck1 {
    /// Performs one transaction: a write, a read, or a write followed by a read. A read of a register that does not
    /// exist returns zeros.
    pub fn transfer(&mut self, write: &[u8], read: &mut [u8]) {
        if let [pointer, data @ ..] = write {
            self.pointer = *pointer;
            self.write(data);
        }
        // The pointer does not advance during a read, so the slave repeats the two bytes of one register.
        let bytes = self.registers.get(usize::from(self.pointer)).copied().unwrap_or(0).to_le_bytes();
        read.iter_mut().zip(bytes.into_iter().cycle()).for_each(|(to, byte)| *to = byte);
    }

    fn write(&mut self, data: &[u8]) {
        let value = match *data {
            [] => return,
            // A write of only the low byte clears the high byte.
            [low] => u16::from(low),
            [low, high, ..] => u16::from_le_bytes([low, high]),
        };
        if let Some(Register { access: Access::ReadWrite, bits, .. }) = Register::at(self.pointer) {
            self.registers[usize::from(self.pointer)] = if bits == 8 { value & 0xff } else { value };
        }
    }

    fn speeds(&self) -> [StepsPerSecond; 2] {
        [0, 1].map(|i| StepsPerSecond::new(self.registers[usize::from(SPEED.pointer(i))] as i16))
    }

    /// Returns the ground speeds of the left and right wheel (m/s).
    pub fn wheels(&self) -> [f32; 2] {
        self.motors.wheels(self.speeds())
    }

    /// Returns the state of the lamps.
    pub fn lamps(&self) -> Lamps {
        let value = |register: Register| self.registers[usize::from(register.pointer(0))];
        let (ring, lamps) = (value(RING) as u8, value(LAMPS));
        Lamps { ring, body: lamps & BODY_LAMP != 0, front: lamps & FRONT_LAMP != 0, ..Lamps::default() }
    }

    /// Advances time by one arena step. The wheels stop only on command.
    pub fn step(&mut self) {
        self.motors.step(self.speeds());
        self.fill(STEPS, &self.motors.counters());
    }

    /// Updates the sensor readings if the sensors are switched on. `reflected` is in counts.
    pub fn scan(&mut self, reflected: [u16; 8], felt: &SensorLevels, draws: &mut Draws) {
        if self.registers[usize::from(INFRARED.pointer(0))] & SCAN == 0 {
            return;
        }
        self.fill(REFLECTED, &other_order(reflected));
        let light = felt.light.map(|level| counts(level, draws));
        self.fill(epuck1::AMBIENT, &other_order(failed(felt.faults[1], light, draws)));
    }

    fn fill(&mut self, register: Register, values: &[u16]) {
        let first = usize::from(register.first);
        self.registers[first..first + values.len()].copy_from_slice(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::infrared::reflected;
    use xpuck_kernels::random::Stream;
    use xpuck_registers::infrared::PUBLISHED;

    fn read(robot: &mut Epuck1, pointer: u8) -> u16 {
        let mut bytes = [0; 2];
        robot.transfer(&[pointer], &mut bytes);
        u16::from_le_bytes(bytes)
    }

    #[test]
    fn registers_are_written_and_read_low_byte_first() {
        let mut robot = Epuck1::default();
        robot.transfer(&[2, 0x2c, 0x01], &mut []);
        assert_eq!(read(&mut robot, 2), 300);
        robot.transfer(&[2, 0x2d], &mut []);
        assert_eq!(read(&mut robot, 2), 0x2d, "a write of one byte clears the other");
        let mut four = [0; 4];
        robot.transfer(&[2, 0x2c, 0x01], &mut four);
        assert_eq!(four, [0x2c, 0x01, 0x2c, 0x01], "the pointer stays");
        robot.transfer(&[7, 1, 1], &mut []);
        assert_eq!((read(&mut robot, 7), read(&mut robot, 200)), (0, 0), "readings cannot be written");
    }

    #[test]
    fn wheels_keep_the_last_speed_for_ever() {
        let mut robot = Epuck1::default();
        robot.transfer(&[2, 0x2c, 0x01], &mut []);
        robot.transfer(&[3, 0xd4, 0xfe], &mut []);
        (0..400).for_each(|_| robot.step());
        assert_eq!(read(&mut robot, 4), 2984, "10 s at 57600 / 193 steps/s");
        assert_eq!(read(&mut robot, 5) as i16, -2985, "rounded down");
        assert!(robot.wheels()[0] > 0.038 && robot.wheels()[1] < -0.038);
        robot.transfer(&[2, 0xff, 0x7f], &mut []);
        assert!(robot.wheels()[0] < 0.129, "clamped to 1000 steps/s");
    }

    #[test]
    fn sensors_are_scanned_once_they_are_switched_on() {
        let mut robot = Epuck1::default();
        let mut proximity = [0.0; 8];
        proximity[0] = 1.0 - 0.010 / 0.030;
        let scan = |robot: &mut Epuck1| {
            let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
            let counts = proximity.map(|p| reflected(p, &PUBLISHED, &mut draws));
            let felt = SensorLevels { light: [3900.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 100.0], ..SensorLevels::default() };
            robot.scan(counts, &felt, &mut draws);
        };
        scan(&mut robot);
        assert_eq!(read(&mut robot, 14), 0);
        robot.transfer(&[6, 1], &mut []);
        scan(&mut robot);
        assert!(read(&mut robot, 14).abs_diff(2181) < 12, "left of the front is the e-puck's sensor 7");
        assert!(read(&mut robot, 7) < 12 && read(&mut robot, 15).abs_diff(100) < 12);
        assert!(read(&mut robot, 22).abs_diff(3900) < 12);
    }
}
