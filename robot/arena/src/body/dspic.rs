//! Model of the dsPIC, the e-puck's microcontroller, as the SPI master observes it. The dsPIC is a slave that reads
//! commands one word late, drives two stepper motors and scans the sensors. It stops the wheels if no command arrives.

use crate::body::infrared::counts;
use crate::body::lamps::Lamps;
use crate::body::motors::{Motors, Timing};
use crate::body::sensor_levels::{SensorLevels, failed};
use xpuck_kernels::model::DT;
use xpuck_kernels::random::Draws;
use xpuck_registers::infrared::RawInfrared;
use xpuck_registers::spi::{
    Actions, COMMAND_TIMEOUT_MS, Command, PIXELS, Pixel, Report, Status, WORDS, Words, shifted_buffer,
};
use xpuck_registers::stepper::StepsPerSecond;

/// Duration of an arena step (ms).
const STEP_MS: u32 = (DT * 1000.0 + 0.5) as u32;
/// Number of arena steps without a valid command after which the wheels stop (0.2 s).
pub const COMMAND_TIMEOUT_STEPS: u32 = COMMAND_TIMEOUT_MS / STEP_MS;

/// The dsPIC with its state between messages.
#[derive(Clone, Debug)]
pub struct Dspic {
    speeds: [StepsPerSecond; 2],
    lamps: Lamps,
    motors: Motors,
    silent_steps: u32,
    previous_last: u16,
    report: Report,
    pixels: [Pixel; PIXELS],
}

impl Default for Dspic {
    fn default() -> Dspic {
        Dspic {
            speeds: [StepsPerSecond::ZERO; 2],
            lamps: Lamps { pixels: Some(Default::default()), ..Lamps::default() },
            motors: Motors::new(Timing::Exact),
            silent_steps: COMMAND_TIMEOUT_STEPS,
            previous_last: 0,
            report: Report { status: Status::MOTORS_TIMED_OUT, ..Report::default() },
            pixels: [Pixel::default(); PIXELS],
        }
    }
}

impl Dspic {
    /// Returns the reply that is loaded for the next message.
    pub fn ready(&self) -> Words {
        self.report.encode()
    }

    /// Exchanges one message. The reply was loaded before the first clock, so it does not depend on `words`.
    pub fn exchange(&mut self, words: &Words) -> Words {
        self.select(words)
    }

    /// Processes the words that are clocked during one slave select, and returns the reply. Words after the 32nd are
    /// ignored. A message that ends before its CRC is rejected.
    pub fn select(&mut self, words: &[u16]) -> Words {
        let reply = self.ready();
        if words.is_empty() {
            return reply;
        }
        self.report.sequence = self.report.sequence.wrapping_add(1);
        let clocked = words.len().min(WORDS);
        let mut message = [0; WORDS];
        message[..clocked].copy_from_slice(&words[..clocked]);
        let buffer = shifted_buffer(self.previous_last, &message);
        if clocked == WORDS {
            self.previous_last = message[WORDS - 1];
        }
        // The receive buffer ends with word 30 of this message. Word 31 is read with the next message.
        match Command::decode_shifted(&buffer) {
            Ok(command) if clocked >= WORDS - 1 => self.obey(&command),
            _ => {
                self.report.rejected = self.report.rejected.wrapping_add(1);
                self.report.status.0 |= Status::LAST_COMMAND_BAD.0;
            }
        }
        reply
    }

    fn obey(&mut self, command: &Command) {
        self.silent_steps = 0;
        self.report.status = Status::default();
        self.report.echo = command.sequence;
        self.pixels = command.pixels;
        if command.actions.has(Actions::RESET) {
            *self = Dspic { previous_last: self.previous_last, ..Dspic::default() };
            return;
        }
        if command.actions.has(Actions::SET_MOTOR) {
            self.speeds = command.speeds;
        }
        if command.actions.has(Actions::SET_LED) {
            let bit = |bit: u32| command.leds & 1 << bit != 0;
            (self.lamps.ring, self.lamps.body, self.lamps.front) = (command.leds as u8, bit(8), bit(9));
        }
        // Logic between the SPI master and the dsPIC copies the pixels of every valid message.
        self.lamps.pixels = Some(command.pixels);
    }

    /// Returns the state of the lamps.
    pub fn lamps(&self) -> Lamps {
        self.lamps
    }

    /// Returns the colours of the Neopixels. They change with every valid message.
    pub fn pixels(&self) -> &[Pixel; PIXELS] {
        &self.pixels
    }

    /// Returns the ground speeds of the left and right wheel (m/s).
    pub fn wheels(&self) -> [f32; 2] {
        self.motors.wheels(self.speeds)
    }

    /// Advances time by one arena step. Counts motor steps, and stops the motors after 0.2 s without a valid command.
    pub fn step(&mut self) {
        self.motors.step(self.speeds);
        self.report.steps = self.motors.counters();
        self.silent_steps = (self.silent_steps + 1).min(COMMAND_TIMEOUT_STEPS);
        if self.silent_steps == COMMAND_TIMEOUT_STEPS {
            self.speeds = [StepsPerSecond::ZERO; 2];
            self.report.status.0 |= Status::MOTORS_TIMED_OUT.0;
        }
    }

