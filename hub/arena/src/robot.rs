//! One robot's electronics: the processor that drives its motors, by kind, and everything on the board's buses.

use crate::dspic::Dspic;
use crate::epuck1::Epuck1;
use crate::epuck2::Epuck2;
use crate::faults::{FaultCounter, Faults};
use crate::power::Power;
use crate::sensor::CameraSensor;
use crate::settings::BodyKind;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::random::Draws;
use xpuck_registers::camera_sensor::{OV7670, PO6030K, PO8030, Sensor};
use xpuck_registers::epuck1::{self, STEPS};
use xpuck_registers::epuck2::{self, Report};
use xpuck_registers::spi::{WORDS, Words};

/// The processor in the robot's body.
#[derive(Clone, Debug)]
enum Processor {
    Xpuck(Dspic),
    Epuck1(Epuck1),
    Epuck2(Epuck2),
}

/// A robot's electronics.
#[derive(Clone, Debug)]
pub(crate) struct Robot {
    processor: Processor,
    pub(crate) power: Power,
    sensor: CameraSensor,
    faults: Faults,
    counter: FaultCounter,
}

impl Robot {
    /// A robot that was just switched on, with this part of its charge.
    pub(crate) fn new(kind: BodyKind, charge: f64, faults: Faults) -> Robot {
        let sensor: &'static Sensor = match kind {
            BodyKind::Xpuck => &PO8030,
            BodyKind::Epuck1 => &PO6030K,
            BodyKind::Epuck2 => &OV7670,
        };
        let mut sensor = CameraSensor::new(sensor);
        if let Some(id) = faults.sensor_id {
            sensor.set_id(id);
        }
        let counter = FaultCounter::default();
        Robot { processor: Processor::new(kind), power: Power::new(charge), sensor, faults, counter }
    }

    /// One SPI message. A body without SPI leaves the line alone.
    pub(crate) fn spi(&mut self, words: &Words) -> Words {
        match &mut self.processor {
            Processor::Xpuck(dspic) => dspic.exchange(words),
            _ => [0xffff; WORDS],
        }
    }

    /// One I2C transaction; false if nothing acknowledges.
    pub(crate) fn i2c(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        if self.faults.absent.contains(&address) {
            return false;
        }
        match (address, &self.processor) {
            // One address for both kinds.
            (epuck1::ADDRESS, Processor::Epuck1(_) | Processor::Epuck2(_)) => self.body(write, read),
            _ => self.sensor.transfer(address, write, read) || self.power.transfer(address, write, read),
        }
    }

    fn body(&mut self, write: &[u8], read: &mut [u8]) -> bool {
        self.counter.count();
        if self.counter.strikes(self.faults.nak_every) {
            return false;
        }
        if self.counter.strikes(self.faults.reset_every) {
            self.processor = match self.processor {
                Processor::Xpuck(_) => Processor::new(BodyKind::Xpuck),
                Processor::Epuck1(_) => Processor::new(BodyKind::Epuck1),
                Processor::Epuck2(_) => Processor::new(BodyKind::Epuck2),
            };
        }
        match &mut self.processor {
            Processor::Xpuck(_) => return false,
            Processor::Epuck1(robot) => robot.transfer(write, read),
            Processor::Epuck2(robot) => robot.transfer(write, read),
        }
        if self.faults.frozen_counters {
            self.freeze(write, read);
        }
        if self.counter.strikes(self.faults.corrupt_every) {
            self.counter.garble(read);
        }
        true
    }

    /// Takes the step counters out of an answer.
    fn freeze(&self, write: &[u8], read: &mut [u8]) {
        match &self.processor {
            Processor::Epuck1(_) if (0..2).any(|i| write == [STEPS.pointer(i)]) => read.fill(0),
            Processor::Epuck2(_) if read.len() == epuck2::REPORT_BYTES => {
                let report = (&*read).try_into().ok().and_then(|bytes| Report::decode(bytes).ok());
                let frozen = report.map(|report| Report { steps: [0; 2], ..report });
                read.copy_from_slice(&frozen.unwrap_or_default().encode());
            }
            _ => {}
        }
    }

    /// Ground speed of the wheels, left and right, m/s.
    pub(crate) fn wheels(&self) -> [f32; 2] {
        match &self.processor {
            Processor::Xpuck(dspic) => dspic.wheels(),
            Processor::Epuck1(robot) => robot.wheels(),
            Processor::Epuck2(robot) => robot.wheels(),
        }
    }

    /// One step of `seconds`.
    pub(crate) fn step(&mut self, seconds: f64) {
        match &mut self.processor {
            Processor::Xpuck(dspic) => dspic.step(),
            Processor::Epuck1(robot) => robot.step(),
            Processor::Epuck2(robot) => robot.step(),
        }
        self.power.battery.drain(seconds);
    }

    /// Takes new readings: proximity as 1 - d/range, acceleration along x and y, m/s^2.
    pub(crate) fn scan(&mut self, proximity: &[f32; 8], acceleration: Vec2, draws: &mut Draws) {
        match &mut self.processor {
            Processor::Xpuck(dspic) => dspic.scan(proximity, acceleration, self.power.battery.volts() as f32, draws),
            Processor::Epuck1(robot) => robot.scan(proximity, draws),
            Processor::Epuck2(robot) => robot.scan(proximity, draws),
        }
    }
}

