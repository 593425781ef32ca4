use super::*;
use crate::device::lamps::Lamps;
use xpuck_registers::spi::Pixel;
use xpuck_registers::stepper::StepsPerSecond;

/// Registers of a simulated e-puck1, and faults of its bus.
#[derive(Default)]
struct Bench {
    registers: [u16; 23],
    transactions: Vec<Vec<u8>>,
    /// Interval between transactions that are not acknowledged (number of transactions); 0 if all are acknowledged.
    nak_every: usize,
    /// Number of reads of register 9 that will be corrupted.
    garbled: u32,
    /// Number of writes to the left speed register that will be lost.
    lost: u32,
}

impl I2cBus for &mut Bench {
    fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError> {
        self.transactions.push(write.to_vec());
        let n = self.transactions.len();
        if address != ADDRESS || self.nak_every > 0 && n.is_multiple_of(self.nak_every) {
            return Err(DeviceError::Nak { path: "bench".into(), address });
        }
        let pointer = usize::from(write[0]);
        if let [_, low, high] = write {
            if pointer == 2 && self.lost > 0 {
                self.lost -= 1;
            } else {
                self.registers[pointer] = u16::from_le_bytes([*low, *high]);
            }
        }
        if let [low, high] = read {
            [*low, *high] = self.registers[pointer].to_le_bytes();
            if pointer == 9 && self.garbled > 0 {
                self.garbled -= 1;
                *high ^= 0x80;
            }
        }
        Ok(())
    }
}

fn forward() -> Drive {
    Drive { speeds: [300, -300].map(StepsPerSecond::new), lamps: Lamps::all(Pixel { red: 0, green: 16, blue: 0 }) }
}

fn bench() -> Bench {
    let mut bench = Bench::default();
    for (i, register) in bench.registers.iter_mut().enumerate().skip(4) {
        *register = 100 * i as u16;
    }
    bench.registers[6] = 0;
    bench
}

#[test]
fn speeds_go_first_and_readings_come_in_the_order_of_table_6_1() {
    let mut bench = bench();
    let mut epuck = Epuck1::new(&mut bench);
    let told = epuck.exchange(&forward()).unwrap();
    assert_eq!(told.reflected.map(|r| r.0), [1400, 1300, 1200, 1100, 1000, 900, 800, 700]);
    assert_eq!(told.steps, [400, 500]);
    assert_eq!(told.light, None, "one sensor an exchange");
    (0..14).for_each(|_| assert!(epuck.exchange(&forward()).unwrap().light.is_none()));
    assert!(epuck.exchange(&forward()).unwrap().light.is_some());
    let told = epuck.exchange(&forward()).unwrap();
    let light = RawLight([2200, 2100, 2000, 1900, 1800, 1700, 1600, 1500]);
    assert_eq!(told.light, Some(light), "the front right is last in Table 6.1");
    assert_eq!(epuck.counts(), Counts { exchanges: 17, ..Counts::default() });
    assert_eq!(bench.transactions[..2], [vec![2, 0x2c, 1], vec![3, 0xd4, 0xfe]]);
    assert_eq!((bench.registers[0], bench.registers[1], bench.registers[6]), (0, 2, 1));
}

#[test]
fn sensors_and_lamps_come_back_after_a_reset() {
    let mut bench = bench();
    let mut epuck = Epuck1::new(&mut bench);
    epuck.exchange(&forward()).unwrap();
    assert_eq!(epuck.resets(), 0);
    epuck.bus.registers[..7].fill(0);
    epuck.exchange(&forward()).unwrap();
    assert_eq!(epuck.resets(), 1);
    assert_eq!((bench.registers[1], bench.registers[6]), (2, 1));
}

#[test]
fn transfers_are_repeated_three_times_at_most() {
    let mut bench = Bench { nak_every: 5, ..bench() };
    let mut epuck = Epuck1::new(&mut bench);
    epuck.exchange(&forward()).unwrap();
    assert!(epuck.counts().retries > 0 && epuck.counts().bus_errors == 0, "{:?}", epuck.counts());
    epuck.bus.nak_every = 1;
    let before = epuck.counts().retries;
    let error = epuck.exchange(&forward()).unwrap_err().to_string();
    assert_eq!(error, "I2C address 0x1f on bench does not acknowledge");
    assert_eq!((epuck.counts().retries - before, epuck.counts().bus_errors), (2, 1));
}

#[test]
fn garbled_reading_is_retried_and_impossible_one_rejected() {
    let mut bench = Bench { garbled: 2, ..bench() };
    let mut epuck = Epuck1::new(&mut bench);
    assert_eq!(epuck.exchange(&forward()).unwrap().reflected[5].0, 900);
    assert_eq!((epuck.counts().corrupt, epuck.counts().retries), (2, 2));
    epuck.bus.garbled = 3;
    let error = epuck.exchange(&forward()).unwrap_err().to_string();
    assert_eq!(error, "I2C address 0x1f reports 33668 as reflected 2; at most 4095 is possible");
    assert_eq!((epuck.counts().corrupt, epuck.counts().bus_errors), (5, 0));
}

#[test]
fn lost_speed_write_is_retried() {
    let mut bench = Bench { lost: 2, ..bench() };
    let mut epuck = Epuck1::new(&mut bench);
    epuck.exchange(&forward()).unwrap();
    assert_eq!((epuck.bus.registers[2], epuck.counts().rejected), (300, 2));
    epuck.bus.lost = 10;
    epuck.bus.registers[2] = 1000;
    epuck.exchange(&forward()).unwrap();
    let error = epuck.exchange(&forward()).unwrap_err().to_string();
    assert!(error.contains("register 2") && error.contains("0x012c was written"), "{error}");
}
