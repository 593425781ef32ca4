//! Driver of the e-puck's microcontroller, a dsPIC, over SPI. The driver numbers commands, validates reports and counts
//! errors.

use super::body::{Body, BodyReadings, Counts, Drive};
use super::shim::{ShimLink, ShimReport};
use super::{DeviceError, SpiBus};
use std::time::Duration;
use xpuck_registers::accelerometer::RawAcceleration;
use xpuck_registers::light::RawLight;
use xpuck_registers::microphone::RawSound;
use xpuck_registers::shim::ROW_UNIT;
use xpuck_registers::spi::{Actions, Command, DUMMY, PERIOD_MS, Report, Status};

/// Interval between messages (thesis 5.2.1).
const PERIOD: Duration = Duration::from_millis(PERIOD_MS as u64);
/// Actions of a command that requests all readings of the dsPIC.
const READ: Actions =
    Actions::READ_IR.and(Actions::READ_LIGHT).and(Actions::READ_MICROPHONES).and(Actions::READ_ACCELERATION);

/// Counters of messages and errors since the bus was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpiCounts {
    /// Number of exchanges, including failed exchanges.
    pub exchanges: u64,
    /// Number of exchanges that failed on the bus.
    pub bus_errors: u64,
    /// Number of reports with a wrong checksum.
    pub corrupt_reports: u64,
    /// Count of rejected commands in the last report of the dsPIC. The count includes commands that were sent before
    /// the bus was opened.
    pub rejected_commands: u16,
    /// Number of reports that did not echo the previous command, because that command was lost or rejected.
    pub unechoed_commands: u64,
}

/// Driver of the dsPIC.
#[derive(Debug)]
pub struct Epuck<B> {
    bus: B,
    sequence: u16,
    /// Sequence number of the last transmitted command, which the next report should echo; `None` if the last exchange
    /// failed.
    carried: Option<u16>,
    counts: SpiCounts,
    shim: ShimLink,
}

impl<B: SpiBus> Epuck<B> {
    /// Creates a driver on this bus that does not configure the shim's logic.
    pub fn new(bus: B) -> Epuck<B> {
        Epuck { bus, sequence: 0, carried: None, counts: SpiCounts::default(), shim: ShimLink::new(None) }
    }

    /// Creates a driver that also sets the length of the camera's rows in the shim's logic, if there is a shim. `bytes`
    /// is a multiple of 16 up to 4080; other lengths are not set.
    pub fn with_rows(bus: B, bytes: usize) -> Epuck<B> {
        let units = u8::try_from(bytes / ROW_UNIT).ok().filter(|_| bytes.is_multiple_of(ROW_UNIT));
        Epuck { shim: ShimLink::new(units), ..Epuck::new(bus) }
    }

    /// Sends a command with the driver's next sequence number, and returns the report received at the same time. The
    /// dsPIC made this report before the command arrived. The next report contains the reply to the command.
    pub fn exchange(&mut self, command: &Command) -> Result<Report, DeviceError> {
        self.sequence = self.sequence.wrapping_add(1);
        let sequence = self.sequence;
        self.counts.exchanges += 1;
        let expected = self.carried.take();
        let mut words = Command { sequence, ..*command }.encode();
        words[DUMMY] = self.shim.next_word();
        let words = self.bus.transfer(&words).inspect_err(|_| {
            self.counts.bus_errors += 1;
        })?;
        self.carried = Some(sequence);
        let report = Report::decode(&words).map_err(|source| {
            self.counts.corrupt_reports += 1;
            DeviceError::Report { sequence, source }
        })?;
        self.counts.rejected_commands = report.rejected;
        self.shim.on_answer(words[DUMMY]);
        if expected.is_some_and(|expected| expected != report.echo) {
            self.counts.unechoed_commands += 1;
        }
        Ok(report)
    }

    /// Returns the last report of the shim's logic; `None` without a shim.
    pub fn shim(&self) -> Option<ShimReport> {
        self.shim.report()
    }

    /// Returns the counters of messages and errors so far.
    pub fn counts(&self) -> SpiCounts {
        self.counts
    }
}

