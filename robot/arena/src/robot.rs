//! Electronics of one robot: the processor in the body, and the devices on the buses of the robot's board. The type of
//! the processor depends on the kind of robot.

use crate::body::dspic::Dspic;
use crate::body::epuck1::Epuck1;
use crate::body::epuck2::Epuck2;
use crate::body::infrared;
use crate::body::lamps::Lamps;
use crate::body::sensor_levels::{self, SensorLevels};
use crate::draw::PowerLoad;
use crate::faults::{FaultCounter, Faults, SenseFault};
use crate::fitted::{self, Devices, Surroundings};
use crate::outage::{Outage, Outages};
use crate::power::Power;
use crate::sensor::CameraSensor;
use crate::settings::{BodyKind, Settings};
use crate::unkind::Traits;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::V_MAX;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::camera_sensor::{Clock, OV7670, PO6030K, PO8030, Sensor};
use xpuck_registers::epuck1::{self, STEPS};
use xpuck_registers::epuck2::{self, Report};
use xpuck_registers::infrared::Curve;
use xpuck_registers::microphone::{Loudness, MAX_MICROPHONES};
use xpuck_registers::spi::{self, Pixel, WORDS, Words};

/// Processor in the robot's body.
#[derive(Clone, Debug)]
enum Processor {
    Xpuck(Dspic),
    Epuck1(Epuck1),
    Epuck2(Epuck2),
}

/// Electronics of a robot.
#[derive(Clone, Debug)]
pub(crate) struct Robot {
    kind: BodyKind,
    processor: Processor,
    pub(crate) power: Power,
    /// Activity of the parts that draw power from the battery.
    pub(crate) draw: PowerLoad,
    sensor: CameraSensor,
    fitted: Devices,
    faults: Faults,
    counter: FaultCounter,
    pub(crate) traits: Traits,
    /// Speed factors of the left and right wheel. Scheduled changes can set these factors during a run.
    wheel_factors: [f32; 2],
    outages: Outages,
    /// Failures that are active in the current step.
    out: Outage,
    /// Response curve of the infra-red sensors.
    curve: Curve,
    /// Latest readings of the proximity sensors (counts).
    reflected: [u16; 8],
    /// Number of steps since the body last received a message from the board.
    silent_steps: u32,
    /// Manual drive command that applies while the board is silent; `None`: no command.
    guest: Option<Guest>,
    seed: u64,
    number: u32,
}

/// Number of steps without a message (2 s) after which a board counts as silent. The manual drive command then
/// applies.
const BOARD_TIMEOUT_STEPS: u32 = 80;

/// Manual drive command for a robot with a silent board.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Guest {
    /// Ground speeds of the left and right wheel (m/s), each limited to [`V_MAX`].
    pub wheels: [f32; 2],
    /// Colour of all coloured lamps; `None`: the lamps are not changed.
    pub colour: Option<Pixel>,
}

/// Words that a master reads from a bus line that no device drives.
const RELEASED: Words = [0xffff; WORDS];

impl Robot {
    /// Creates the robot with the index `number` in the settings, in its state after power-up.
    pub(crate) fn new(settings: &Settings, number: usize) -> Robot {
        let (seed, kind) = (settings.seed, settings.kind(number));
        let name = settings.robots.get(number).map_or("", |name| name);
        let mut traits = settings.unkind.traits(seed, number, name);
        let faults = traits.bus_faults.take().unwrap_or_else(|| settings.faults.clone());
        // Robots leave their chargers nearly full, with slightly different charges.
        let drawn = Draws::new(seed, 0, number as u32, 0, Stream::Device).range(0.92, 1.0);
        let mut power = Power::new(f64::from(traits.charge.unwrap_or(drawn)));
        if let Some(supply) = traits.supply {
            power.battery.set_ohms(f64::from(supply.ohms));
        }
        if let Some(capacity) = traits.capacity_ah {
            power.battery.set_capacity(f64::from(capacity));
        }
        Robot {
            wheel_factors: [1.0; 2],
            kind,
            processor: Processor::new(kind),
            power,
            draw: PowerLoad::default(),
            sensor: camera_sensor(kind, &faults),
            fitted: Devices::new(&settings.fitted),
            faults,
            counter: FaultCounter::default(),
            outages: Outages::new(settings.unkind.faults_of(name), traits.supply),
            out: Outage::default(),
            traits,
            curve: settings.curve,
            reflected: [0; 8],
            silent_steps: u32::MAX,
            guest: None,
            seed,
            number: number as u32,
        }
    }

