//! Test of the hub's estimate of a robot's remaining minutes. The estimate uses the readings of the robot's battery
//! monitor, and is compared with the simulated discharge.

use std::fmt::Write;
use xpuck_arena::power::Power;
use xpuck_arena::unkind::{RobotKeys, SupplyKeys};
use xpuck_arena::{Arena, STEP_SECONDS, Settings, Unkind};
use xpuck_hub_core::battery::Battery;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::ina231::{self, BATTERY_ADDRESS, Register};
use xpuck_registers::spi::{Actions, Command};
use xpuck_registers::stepper::StepsPerSecond;

/// Voltage below which the board is off (V).
const LOCKOUT: f64 = 2.3;

/// Load profile of a robot during a discharge.
#[derive(Clone, Copy, Debug, PartialEq)]
enum LoadProfile {
    /// Drives with all devices on.
    Drives,
    /// Evolves at full load.
    Evolves,
    /// Alternates four minutes of evolution and one minute of standing still, like the phases and rests of an
    /// experiment.
    Phases,
    /// Evolves for fifteen minutes, stands still for one minute, and repeats. The estimator does not treat such a short
    /// pause as a change of load.
    Runs,
    /// Stands still.
    Stands,
    /// Stands still for half an hour, then evolves.
    Begins,
}

const COURSES: [LoadProfile; 6] = [
    LoadProfile::Drives,
    LoadProfile::Evolves,
    LoadProfile::Phases,
    LoadProfile::Runs,
    LoadProfile::Stands,
    LoadProfile::Begins,
];

impl LoadProfile {
    /// Returns the power after `seconds` (W), and whether the robot is in a run. `noise` (-1..1) varies the power.
    fn at(self, seconds: f64, noise: f64) -> (f64, bool) {
        let (stands, evolves) = (2.2 + 0.07 * noise, 6.6 + 0.3 * noise);
        let minutes = seconds / 60.0;
        let begun = minutes >= if self == LoadProfile::Begins { 30.0 } else { 1.0 };
        let rests = match self {
            LoadProfile::Stands => true,
            LoadProfile::Phases => minutes % 5.0 >= 4.0,
            LoadProfile::Runs => minutes % 16.0 >= 15.0,
            _ => false,
        };
        let watts = match self {
            _ if !begun || rests => stands,
            LoadProfile::Drives => 3.3 + 0.07 * noise,
            _ => evolves,
        };
        (watts, begun && self != LoadProfile::Stands)
    }
}

/// Reads voltage and power from the battery's monitor (V, W), rounded to the resolution of telemetry. Returns `None`
/// if a transfer fails.
fn shows(transfer: &mut impl FnMut(u8, &[u8], &mut [u8]) -> bool) -> Option<(f32, f32)> {
    let mut register = |register: Register| {
        let mut bytes = [0; 2];
        transfer(BATTERY_ADDRESS, &[register as u8], &mut bytes).then(|| u16::from_be_bytes(bytes))
    };
    let volts = ina231::volts(register(Register::BusVoltage)?);
    let watts = volts * ina231::amps(register(Register::Current)?);
    let milli = |value: f32| (f64::from(value) * 1e3).round() / 1e3;
    Some((milli(volts) as f32, milli(watts) as f32))
}

fn calibrate(transfer: &mut impl FnMut(u8, &[u8], &mut [u8]) -> bool) {
    assert!(transfer(BATTERY_ADDRESS, &ina231::write(Register::Calibration, ina231::CALIBRATION), &mut []));
}

/// Estimates of the remaining minutes, one for each minute of a discharge; `None` for a minute without an estimate.
struct EstimateSeries {
    minutes: Vec<Option<f64>>,
    /// Duration of the discharge (min).
    lasted: f64,
}

