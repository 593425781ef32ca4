//! Model of an e-puck2 on the I2C bus of the robot's board: a slave that accepts packets of 20 bytes, replies with 47
//! bytes and has no watchdog.

use crate::body::infrared::counts;
use crate::body::lamps::Lamps;
use crate::body::motors::{EPUCK2, Motors};
use crate::body::sensor_levels::{SensorLevels, failed};
use xpuck_kernels::random::Draws;
use xpuck_registers::epuck2::{COMMAND_BYTES, Command, REPORT_BYTES, Report, Settings};
use xpuck_registers::infrared::{MAX_COUNTS, other_order};
use xpuck_registers::stepper::StepsPerSecond;

/// Number of scans that a calibration averages. They take 1 s of arena time. The real robot averages 100 scans in 1 s.
const CALIBRATION_SCANS: u32 = 40;
/// Position of the rotary selector for control by the robot's board.
const SELECTOR: u8 = 10;
/// Microphone volume of a quiet room (counts).
const VOLUME: f32 = 200.0;
/// Duration of a melody (arena steps). It is an assumption of 1 s, because no source gives the real durations.
const MELODY_STEPS: u32 = 40;

/// A calibration in progress.
#[derive(Clone, Debug)]
struct Calibration {
    scans: u32,
    sums: [u32; 8],
    /// Most recent command received during the calibration. It is executed after the calibration.
    waiting: Option<Command>,
}

/// An e-puck2 with its state between transactions.
#[derive(Clone, Debug)]
pub struct Epuck2 {
    speeds: [StepsPerSecond; 2],
    motors: Motors,
    reflected: [u16; 8],
    offsets: [u16; 8],
    ambient: [u16; 8],
    microphones: [u16; 4],
    /// Remaining duration of the melody (arena steps); 0 if no melody is playing.
    melody: u32,
    calibration: Option<Calibration>,
    lamps: Lamps,
    reply: [u8; REPORT_BYTES],
}

impl Default for Epuck2 {
    fn default() -> Epuck2 {
        Epuck2 {
            speeds: [StepsPerSecond::ZERO; 2],
            motors: Motors::new(EPUCK2),
            reflected: [0; 8],
            offsets: [0; 8],
            ambient: [MAX_COUNTS; 8],
            microphones: [0; 4],
            melody: 0,
            calibration: None,
            lamps: Lamps { colours: Some(Default::default()), ..Lamps::default() },
            reply: [0; REPORT_BYTES],
        }
    }
}

impl Epuck2 {
    /// Performs one transaction. Any write prepares a new reply, and a valid command is executed. A transaction without
    /// a write repeats the last reply.
    pub fn transfer(&mut self, write: &[u8], read: &mut [u8]) {
        if !write.is_empty() {
            self.reply = self.report().encode();
            let packet: Result<&[u8; COMMAND_BYTES], _> = write.try_into();
            if let Some(command) = packet.ok().and_then(|bytes| Command::decode(bytes).ok()) {
                self.receive(command);
            }
        }
        // After the reply the slave releases the bus, so the master reads ones.
        read.fill(0xff);
        read.iter_mut().zip(self.reply).for_each(|(to, byte)| *to = byte);
    }

    fn report(&self) -> Report {
        let calibrated = |i: usize| self.reflected[i].saturating_sub(self.offsets[i]);
        Report {
            reflected: std::array::from_fn(calibrated),
            ambient: self.ambient,
            microphones: self.microphones,
            selector: SELECTOR,
            button: false,
            steps: self.motors.counters(),
            remote: 0,
        }
    }

    fn receive(&mut self, command: Command) {
        if let Some(calibration) = &mut self.calibration {
            calibration.waiting = Some(command);
            return;
        }
        // The command's LEDs 1, 3, 5 and 7 are bits 0, 2, 4 and 6 of the ring.
        self.lamps.ring = command.leds.iter().enumerate().fold(0, |ring, (i, lit)| ring | u8::from(*lit) << (2 * i));
        self.lamps.colours = Some(command.colours);
        if (1..=3).contains(&command.sound) {
            self.melody = MELODY_STEPS;
        }
        if command.settings.has(Settings::CALIBRATE) {
            self.offsets = [0; 8];
            self.calibration = Some(Calibration { scans: 0, sums: [0; 8], waiting: None });
        }
        if command.settings.has(Settings::SET_STEPS) {
            self.motors.set_counters(command.speeds);
        } else {
            self.speeds = command.speeds.map(StepsPerSecond::new);
        }
    }

    /// Returns the ground speeds of the left and right wheel (m/s).
    pub fn wheels(&self) -> [f32; 2] {
        self.motors.wheels(self.speeds)
    }

    /// Returns the state of the lamps and the speaker.
    pub fn lamps(&self) -> Lamps {
        Lamps { plays: self.plays(), ..self.lamps }
    }

    /// Returns whether a melody is playing.
    pub fn plays(&self) -> bool {
        self.melody > 0
    }

    /// Advances time by one arena step. The wheels stop only on command.
    pub fn step(&mut self) {
        self.motors.step(self.speeds);
        self.melody = self.melody.saturating_sub(1);
    }

