use super::*;
use crate::device::lamps::{DARK, Lamps, Leds};
use xpuck_registers::spi::PIXELS;

/// Simulated e-puck2 that answers each command with `report`. The bus can fail.
#[derive(Default)]
struct Bench {
    report: Report,
    received: Vec<Command>,
    nak_every: usize,
    /// Number of answers that will be corrupted.
    garbled: u32,
    transactions: usize,
}

impl I2cBus for &mut Bench {
    fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError> {
        self.transactions += 1;
        if self.nak_every > 0 && self.transactions.is_multiple_of(self.nak_every) {
            return Err(DeviceError::Nak { path: "bench".into(), address });
        }
        self.received.push(Command::decode(write.try_into().unwrap()).unwrap());
        read.copy_from_slice(&self.report.encode());
        if self.garbled > 0 {
            self.garbled -= 1;
            read[20] ^= 4;
        }
        Ok(())
    }
}

fn forward() -> Drive {
    Drive { speeds: [300, -300].map(StepsPerSecond::new), lamps: Lamps::all(Pixel { red: 0, green: 16, blue: 255 }) }
}

fn bench() -> Bench {
    let reflected = [700, 800, 900, 1000, 1100, 1200, 1300, 1400];
    Bench {
        report: Report {
            reflected,
            ambient: [95; 8],
            steps: [7, 65_535],
            microphones: [9, 8, 7, 6],
            selector: 10,
            button: true,
            ..Report::default()
        },
        ..Bench::default()
    }
}

#[test]
fn exchange_sends_drive_and_returns_senses() {
    let mut bench = bench();
    let mut epuck = Epuck2::new(&mut bench);
    let told = epuck.exchange(&forward()).unwrap();
    assert_eq!(told.reflected.map(|r| r.0), [1400, 1300, 1200, 1100, 1000, 900, 800, 700]);
    assert_eq!((told.light, told.steps), (Some(RawLight([4000; 8])), [7, 65_535]), "larger is brighter");
    assert_eq!((told.sound, told.selector), (Some(RawSound::Volumes([9, 8, 7, 6])), Some((10, true))));
    assert_eq!(epuck.counts(), Counts { exchanges: 1, ..Counts::default() });
    assert_eq!(epuck.period(), Duration::from_millis(50));
    let colour = Pixel { red: 0, green: 7, blue: 100 };
    let expected = Command { speeds: [300, -300], colours: [colour; 4], ..Command::default() };
    assert_eq!(bench.received, [expected]);
}

#[test]
fn garbled_report_is_tried_at_most_three_times() {
    let mut bench = Bench { garbled: 2, ..bench() };
    let mut epuck = Epuck2::new(&mut bench);
    epuck.exchange(&forward()).unwrap();
    assert_eq!(epuck.counts(), Counts { exchanges: 1, retries: 2, corrupt: 2, ..Counts::default() });
    epuck.bus.garbled = 3;
    let error = epuck.exchange(&forward()).unwrap_err().to_string();
    assert!(error.contains("0x1f") && error.contains("last byte"), "{error}");
    assert_eq!((epuck.counts().corrupt, epuck.counts().bus_errors), (5, 0));
}

#[test]
fn missing_robot_is_reported_by_address() {
    let mut bench = Bench { nak_every: 1, ..bench() };
    let mut epuck = Epuck2::new(&mut bench);
    let error = epuck.exchange(&forward()).unwrap_err().to_string();
    assert_eq!(error, "I2C address 0x1f on bench does not acknowledge");
    assert_eq!(epuck.counts(), Counts { exchanges: 1, bus_errors: 1, retries: 2, ..Counts::default() });
}

#[test]
fn impossible_readings_with_a_right_checksum_are_refused() {
    let mut bench = bench();
    bench.report.ambient = [0xffff; 8];
    let mut epuck = Epuck2::new(&mut bench);
    let error = epuck.exchange(&forward()).unwrap_err().to_string();
    assert_eq!(error, "I2C address 0x1f reports 65535 as ambient 0; at most 4095 is possible");
    assert_eq!(epuck.counts().corrupt, 3);
    epuck.bus.report = Report::default();
    let error = epuck.exchange(&forward()).unwrap_err().to_string();
    assert_eq!(error, "I2C address 0x1f answered with a packet of zeros only");
}

#[test]
fn calibration_stops_the_wheels() {
    let mut bench = bench();
    Epuck2::new(&mut bench).calibrate().unwrap();
    assert_eq!(bench.received, [Command { settings: Settings::CALIBRATE, ..Command::default() }]);
}

#[test]
fn leds_show_the_pixels_beside_them_and_a_melody_is_played_once() {
    let mut bench = bench();
    let mut epuck = Epuck2::new(&mut bench);
    // The pixel 96 degrees to the right of straight ahead is red. The pixel 48 degrees to the left is green.
    let mut lamps = Lamps { pixels: [DARK; PIXELS], ..Lamps::default() };
    (lamps.pixels[11], lamps.pixels[2]) = (Pixel { red: 255, ..DARK }, Pixel { green: 255, ..DARK });
    let silent = Drive { lamps, ..Drive::default() };
    epuck.exchange(&silent).unwrap();
    lamps.sound = Sound { melody: 2, number: 1 };
    let drive = Drive { lamps, ..Drive::default() };
    (0..3).for_each(|_| drop(epuck.exchange(&drive)));
    let again = Drive { lamps: Lamps { sound: Sound { melody: 3, number: 2 }, ..lamps }, ..drive };
    epuck.exchange(&again).unwrap();
    let leds = Leds { ring: 0b0000_0001, ..Leds::default() };
    epuck.exchange(&Drive { lamps: Lamps { leds: Some(leds), ..again.lamps }, ..drive }).unwrap();
    let received = &bench.received;
    assert_eq!(received.iter().map(|command| command.sound).collect::<Vec<_>>(), [0, 2, 0, 0, 3, 0]);
    assert_eq!((received[0].leds, received[5].leds), ([false, true, false, false], [true, false, false, false]));
    assert_eq!(received[0].colours, [DARK, DARK, DARK, Pixel { green: 100, ..DARK }]);
}