impl EstimateSeries {
    /// Returns the estimate's largest relative error, and the minute in which it occurs. The minutes before a tenth of
    /// the discharge and from the fraction `until` on are ignored, and also the minutes for which `counts` returns
    /// false.
    fn worst(&self, until: f64, counts: impl Fn(f64) -> bool) -> (f64, usize) {
        let told = self.minutes.iter().enumerate();
        let within = told.filter(|(minute, _)| {
            let at = *minute as f64;
            (0.1 * self.lasted..until * self.lasted).contains(&at) && counts(at)
        });
        let error = |(minute, told): (usize, &Option<f64>)| {
            let truth = self.lasted - minute as f64;
            let told = told.unwrap_or_else(|| panic!("nothing is told in minute {minute} of {:.1}", self.lasted));
            (told / truth - 1.0, minute)
        };
        within.map(error).max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())).expect("a discharge has minutes")
    }

    /// Returns the maximum absolute error of the estimate in the last tenth of the discharge (min).
    fn last(&self) -> f64 {
        let last = self.minutes.iter().enumerate().filter(|(minute, _)| *minute as f64 >= 0.9 * self.lasted);
        let error =
            |(minute, told): (usize, &Option<f64>)| (told.unwrap_or(f64::NAN) - self.lasted + minute as f64).abs();
        last.map(error).fold(0.0, f64::max)
    }
}

/// Simulates one discharge of a cell with the given load profile, capacity (A h) and internal resistance (ohm). The
/// monitor is read every second.
fn discharge(course: LoadProfile, capacity: f64, ohms: f64, seed: u64) -> EstimateSeries {
    let charge = Draws::new(seed, 0, 0, 0, Stream::Device).range(0.92, 1.0);
    let mut power = Power::new(f64::from(charge));
    power.battery.set_capacity(capacity);
    power.battery.set_ohms(ohms);
    calibrate(&mut |a, w, r| power.transfer(a, w, r));
    let mut battery = Battery::default();
    let (mut minutes, mut seconds) = (Vec::new(), 0u32);
    loop {
        let noise = Draws::new(seed, 0, 1, seconds, Stream::Device).range(-1.0, 1.0);
        let (watts, runs) = course.at(f64::from(seconds), f64::from(noise));
        power.battery.set_load(watts);
        if power.battery.volts() < LOCKOUT {
            break;
        }
        let (volts, watts) = shows(&mut |a, w, r| power.transfer(a, w, r)).unwrap();
        battery.add_reading(f64::from(seconds), Some(volts), Some(watts), runs);
        if seconds.is_multiple_of(60) {
            minutes.push(battery.minutes_left().ok().map(f64::from));
        }
        power.battery.drain(1.0);
        seconds += 1;
    }
    EstimateSeries { minutes, lasted: f64::from(seconds) / 60.0 }
}

/// Returns a function that returns whether a minute's estimate is compared. For [`LoadProfile::Begins`], minutes before
/// the start of evolution are excluded, because an estimate cannot predict a later load.
fn counts(course: LoadProfile) -> impl Fn(f64) -> bool {
    move |minute| course != LoadProfile::Begins || minute > 31.0
}

#[test]
fn minutes_left_are_right_from_a_tenth_of_the_discharge_on() {
    for (course, capacity, ohms, seed) in [
        (LoadProfile::Drives, 2.9, 0.1, 1),
        (LoadProfile::Evolves, 2.9, 0.1, 2),
        (LoadProfile::Evolves, 2.5, 0.2, 3),
        (LoadProfile::Runs, 3.3, 0.2, 4),
        (LoadProfile::Begins, 2.9, 0.1, 5),
    ] {
        let told = discharge(course, capacity, ohms, seed);
        let (error, minute) = told.worst(0.85, counts(course));
        let what = format!("{course:?} {capacity} A h {ohms} ohm: {:.1} % in minute {minute}", 100.0 * error);
        assert!(error.abs() < 0.12, "{what} of {:.0}", told.lasted);
        assert!(told.last() < 4.0, "{what}: {:.1} min at the end", told.last());
    }
}