    /// Updates the sensor readings. `reflected` contains the proximity readings (counts), and `battery` is the battery
    /// voltage (V).
    pub fn scan(&mut self, reflected: [u16; 8], felt: &SensorLevels, battery: f32, draws: &mut Draws) {
        self.report.reflected = reflected.map(RawInfrared);
        let [accelerometer, light, microphones] = felt.faults;
        let acceleration = felt.acceleration.map(|level| counts(level, draws));
        let [right, left, back, _] = felt.samples;
        let samples = [right, left, back].map(|level| counts(level, draws));
        let ambient = felt.light.map(|level| counts(level, draws));
        self.report.acceleration = failed(accelerometer, acceleration, draws);
        self.report.microphones = failed(microphones, samples, draws);
        self.report.ambient = failed(light, ambient, draws);
        self.report.battery = (battery * 1000.0).round() as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::infrared::reflected;
    use xpuck_kernels::random::Stream;
    use xpuck_registers::infrared::PUBLISHED;

    fn drive(sequence: u16, steps: i16) -> Words {
        let speeds = [StepsPerSecond::new(steps); 2];
        Command { actions: Actions::SET_MOTOR, speeds, sequence, ..Command::default() }.encode()
    }

    fn report(dspic: &mut Dspic) -> Report {
        Report::decode(&dspic.exchange(&[0; 32])).unwrap()
    }

    #[test]
    fn command_is_echoed_in_next_message() {
        let mut dspic = Dspic::default();
        let first = Report::decode(&dspic.exchange(&drive(7, 500))).unwrap();
        assert!(first.status.has(Status::MOTORS_TIMED_OUT) && first.echo == 0);
        assert!((dspic.wheels()[0] - 0.0644).abs() < 1e-4);
        let second = Report::decode(&dspic.exchange(&drive(8, 500))).unwrap();
        assert_eq!((second.echo, second.status, second.sequence), (7, Status::default(), 1));
    }

    #[test]
    fn corrupt_command_is_counted_and_ignored() {
        let mut dspic = Dspic::default();
        dspic.exchange(&drive(1, 300));
        let mut bad = drive(2, 900);
        bad[1] ^= 1;
        dspic.exchange(&bad);
        assert!((dspic.wheels()[0] - 300.0 * 0.1288e-3).abs() < 1e-5);
        let told = Report::decode(&dspic.exchange(&drive(3, 300))).unwrap();
        assert_eq!((told.rejected, told.echo), (1, 1));
        assert!(told.status.has(Status::LAST_COMMAND_BAD));
        assert_eq!(Report::decode(&dspic.exchange(&drive(4, 300))).unwrap().status, Status::default());
    }

    #[test]
    fn truncated_message_is_counted_and_discarded() {
        let mut dspic = Dspic::default();
        dspic.exchange(&drive(1, 300));
        dspic.select(&drive(2, 900)[..30]);
        assert!((dspic.wheels()[0] - 300.0 * 0.1288e-3).abs() < 1e-5);
        dspic.select(&[]);
        let told = Report::decode(&dspic.exchange(&drive(3, 400))).unwrap();
        assert_eq!((told.rejected, told.echo, told.sequence), (1, 1, 2));
        dspic.select(&drive(4, 500)[..31]);
        assert_eq!(report(&mut dspic).echo, 4, "only the dummy is missing");
    }

    #[test]
    fn idle_line_is_answered_without_driving() {
        let mut dspic = Dspic::default();
        dspic.exchange(&[0xffff; 32]);
        let told = report(&mut dspic);
        assert_eq!((told.rejected, told.echo, dspic.wheels()), (1, 0, [0.0; 2]));
        assert!(told.status.has(Status::LAST_COMMAND_BAD) && told.status.has(Status::MOTORS_TIMED_OUT));
    }

    #[test]
    fn wheels_stop_after_a_fifth_of_a_second_of_silence() {
        let mut dspic = Dspic::default();
        dspic.exchange(&drive(1, 400));
        (0..7).for_each(|_| dspic.step());
        assert_ne!(dspic.wheels(), [0.0; 2]);
        dspic.step();
        assert_eq!(dspic.wheels(), [0.0; 2]);
        let told = report(&mut dspic);
        assert!(told.status.has(Status::MOTORS_TIMED_OUT));
        assert_eq!(told.steps, [80, 80], "0.2 s at 400 steps/s");
        dspic.exchange(&[0xffff; 32]);
        assert_eq!(dspic.wheels(), [0.0; 2], "noise on the line starts nothing");
    }

    #[test]
    fn steps_are_counted_without_loss_and_wrap() {
        let mut dspic = Dspic::default();
        for i in 0..4000 {
            dspic.exchange(&drive(i, -777));
            dspic.step();
        }
        assert_eq!(report(&mut dspic).steps[0], (-77_700i32) as u16, "100 s at -777 steps/s");
    }

    #[test]
    fn infra_red_follows_the_curve_with_little_noise() {
        let mut dspic = Dspic::default();
        let mut proximity = [0.0; 8];
        proximity[0] = 1.0 - 0.010 / 0.030;
        proximity[7] = 1.0;
        let mut readings = Vec::new();
        for step in 0..200 {
            let mut draws = Draws::new(1, 0, 0, step, Stream::Device);
            let counts = proximity.map(|p| reflected(p, &PUBLISHED, &mut draws));
            dspic.scan(counts, &SensorLevels::default(), 3.7, &mut draws);
            readings.push(report(&mut dspic));
        }
        let mean = |i: usize| readings.iter().map(|r| f64::from(r.reflected[i].0)).sum::<f64>() / 200.0;
        assert!((mean(0) - 2181.0).abs() < 1.0 && (mean(7) - 3640.0).abs() < 1.0, "{} {}", mean(0), mean(7));
        assert!(mean(3) < 3.0, "nothing in range reads nothing");
        assert!(readings.iter().any(|r| r.reflected[0] != readings[0].reflected[0]), "readings are noisy");
        assert!(readings.iter().all(|r| r.reflected[0].0.abs_diff(2181) < 12 && r.battery == 3700));
    }
}