    /// Updates the sensor readings, and advances a calibration in progress. `reflected` is in counts.
    pub fn scan(&mut self, reflected: [u16; 8], felt: &SensorLevels, draws: &mut Draws) {
        self.reflected = other_order(reflected);
        // The phototransistor pulls the converter's input down, so a larger reading means less light.
        let ambient = felt.light.map(|level| counts(f32::from(MAX_COUNTS) - level, draws));
        let volumes = felt.volumes.map(|volume| counts(volume.hypot(VOLUME), draws));
        self.ambient = other_order(failed(felt.faults[1], ambient, draws));
        self.microphones = failed(felt.faults[2], volumes, draws);
        let Some(calibration) = &mut self.calibration else { return };
        calibration.scans += 1;
        calibration.sums.iter_mut().zip(self.reflected).for_each(|(sum, value)| *sum += u32::from(value));
        if calibration.scans == CALIBRATION_SCANS {
            self.offsets = calibration.sums.map(|sum| (sum / CALIBRATION_SCANS) as u16);
            let waiting = calibration.waiting;
            self.calibration = None;
            if let Some(command) = waiting {
                self.receive(command);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::infrared::reflected;
    use xpuck_kernels::random::Stream;
    use xpuck_registers::infrared::PUBLISHED;

    fn exchange(robot: &mut Epuck2, command: &Command) -> Report {
        let mut bytes = [0; REPORT_BYTES];
        robot.transfer(&command.encode(), &mut bytes);
        Report::decode(&bytes).unwrap()
    }

    fn drive(left: i16, right: i16) -> Command {
        Command { speeds: [left, right], ..Command::default() }
    }

    fn scan(robot: &mut Epuck2, proximity: &[f32; 8], step: u32) {
        let mut draws = Draws::new(1, 0, 0, step, Stream::Device);
        let counts = proximity.map(|p| reflected(p, &PUBLISHED, &mut draws));
        robot.scan(counts, &SensorLevels::default(), &mut draws);
    }

    #[test]
    fn wheels_keep_the_last_speed_for_ever() {
        let mut robot = Epuck2::default();
        exchange(&mut robot, &drive(500, -500));
        (0..400).for_each(|_| robot.step());
        let told = exchange(&mut robot, &drive(0, 0));
        assert_eq!((told.steps, told.selector), ([5000, (-5000i16) as u16], 10));
        assert_eq!(robot.wheels(), [0.0; 2]);
    }

    #[test]
    fn corrupt_command_is_answered_and_ignored() {
        let mut robot = Epuck2::default();
        exchange(&mut robot, &drive(300, 300));
        let mut bytes = drive(900, 900).encode();
        bytes[1] ^= 1;
        let mut reply = [0; REPORT_BYTES + 1];
        robot.transfer(&bytes, &mut reply);
        assert!(Report::decode(&reply[..REPORT_BYTES].try_into().unwrap()).is_ok());
        assert_eq!(reply[REPORT_BYTES], 0xff, "there is no more to read");
        robot.transfer(&bytes[..7], &mut []);
        assert!((robot.wheels()[0] - 300.0 * 0.1288e-3).abs() < 1e-3);
    }

    #[test]
    fn read_without_command_repeats_last_report() {
        let mut robot = Epuck2::default();
        exchange(&mut robot, &drive(400, 400));
        (0..40).for_each(|_| robot.step());
        let mut stale = [0; REPORT_BYTES];
        robot.transfer(&[], &mut stale);
        assert_eq!(Report::decode(&stale).unwrap().steps, [0, 0]);
        assert_eq!(exchange(&mut robot, &drive(400, 400)).steps, [400, 400]);
    }

    #[test]
    fn counters_are_set_on_request() {
        let mut robot = Epuck2::default();
        exchange(&mut robot, &Command { settings: Settings::SET_STEPS, ..drive(-7, 70) });
        assert_eq!(robot.wheels(), [0.0; 2]);
        assert_eq!(exchange(&mut robot, &drive(0, 0)).steps, [(-7i16) as u16, 70]);
    }

    #[test]
    fn calibration_subtracts_average_and_delays_last_command() {
        let mut robot = Epuck2::default();
        let mut proximity = [0.0; 8];
        proximity[0] = 1.0 - 0.020 / 0.030;
        exchange(&mut robot, &Command { settings: Settings::CALIBRATE, ..drive(0, 0) });
        for step in 0..39 {
            scan(&mut robot, &proximity, step);
            exchange(&mut robot, &drive(300, 300));
            assert_eq!(robot.wheels(), [0.0; 2]);
        }
        let before = exchange(&mut robot, &drive(300, 300)).reflected;
        assert!(before[7].abs_diff(481) < 12, "left of the front is the e-puck's sensor 7: {before:?}");
        scan(&mut robot, &proximity, 40);
        assert!(robot.wheels()[0] > 0.03);
        assert!(exchange(&mut robot, &drive(0, 0)).reflected[7] < 12);
    }
}