/// Prints the figures of docs/battery.md: `cargo test -p xpuck-simtest --test battery -- --ignored --nocapture`.
#[test]
#[ignore = "some ten seconds: the figures of docs/battery.md"]
fn all_courses_capacities_and_resistances() {
    const UNTIL: [f64; 3] = [0.8, 0.9, 0.95];
    let mut table = String::new();
    let (mut all, mut beyond) = (0, 0);
    for course in COURSES {
        let mut worst = [(0.0f64, String::new()), Default::default(), Default::default()];
        let (mut last, mut n) = (0.0f64, 0);
        for capacity in [2.35, 2.6, 2.9, 3.4] {
            for ohms in [0.1, 0.18, 0.3] {
                for seed in 0..5 {
                    let told = discharge(course, capacity, ohms, seed);
                    for (worst, until) in worst.iter_mut().zip(UNTIL) {
                        let (error, minute) = told.worst(until, counts(course));
                        if error.abs() > worst.0.abs() {
                            let lasted = told.lasted;
                            let what =
                                format!("{capacity} A h, {ohms} ohm, seed {seed}, minute {minute} of {lasted:.0}");
                            *worst = (error, what);
                        }
                    }
                    (last, n) = (last.max(told.last()), n + 1);
                    for (minute, minutes) in told.minutes.iter().enumerate() {
                        let part = minute as f64 / told.lasted;
                        if (0.1..0.9).contains(&part) && counts(course)(minute as f64) {
                            let truth = told.lasted - minute as f64;
                            all += 1;
                            beyond += u32::from(minutes.is_none_or(|told| (told / truth - 1.0).abs() > 0.1));
                        }
                    }
                }
            }
        }
        let [a, b, c] = [0, 1, 2].map(|i: usize| 100.0 * worst[i].0);
        let _ = writeln!(
            table,
            "{course:<8} {n} discharges: worst {a:+.1} % from 10 to 80 % of the discharge, {b:+.1} % to 90 % ({}), {c:+.1} % to \
             95 %; {last:.1} min in the last tenth",
            worst[1].1,
            course = format!("{course:?}"),
        );
        assert!(worst[0].0.abs() < 0.2, "{table}");
    }
    let part = 100.0 * f64::from(beyond) / f64::from(all);
    println!("{table}{part:.2} % of {all} minutes between 10 and 90 % are off by more than 10 %");
    assert!(part < 2.0, "{table}");
}

/// Simulates the discharge of a robot's battery in a whole arena. The load consists of the motors (commanded over SPI),
/// the lamps and the board's processor. The battery's monitor is read over I2C.
fn arena(processor: f64, keys: RobotKeys) -> EstimateSeries {
    let unkind = Unkind { every_robot: keys, ..Unkind::default() };
    let settings = Settings { seed: 7, unkind, ..Settings::with_defaults(1, "unused") };
    let mut arena = Arena::new(&settings).unwrap();
    calibrate(&mut |a, w, r| arena.i2c(0, a, w, r));
    let mut battery = Battery::default();
    let mut minutes = Vec::new();
    loop {
        let seconds = f64::from(arena.steps()) * STEP_SECONDS;
        if arena.steps().is_multiple_of(4) {
            let speeds = [300, 420].map(StepsPerSecond::new);
            arena.spi(0, &Command { actions: Actions::SET_MOTOR, speeds, ..Command::default() }.encode());
        }
        if arena.steps().is_multiple_of(40) {
            let noise = Draws::new(3, 0, 2, arena.steps(), Stream::Device).range(0.95, 1.0);
            arena.board_draws(0, if seconds < 60.0 { 0.05 } else { processor * f64::from(noise) }, true);
            let Some((volts, watts)) = shows(&mut |a, w, r| arena.i2c(0, a, w, r)) else { break };
            battery.add_reading(seconds, Some(volts), Some(watts), seconds >= 60.0);
            if arena.steps().is_multiple_of(40 * 60) {
                minutes.push(battery.minutes_left().ok().map(f64::from));
            }
        }
        arena.step();
    }
    EstimateSeries { minutes, lasted: arena.seconds() / 60.0 }
}

#[test]
fn arena_battery_estimate_while_evolving() {
    let told = arena(1.0, RobotKeys::default());
    assert!((80.0..100.0).contains(&told.lasted), "{} min", told.lasted);
    let (error, minute) = told.worst(0.85, |_| true);
    assert!(error.abs() < 0.12, "{:.1} % in minute {minute}", 100.0 * error);
    let supply = Some(SupplyKeys { ohms: 0.25, ..SupplyKeys::default() });
    let old = arena(0.9, RobotKeys { capacity_ah: Some(2.4), supply, ..RobotKeys::default() });
    assert!(old.lasted < 80.0, "{} min", old.lasted);
    let (error, minute) = old.worst(0.85, |_| true);
    assert!(error.abs() < 0.15, "{:.1} % in minute {minute} of {:.0}", 100.0 * error, old.lasted);
}

#[test]
#[ignore = "half a minute: three hours of an arena"]
fn arena_battery_estimate_while_driving() {
    let told = arena(0.1, RobotKeys::default());
    assert!((160.0..210.0).contains(&told.lasted), "{} min", told.lasted);
    let (error, minute) = told.worst(0.85, |_| true);
    assert!(error.abs() < 0.12, "{:.1} % in minute {minute} of {:.0}", 100.0 * error, told.lasted);
}
