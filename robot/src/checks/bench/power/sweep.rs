//! Sweep over clocks: measures the load at each combination of clock values.

use super::choose::{Point, efficient, fastest_within, is_throttled};
use super::clocks::{Clock, ClockHold, combinations};
use super::kept::SavedLimits;
use super::load::{Load, Progress};
use crate::checks::bench::BenchError;
use crate::device::PowerMonitor;
use crate::onboard::thermal;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use xpuck_wire::output;

/// Interval between power samples. The monitor computes a new average every 35 ms.
const SAMPLE: Duration = Duration::from_millis(50);
/// Difference between the temperature limit and the temperature at which the next measurement may start (K).
const COOLING_DROP: f32 = 15.0;
/// Maximum time to wait for a hot board to cool.
const COOLING: Duration = Duration::from_secs(60);

/// Sources of power and temperature readings, and the stop flag.
pub(super) struct Measurement<'a> {
    /// Power monitor on the 5 V side; removed after an error.
    pub monitor: Option<Box<dyn PowerMonitor>>,
    /// File with the processor's temperature.
    pub temperature: PathBuf,
    /// Processor temperature above which the current measurement is aborted (degrees C).
    pub max_temperature: f32,
    /// Flag that stops the sweep; set by signals.
    pub stop: &'a AtomicBool,
    /// File that saves the clock limits during the sweep.
    pub kept: &'a SavedLimits,
    /// Messages about measurements that could not be made.
    pub missing: Vec<String>,
}

/// Parameters of a sweep.
#[derive(Clone, Copy)]
pub(super) struct SweepParams {
    /// Measuring time per combination of clocks.
    pub time: Duration,
    /// Maximum number of measurements.
    pub most: usize,
    /// Power limit for the choice of the fastest operating point (W); `None` if no such point is chosen.
    pub watt_limit: Option<f64>,
}

/// Results of a sweep.
#[derive(Debug, Serialize)]
pub(super) struct Sweep {
    /// Processor on which the engine runs: "cpu" or "gpu".
    pub what: &'static str,
    /// Name of the simulation engine, with its adapter or its number of threads.
    pub engine: String,
    /// Kernel names of the clocks; empty if the clocks cannot be set.
    pub clocks: Vec<String>,
    /// Measurements in ascending order of the clocks.
    pub points: Vec<Point>,
    /// Index of the point with the highest r_acc per watt; `None` without power readings.
    pub efficient: Option<usize>,
    /// Index of the fastest point within the power limit; `None` if there is no limit or no such point.
    pub within_limit: Option<usize>,
}

