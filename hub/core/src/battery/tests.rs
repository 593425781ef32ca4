use super::curve::open_circuit;
use super::*;

/// Simulated cell with a power monitor. The cell is discharged in steps of one second.
struct Bench {
    battery: Battery,
    now: f64,
    charge: f64,
    capacity: f64,
    ohms: f64,
}

impl Bench {
    fn new(capacity: f64, ohms: f64) -> Bench {
        Bench { battery: Battery::default(), now: 0.0, charge: 0.97, capacity, ohms }
    }

    /// Returns the voltage (V) and the power (W) that the monitor reads while the load draws `watts` (W).
    fn shows(&self, watts: f64) -> (f32, f32) {
        let open = open_circuit(self.charge).0;
        let volts = (open + (open * open - 4.0 * self.ohms * watts).sqrt()) / 2.0;
        let steps = |value: f64, step: f64| (value / step).round() * step;
        let (volts, amps) = (steps(volts, 1.25e-3), steps(watts / volts, 1e-3));
        (volts as f32, (volts * amps) as f32)
    }

    fn drain(&mut self, watts: f64) {
        let (volts, _) = self.shows(watts);
        self.charge -= watts / f64::from(volts) / 3600.0 / self.capacity;
        self.now += 1.0;
    }

    /// Discharges the cell at `watts` for `seconds`. `tell` modifies each reading before the estimator receives it.
    fn discharge_with(&mut self, seconds: u32, watts: f64, tell: impl Fn(u32, (f32, f32)) -> (f32, f32)) {
        for second in 0..seconds {
            // The power consumption of a processor always fluctuates.
            let watts = watts * (1.0 + 0.02 * f64::from((second * 7) % 5));
            let (volts, power) = tell(second, self.shows(watts));
            self.battery.add_reading(self.now, Some(volts), Some(power), false);
            self.drain(watts);
        }
    }

    fn run(&mut self, seconds: u32, watts: f64) {
        self.discharge_with(seconds, watts, |_, reading| reading);
    }

    fn doubt(&self) -> Option<NoEstimate> {
        self.battery.minutes_left().err()
    }
}

#[test]
fn resistance_and_capacity_are_found() {
    let mut bench = Bench::new(2.7, 0.22);
    for _ in 0..40 {
        bench.run(60, 2.5);
        bench.run(120, 5.0);
    }
    let (capacity, ohms) = bench.battery.cell();
    assert!((capacity - 2.7).abs() < 0.15 && (ohms - 0.22).abs() < 0.01, "{capacity} A h, {ohms} ohm");
}

#[test]
fn another_load_gives_another_time() {
    let mut bench = Bench::new(3.0, 0.1);
    bench.run(600, 3.0);
    let [usual, double] = [3.0, 6.0].map(|watts| bench.battery.minutes_at(watts).unwrap());
    assert!((1.95..2.2).contains(&(usual / double)), "{usual} and {double} min");
    let [evolves, drives] = [true, false].map(|evolves| bench.battery.minutes_of_run(evolves).unwrap());
    assert!((1.9..2.2).contains(&(drives / evolves)), "{drives} and {evolves} min");
    // A short load change is averaged out. A lasting change becomes the new load estimate.
    bench.run(60, 6.0);
    assert!(bench.battery.watts().unwrap() < 4.0);
    bench.run(900, 6.0);
    assert!((6.0..6.4).contains(&bench.battery.watts().unwrap()), "{:?}", bench.battery.watts());
}

#[test]
fn power_drawn_in_run_predicts_next_run() {
    let mut bench = Bench::new(3.0, 0.1);
    let mut take = |runs: bool, watts: f64, seconds: u32| {
        for _ in 0..seconds {
            let (volts, power) = bench.shows(watts);
            bench.battery.add_reading(bench.now, Some(volts), Some(power), runs);
            bench.drain(watts);
        }
    };
    take(false, 2.0, 60);
    take(true, 4.5, 300);
    take(false, 2.0, 60);
    let battery = &bench.battery;
    let (run, same) = (battery.minutes_of_run(true).unwrap(), battery.minutes_at(4.5).unwrap());
    assert!((run / same - 1.0).abs() < 0.01, "{run} and {same} min");
    assert!((battery.watts().unwrap() - 2.0).abs() < 0.1, "a run that is over is no load any more");
}