    /// Returns the reply of the body to the SPI message that is about to begin. All bits are ones if the body does not
    /// answer.
    pub(crate) fn spi_ready(&mut self) -> Words {
        let Processor::Xpuck(_) = self.processor else { return RELEASED };
        self.counter.count();
        if self.out.away() || self.counter.is_due(self.faults.nak_every) {
            return RELEASED;
        }
        if self.counter.is_due(self.faults.reset_every) {
            self.processor = Processor::new(self.kind);
        }
        let Processor::Xpuck(dspic) = &self.processor else { return RELEASED };
        let ready = dspic.ready();
        match spi::Report::decode(&ready) {
            Ok(report) if self.faults.frozen_counters => spi::Report { steps: [0; 2], ..report }.encode(),
            _ => ready,
        }
    }

    /// Completes the SPI message for which the body prepared the reply `ready`. The body receives `words`. Returns the
    /// words that the board receives: `board` with bus faults applied.
    pub(crate) fn spi_ended(&mut self, ready: &Words, words: &[u16], mut board: Words) -> Words {
        let Processor::Xpuck(dspic) = &mut self.processor else { return board };
        if *ready == RELEASED {
            return board;
        }
        self.silent_steps = 0;
        dspic.select(words);
        if self.counter.is_due(self.faults.corrupt_every) {
            self.counter.garble_words(&mut board);
        }
        board
    }

    /// Performs one I2C transaction. Returns false if no device acknowledges the address.
    pub(crate) fn i2c(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        if self.out.brown_out || self.faults.absent.contains(&address) {
            return false;
        }
        match (address, &self.processor) {
            // The bodies of the e-puck1 and the e-puck2 have the same address.
            (epuck1::ADDRESS, Processor::Epuck1(_) | Processor::Epuck2(_)) => self.body(write, read),
            _ => {
                self.sensor.transfer(address, write, read)
                    || self.power.transfer(address, write, read)
                    || self.fitted.transfer(address, write, read)
            }
        }
    }

    fn body(&mut self, write: &[u8], read: &mut [u8]) -> bool {
        self.counter.count();
        if self.out.away() || self.counter.is_due(self.faults.nak_every) {
            return false;
        }
        if self.counter.is_due(self.faults.reset_every) {
            self.processor = Processor::new(self.kind);
        }
        self.silent_steps = 0;
        match &mut self.processor {
            Processor::Xpuck(_) => return false,
            Processor::Epuck1(robot) => robot.transfer(write, read),
            Processor::Epuck2(robot) => robot.transfer(write, read),
        }
        if self.faults.frozen_counters {
            self.freeze(write, read);
        }
        if self.counter.is_due(self.faults.corrupt_every) {
            self.counter.corrupt(read);
        }
        true
    }

    /// Replaces the step counters in a reply of the body with zeros. `write` is the request, and `read` is the reply.
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

    fn sense_faults(&self) -> [Option<SenseFault>; 3] {
        [self.faults.acceleration, self.faults.light, self.faults.microphones]
    }

    /// Returns the wheel speeds that the body's processor commands, without slip (m/s).
    fn turning(&self) -> [f32; 2] {
        match &self.processor {
            Processor::Xpuck(dspic) => dspic.wheels(),
            Processor::Epuck1(robot) => robot.wheels(),
            Processor::Epuck2(robot) => robot.wheels(),
        }
    }

    /// Sets the speed factors of the left and right wheel.
    pub(crate) fn set_wheel_factors(&mut self, parts: [f32; 2]) {
        self.wheel_factors = parts;
    }

    /// Returns whether the board addressed the body in the last 2 s.
    pub(crate) fn is_spoken_to(&self) -> bool {
        self.silent_steps < BOARD_TIMEOUT_STEPS
    }

    /// Sets the manual drive command that applies while the board is silent; `None` stops the robot.
    pub(crate) fn invite(&mut self, guest: Option<Guest>) {
        self.guest = guest.map(|guest| Guest { wheels: guest.wheels.map(|wheel| wheel.clamp(-V_MAX, V_MAX)), ..guest });
    }