impl<B: SpiBus> Body for Epuck<B> {
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
        let actions = READ.and(Actions::SET_MOTOR);
        let Drive { speeds, lamps } = *drive;
        // The e-puck's own LEDs keep their state unless the command sets them.
        let (actions, leds) = match lamps.leds {
            Some(leds) => (actions.and(Actions::SET_LED), leds.to_firmware_word()),
            None => (actions, 0),
        };
        let command = Command { actions, speeds, leds, pixels: lamps.pixels, ..Command::default() };
        let report = Epuck::exchange(self, &command)?;
        Ok(BodyReadings {
            reflected: report.reflected,
            light: Some(RawLight(report.ambient)),
            steps: report.steps,
            acceleration: Some(RawAcceleration(report.acceleration)),
            sound: Some(RawSound::Samples(report.microphones)),
            selector: None,
            battery_mv: (report.battery > 0).then_some(report.battery),
            timed_out: report.status.has(Status::MOTORS_TIMED_OUT),
        })
    }

    fn period(&self) -> Duration {
        PERIOD
    }

    fn counts(&self) -> Counts {
        let SpiCounts { exchanges, bus_errors, corrupt_reports, unechoed_commands, .. } = self.counts;
        Counts { exchanges, bus_errors, retries: 0, corrupt: corrupt_reports, rejected: unechoed_commands }
    }

    fn shim(&self) -> Option<ShimReport> {
        self.shim.report()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;
    use xpuck_registers::spi::{Words, shifted_buffer};
    use xpuck_registers::stepper::StepsPerSecond;

    /// Simulated dsPIC. It reads words one position late, and answers with a report that was prepared before the
    /// exchange. If `disturb_command` or `disturb_report` is set, one bit of each command or report is inverted.
    #[derive(Default)]
    struct Bench {
        last: u16,
        report: Report,
        received: Vec<Command>,
        disturb_command: bool,
        disturb_report: bool,
        broken: bool,
    }

    impl SpiBus for &mut Bench {
        fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError> {
            if self.broken {
                return Err(DeviceError::Transfer { path: "bench".into(), source: ErrorKind::Other.into() });
            }
            let (mut sent, mut reply) = (*words, self.report.encode());
            if self.disturb_command {
                sent[2] ^= 0x0400;
            }
            if self.disturb_report {
                reply[3] ^= 1;
            }
            let buffer = shifted_buffer(self.last, &sent);
            self.last = sent[31];
            self.report.sequence += 1;
            match Command::decode_shifted(&buffer) {
                Ok(command) => {
                    self.report.echo = command.sequence;
                    self.report.status = Status::default();
                    self.received.push(command);
                }
                Err(_) => {
                    self.report.rejected += 1;
                    self.report.status = Status::LAST_COMMAND_BAD;
                }
            }
            Ok(reply)
        }
    }

    fn forward() -> Command {
        let speeds = [StepsPerSecond::new(714); 2];
        Command { actions: Actions::SET_MOTOR, speeds, ..Command::default() }
    }

    #[test]
    fn commands_arrive_numbered_and_are_echoed_one_message_later() {
        let mut bench = Bench::default();
        let mut epuck = Epuck::new(&mut bench);
        let echoes: Vec<u16> = (0..4).map(|_| epuck.exchange(&forward()).unwrap().echo).collect();
        assert_eq!(echoes, [0, 1, 2, 3]);
        assert_eq!(epuck.counts(), SpiCounts { exchanges: 4, ..SpiCounts::default() });
        let numbers: Vec<u16> = bench.received.iter().map(|c| c.sequence).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        assert_eq!(bench.received[0].speeds, forward().speeds);
    }

    #[test]
    fn lost_command_shows_in_next_report() {
        let mut bench = Bench::default();
        Epuck::new(&mut bench).exchange(&forward()).unwrap();
        bench.disturb_command = true;
        let mut epuck = Epuck::new(&mut bench);
        epuck.exchange(&forward()).unwrap();
        let report = epuck.exchange(&forward()).unwrap();
        assert!(report.status.has(Status::LAST_COMMAND_BAD));
        assert_eq!((epuck.counts().rejected_commands, epuck.counts().corrupt_reports), (1, 0));
        assert_eq!(bench.received.len(), 1);
    }

    #[test]
    fn unanswered_command_is_counted() {
        let mut bench = Bench { disturb_command: true, ..Bench::default() };
        let mut epuck = Epuck::new(&mut bench);
        (0..3).for_each(|_| assert!(epuck.exchange(&forward()).is_ok()));
        assert_eq!(epuck.counts().unechoed_commands, 2, "the first report has nothing to echo");
    }

    #[test]
    fn corrupt_report_error_names_command_and_word() {
        let mut bench = Bench { disturb_report: true, ..Bench::default() };
        let mut epuck = Epuck::new(&mut bench);
        let error = epuck.exchange(&forward()).unwrap_err().to_string();
        assert!(error.contains("command 1") && error.contains("word 30"), "{error}");
        assert_eq!(epuck.counts(), SpiCounts { exchanges: 1, corrupt_reports: 1, ..SpiCounts::default() });
    }

    #[test]
    fn errors_of_the_bus_are_passed_on_and_counted() {
        let mut bench = Bench { broken: true, ..Bench::default() };
        let mut epuck = Epuck::new(&mut bench);
        assert!(matches!(epuck.exchange(&forward()), Err(DeviceError::Transfer { .. })));
        assert_eq!(epuck.counts().bus_errors, 1);
    }
}