impl Processor {
    fn new(kind: BodyKind) -> Processor {
        match kind {
            BodyKind::Xpuck => Processor::Xpuck(Dspic::default()),
            BodyKind::Epuck1 => Processor::Epuck1(Epuck1::default()),
            BodyKind::Epuck2 => Processor::Epuck2(Epuck2::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn robot(kind: BodyKind, faults: Faults) -> Robot {
        Robot::new(kind, 0.9, faults)
    }

    #[test]
    fn each_kind_answers_where_it_should() {
        for (kind, body, sensor) in
            [(BodyKind::Xpuck, false, 0x6e), (BodyKind::Epuck1, true, 0x6e), (BodyKind::Epuck2, true, 0x21)]
        {
            let mut robot = robot(kind, Faults::default());
            assert_eq!(robot.i2c(0x1f, &[0], &mut []), body, "{kind:?}");
            assert!(robot.i2c(sensor, &[0], &mut []) && robot.i2c(0x40, &[0], &mut [0; 2]));
            assert!(!robot.i2c(0x44, &[0], &mut []));
            assert_eq!(robot.spi(&[0; 32]) == [0xffff; 32], body);
        }
    }

    #[test]
    fn faults_are_those_that_were_planted() {
        let mut absent = robot(BodyKind::Epuck1, Faults { absent: vec![0x1f, 0x41], ..Faults::default() });
        assert!(
            !absent.i2c(0x1f, &[0], &mut []) && !absent.i2c(0x41, &[0], &mut []) && absent.i2c(0x40, &[0], &mut [])
        );

        let mut resets = robot(BodyKind::Epuck1, Faults { reset_every: 3, ..Faults::default() });
        resets.i2c(0x1f, &[2, 100, 0], &mut []);
        let mut speed = [0; 2];
        assert!(resets.i2c(0x1f, &[2], &mut speed) && speed == [100, 0]);
        assert!(resets.i2c(0x1f, &[2], &mut speed) && speed == [0, 0]);

        let mut frozen = robot(BodyKind::Epuck2, Faults { frozen_counters: true, ..Faults::default() });
        let command = epuck2::Command { speeds: [500, 500], ..epuck2::Command::default() }.encode();
        frozen.i2c(0x1f, &command, &mut []);
        (0..40).for_each(|_| frozen.step(0.025));
        let mut reply = [0; epuck2::REPORT_BYTES];
        frozen.i2c(0x1f, &command, &mut reply);
        assert_eq!(Report::decode(&reply).unwrap().steps, [0; 2]);
        assert!(frozen.wheels()[0] > 0.06);

        let mut garbled = robot(BodyKind::Epuck2, Faults { corrupt_every: 2, nak_every: 5, ..Faults::default() });
        let answers: Vec<bool> =
            (0..4).map(|_| garbled.i2c(0x1f, &command, &mut reply) && Report::decode(&reply).is_ok()).collect();
        assert_eq!(answers, [true, false, true, false]);
        assert!(!garbled.i2c(0x1f, &command, &mut reply));

        let mut stranger = robot(BodyKind::Epuck1, Faults { sensor_id: Some(0x6130), ..Faults::default() });
        assert!(stranger.i2c(0x6e, &[0], &mut speed) && speed == [0x61, 0x30]);
    }
}