    /// Returns the manual drive command if it currently applies, and `None` otherwise.
    fn driving(&self) -> Option<Guest> {
        self.guest.filter(|_| !self.is_spoken_to())
    }

    /// Returns whether the body's processor commands the wheels to turn.
    pub(crate) fn is_driven(&self) -> bool {
        self.turning() != [0.0; 2]
    }

    /// Returns the ground speeds of the left and right wheel in step `now`, including wheel defects (m/s).
    pub(crate) fn wheels(&mut self, now: u32) -> [f32; 2] {
        if self.out.off() {
            return [0.0; 2];
        }
        let turning = self.driving().map_or_else(|| self.turning(), |guest| guest.wheels);
        let ground = match &mut self.traits.wheels {
            Some(wheels) => wheels.ground(turning, now, self.seed, self.number),
            None => turning,
        };
        [ground[0] * self.wheel_factors[0], ground[1] * self.wheel_factors[1]]
    }

    /// Returns whether the robot currently has a camera.
    pub(crate) fn has_camera(&self) -> bool {
        !self.out.brown_out && !self.out.camera_gone
    }

    /// Returns the brightness of the camera's pictures relative to the correct exposure.
    pub(crate) fn brightness(&self) -> f32 {
        self.sensor.brightness(match self.kind {
            BodyKind::Xpuck => Clock::Xpuck,
            BodyKind::Epuck1 => Clock::Epuck1,
            BodyKind::Epuck2 => Clock::Epuck2,
        })
    }

    /// Returns whether the camera repeats one frame.
    pub(crate) fn sees_the_past(&self) -> bool {
        self.out.camera_frozen
    }

    /// Advances the robot to the step with the number `now`. A step lasts `seconds`.
    pub(crate) fn step(&mut self, now: u32, seconds: f64) {
        let before = self.out;
        self.silent_steps = self.silent_steps.saturating_add(1);
        if let Processor::Xpuck(dspic) = &self.processor {
            self.draw.show(dspic.pixels());
        }
        let usual = self.draw.watts(self.power.battery.volts());
        self.power.battery.set_load(usual + self.outages.surge(now, self.seed, self.number));
        self.out = self.outages.step(now, self.seed, self.number, self.power.battery.volts());
        // A robot with an empty battery has no power until the battery is charged.
        self.out.brown_out |= self.power.battery.is_empty();
        if self.out.brown_out && !before.brown_out {
            self.sensor = camera_sensor(self.kind, &self.faults);
            self.power.restart();
            self.fitted.restart();
        }
        if self.out.off() {
            if !before.off() {
                self.processor = Processor::new(self.kind);
            }
            return;
        }
        match &mut self.processor {
            Processor::Xpuck(dspic) => dspic.step(),
            Processor::Epuck1(robot) => robot.step(),
            Processor::Epuck2(robot) => robot.step(),
        }
        self.power.battery.drain(seconds);
    }

    /// Returns the state of the lamps. All lamps are off while the body's processor is not running.
    pub(crate) fn lamps(&self) -> Lamps {
        if self.out.off() {
            return Lamps::default();
        }
        let mut lamps = match &self.processor {
            Processor::Xpuck(dspic) => dspic.lamps(),
            Processor::Epuck1(robot) => robot.lamps(),
            Processor::Epuck2(robot) => robot.lamps(),
        };
        if let Some(colour) = self.driving().and_then(|guest| guest.colour) {
            lamps.pixels.iter_mut().flatten().for_each(|pixel| *pixel = colour);
            lamps.colours.iter_mut().flatten().for_each(|led| *led = colour);
        }
        lamps
    }

    /// Returns whether the robot plays a sound.
    pub(crate) fn plays(&self) -> bool {
        match &self.processor {
            Processor::Epuck2(robot) => !self.out.off() && robot.plays(),
            // The protocols of the xpuck's and the e-puck1's body have no sound command.
            Processor::Xpuck(_) | Processor::Epuck1(_) => false,
        }
    }

    /// Removes and returns the word that the range and bearing board sends, with the word's reach (m). Returns `None`
    /// if there is no word, or if the robot is off.
    pub(crate) fn take_sent(&mut self) -> Option<(u16, f32)> {
        let sent = self.fitted.take_sent();
        sent.filter(|_| !self.out.off())
    }