impl Measurement<'_> {
    /// Prints a line about a missing measurement, and adds the line to the report.
    pub fn report_missing(&mut self, line: String) {
        output::print_error(format_args!("xpuckd: {line}"));
        self.missing.push(line);
    }

    fn stopped(&self) -> Result<(), BenchError> {
        match self.stop.load(Relaxed) {
            true => Err(BenchError::Unmeasured("stopped; the clocks are restored".into())),
            false => Ok(()),
        }
    }

    /// Returns the current power of the board (W); `None` without a working monitor.
    fn watts(&mut self) -> Option<f64> {
        let monitor = self.monitor.as_mut()?;
        match monitor.volts().and_then(|volts| Ok(f64::from(volts) * f64::from(monitor.amps()?))) {
            Ok(watts) => Some(watts),
            Err(error) => {
                self.monitor = None;
                self.report_missing(format!("watts: {error}; from here on only r_acc is measured"));
                None
            }
        }
    }

    /// Returns the processor temperature (degrees C); `None` if it cannot be read.
    fn temperature(&self) -> Option<f32> {
        thermal::temperature(&self.temperature)
    }

    /// Waits for a hot board to cool until its temperature is [`COOLING_DROP`] below the limit, but at most for
    /// [`COOLING`]. Returns an error if the sweep is stopped.
    fn cool(&self) -> Result<(), BenchError> {
        let start = Instant::now();
        while self.temperature().is_some_and(|heat| heat > self.max_temperature - COOLING_DROP)
            && start.elapsed() < COOLING
        {
            self.stopped()?;
            std::thread::sleep(SAMPLE);
        }
        Ok(())
    }

    /// Measures the load for `time`. The inner error is a notice of the engine, after which the result is invalid.
    fn measure(&mut self, load: &Load, time: Duration) -> Result<Result<Point, String>, BenchError> {
        load.work(time);
        let (mut begun, mut sum, mut samples) = (false, 0.0, 0u32);
        let mut point = Point::default();
        loop {
            self.stopped()?;
            match load.wait(SAMPLE) {
                Ok(Progress::Begun) => begun = true,
                Ok(Progress::Done(r_acc, None)) => {
                    point.r_acc = r_acc;
                    break;
                }
                // After a notice, the result may come from a fallback engine, so it is discarded.
                Ok(Progress::Done(_, Some(notice))) => return Ok(Err(notice)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(BenchError::Unmeasured("the simulation thread has ended".into()));
                }
            }
            if begun && let Some(watts) = self.watts() {
                (sum, samples) = (sum + watts, samples + 1);
            }
            if let Some(heat) = self.temperature() {
                point.temperature_c = Some(point.temperature_c.unwrap_or(heat).max(heat));
                if heat > self.max_temperature {
                    point.throttled = true;
                    load.cut();
                }
            }
        }
        // An uncalibrated monitor reports a current of 0, which does not count as a measurement.
        point.watts = (samples > 0).then(|| sum / f64::from(samples)).filter(|watts| *watts > 0.0);
        if samples > 0 && point.watts.is_none() {
            self.monitor = None;
            self.report_missing("watts: the INA231 reports no current; check its shunt and wiring direction".into());
        }
        point.r_acc_per_watt = point.watts.map(|watts| point.r_acc / watts);
        Ok(Ok(point))
    }

    /// Measures at every combination of clocks, or once at the current clocks if the clocks cannot be set.
    ///
    /// # Errors
    /// If the sweep was stopped, a clock can no longer be set, or the load's thread has ended.
    pub fn sweep(
        &mut self,
        (what, engine): (&'static str, String),
        load: &Load,
        clocks: &[Clock],
        course: SweepParams,
    ) -> Result<Sweep, BenchError> {
        let held = (!clocks.is_empty()).then(|| ClockHold::acquire(clocks, self.kept));
        let held = match held {
            Some(Err(why)) => {
                self.report_missing(format!("{what} clocks: {why}; the clocks are not changed"));
                None
            }
            held => held.and_then(Result::ok),
        };
        let clocks = if held.is_some() { clocks } else { &[] };
        let all = combinations(clocks, course.most);
        let seconds = course.time.as_secs_f64() * all.len() as f64;
        output::print_error(format_args!(
            "{what}: {}, at least {seconds:.1} s",
            output::count(all.len(), "measurement", "measurements")
        ));
        let mut points = Vec::new();
        for steps in &all {
            self.cool()?;
            let set = held.as_ref().map_or(Ok(Vec::new()), |held| held.set(steps)).map_err(BenchError::Unmeasured)?;
            let mhz: Vec<f64> = clocks.iter().zip(&set).map(|(clock, step)| clock.mhz(*step)).collect();
            let mut point = match self.measure(load, course.time)? {
                Ok(point) => point,
                Err(notice) => {
                    self.report_missing(format!("{what}: {notice}; the remaining points are not measured"));
                    break;
                }
            };
            let now = clocks.iter().map(|clock| clock.now().map(|now| clock.mhz(now)));
            point.throttled |= mhz.iter().zip(now).any(|(set, now)| is_throttled(*set, now));
            point.mhz = mhz;
            points.push(point);
        }
        drop(held);
        let within_limit = course.watt_limit.and_then(|limit| fastest_within(&points, limit));
        let clocks = clocks.iter().map(|clock| clock.name.clone()).collect();
        Ok(Sweep { what, engine, clocks, efficient: efficient(&points), within_limit, points })
    }
}