#[test]
fn impossible_or_missing_readings_give_no_estimate() {
    let mut battery = Battery::default();
    assert_eq!(battery.minutes_left(), Err(NoEstimate::Unmeasured));
    battery.add_reading(0.0, Some(3.9), Some(3.0), false);
    assert_eq!(battery.minutes_left(), Err(NoEstimate::Settling));
    let wrong = [
        (Some(f32::NAN), Some(3.0), NoEstimate::Impossible),
        (Some(3.9), Some(f32::NAN), NoEstimate::Impossible),
        (Some(3.9), Some(f32::INFINITY), NoEstimate::Impossible),
        (Some(0.0), Some(0.0), NoEstimate::Impossible),
        (Some(-3.9), Some(3.0), NoEstimate::Impossible),
        (Some(40.96), Some(3.0), NoEstimate::Impossible),
        (Some(3.9), Some(3.9 * 4.096), NoEstimate::Impossible),
        (Some(3.9), Some(0.0), NoEstimate::NoCurrent),
        (Some(3.9), Some(-2.0), NoEstimate::Charged),
        (None, Some(3.0), NoEstimate::Unmeasured),
        (Some(3.9), None, NoEstimate::Unmeasured),
    ];
    for (volts, watts, doubt) in wrong {
        let mut bench = Bench::new(3.0, 0.1);
        bench.run(120, 3.0);
        assert_eq!(bench.doubt(), None);
        bench.battery.add_reading(bench.now, volts, watts, false);
        assert_eq!(bench.doubt(), Some(doubt), "{volts:?} V {watts:?} W");
        assert_eq!(bench.battery.minutes_of_run(true), Err(doubt));
        // A single wrong reading must not reset the estimate.
        let before = bench.battery.cell();
        bench.run(20, 3.0);
        assert_eq!(bench.doubt(), None, "after {doubt:?}");
        let close = (bench.battery.cell().0 - before.0).abs() < 0.1;
        assert!(close || doubt == NoEstimate::Charged, "{:?} after {before:?}", bench.battery.cell());
    }
}

#[test]
fn stuck_battery_monitor_is_detected() {
    let mut bench = Bench::new(3.0, 0.1);
    bench.run(120, 3.0);
    bench.discharge_with(900, 3.0, |_, _| (3.9, 3.0));
    assert_eq!(bench.doubt(), Some(NoEstimate::Stuck), "both");
    let mut bench = Bench::new(3.0, 0.1);
    bench.run(60, 2.2);
    bench.discharge_with(5, 2.2, |_, (volts, watts)| (3.95, watts / volts * 3.95));
    bench.discharge_with(5, 6.0, |_, (volts, watts)| (3.95, watts / volts * 3.95));
    assert_eq!(bench.doubt(), Some(NoEstimate::Stuck), "a voltage that no load moves");
    let mut bench = Bench::new(3.0, 0.1);
    bench.discharge_with(3000, 3.0, |_, (volts, _)| (volts, volts * 0.8));
    assert_eq!(bench.doubt(), Some(NoEstimate::Stuck), "a current that no voltage moves");
}

#[test]
fn jumping_or_rising_voltage_is_distrusted() {
    let mut bench = Bench::new(3.0, 0.1);
    bench.run(300, 3.0);
    let before = bench.battery.minutes_left().unwrap();
    bench.discharge_with(5, 3.0, |_, (_, watts)| (3.2, watts));
    assert_eq!(bench.doubt(), Some(NoEstimate::Jumps));
    bench.run(60, 3.0);
    let after = bench.battery.minutes_left().unwrap();
    assert!((before - after - 1.0).abs() < 3.0, "one jump is forgotten: {before} and {after} min");
    for _ in 0..3 {
        bench.discharge_with(2, 3.0, |_, (_, watts)| (3.2, watts));
        bench.run(20, 3.0);
    }
    assert_eq!(bench.doubt(), Some(NoEstimate::Jumps), "a loose contact");

    let mut bench = Bench::new(3.0, 0.1);
    bench.charge = 0.5;
    bench.run(300, 3.0);
    let rising = |second: u32, (volts, watts): (f32, f32)| (volts + second as f32 * 1e-3, watts);
    bench.discharge_with(250, 3.0, rising);
    assert!(bench.doubt().is_none() || bench.doubt() == Some(NoEstimate::Rises));
    let mut found = false;
    for second in 250..400 {
        bench.discharge_with(1, 3.0, |_, reading| rising(second, reading));
        found |= bench.doubt() == Some(NoEstimate::Rises);
    }
    assert!(found, "it rises by 0.4 V under load");
}

#[test]
fn another_battery_is_taken_for_another() {
    let mut bench = Bench::new(3.0, 0.1);
    bench.charge = 0.3;
    bench.run(1200, 4.0);
    let before = bench.battery.minutes_left().unwrap();
    // The battery is replaced while the board is off.
    (bench.charge, bench.now) = (0.97, bench.now + 300.0);
    bench.run(300, 4.0);
    let after = bench.battery.minutes_left().unwrap();
    assert!(before < 60.0 && after > 120.0, "{before} and {after} min");
    // The battery is replaced without a gap in the readings.
    bench.charge = 0.3;
    bench.run(300, 4.0);
    assert!(bench.battery.minutes_left().unwrap() < 70.0);
}

#[test]
fn remaining_time_decreases_to_zero() {
    let mut bench = Bench::new(3.0, 0.1);
    let mut last = f32::MAX;
    while bench.charge > 0.01 {
        bench.run(300, 4.0);
        let left = bench.battery.minutes_left().unwrap();
        assert!(left < last + 1.0, "{left} min after {last}");
        last = left;
    }
    assert!(last < 4.0, "{last} min left of an empty battery");
}