    /// Delivers a word that robot `from` sent in step `now`. `towards` is the position of robot `from` in this robot's
    /// frame (m).
    pub(crate) fn hear(&mut self, word: u16, from: u32, towards: Vec2, now: u32) {
        if !self.out.off() {
            self.fitted.hear(word, towards, &mut fitted::hearing(self.seed, self.number, from, now));
        }
    }

    /// Updates the sensor readings in step `now`.
    pub(crate) fn scan(&mut self, around: &Stimuli, now: u32) {
        if self.out.off() {
            return;
        }
        let Stimuli { proximity, brightness, loudness, fitted } = *around;
        let Surroundings { acceleration, .. } = fitted;
        let around = Surroundings { battery: self.power.battery.volts() as f32, ..fitted };
        self.fitted.update(&around, &mut fitted::chance(self.seed, self.number, now));
        let felt = SensorLevels {
            faults: self.sense_faults(),
            ..SensorLevels::new(
                acceleration,
                brightness,
                loudness,
                &mut sensor_levels::chance(self.seed, self.number, now),
            )
        };
        // Step 0 of this random stream provides the initial charge, so the readings use the steps from 1.
        let mut draws = Draws::new(self.seed, 0, self.number, now + 1, Stream::Device);
        let ideal = proximity.map(|p| infrared::reflected(p, &self.curve, &mut draws));
        if !self.out.proximity_stuck {
            self.reflected = match &self.traits.proximity {
                Some(sensors) => sensors.read(ideal, now, self.seed, self.number),
                None => ideal,
            };
        }
        let (reflected, felt, draws) = (self.reflected, &felt, &mut draws);
        match &mut self.processor {
            Processor::Xpuck(dspic) => dspic.scan(reflected, felt, self.power.battery.volts() as f32, draws),
            Processor::Epuck1(robot) => robot.scan(reflected, felt, draws),
            Processor::Epuck2(robot) => robot.scan(reflected, felt, draws),
        }
    }
}

/// Physical quantities at a robot's sensors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stimuli {
    /// Proximity at each sensor: 1 - distance/range, or exactly 0 if nothing is in range.
    pub proximity: [f32; 8],
    /// Quantities for the optional devices. The field for the battery voltage is not set.
    pub fitted: Surroundings,
    /// Brightness at the infra-red sensors, relative to their full scale.
    pub brightness: [f32; 8],
    /// Loudness at the microphones.
    pub loudness: [Loudness; MAX_MICROPHONES],
}

/// Creates the camera sensor for a kind of robot, in its state after power-up.
fn camera_sensor(kind: BodyKind, faults: &Faults) -> CameraSensor {
    let sensor: &'static Sensor = match kind {
        BodyKind::Xpuck => &PO8030,
        BodyKind::Epuck1 => &PO6030K,
        BodyKind::Epuck2 => &OV7670,
    };
    let mut sensor = CameraSensor::new(sensor);
    if let Some(id) = faults.sensor_id {
        sensor.set_id(id);
    }
    sensor
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
        Robot::new(&Settings { body: kind, faults, ..crate::settings::for_tests(1) }, 0)
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
            assert_eq!(robot.spi_ready() == RELEASED, body);
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
        (1..41).for_each(|now| frozen.step(now, 0.025));
        let mut reply = [0; epuck2::REPORT_BYTES];
        frozen.i2c(0x1f, &command, &mut reply);
        assert_eq!(Report::decode(&reply).unwrap().steps, [0; 2]);
        assert!(frozen.wheels(41)[0] > 0.06);

        let mut garbled = robot(BodyKind::Epuck2, Faults { corrupt_every: 2, nak_every: 5, ..Faults::default() });
        let answers: Vec<bool> =
            (0..4).map(|_| garbled.i2c(0x1f, &command, &mut reply) && Report::decode(&reply).is_ok()).collect();
        assert_eq!(answers, [true, false, true, false]);
        assert!(!garbled.i2c(0x1f, &command, &mut reply));

        let mut stranger = robot(BodyKind::Epuck1, Faults { sensor_id: Some(0x6130), ..Faults::default() });
        assert!(stranger.i2c(0x6e, &[0], &mut speed) && speed == [0x61, 0x30]);
    }
}
