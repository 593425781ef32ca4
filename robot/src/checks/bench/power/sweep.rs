//! One sweep over clocks: each is held, worked at, and measured.

use super::choose::{Point, efficient, fastest_within, is_throttled};
use super::clocks::{Clock, Held, combinations};
use super::kept::Kept;
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

/// The monitor is asked so often: it has a new average every 35 ms.
const SAMPLE: Duration = Duration::from_millis(50);
/// A board that was too hot has to cool so far before the next clock, K, ...
const COOLS: f32 = 15.0;
/// ... for which it gets so long.
const COOLING: Duration = Duration::from_secs(60);

/// What tells power and heat, and what ends all.
pub(super) struct Meter<'a> {
    /// The monitor on the 5 V side; taken away when it no longer tells.
    pub monitor: Option<Box<dyn PowerMonitor>>,
    /// The file that tells the processor's temperature.
    pub temperature: PathBuf,
    /// Above this a clock is given up, degrees C.
    pub max_temperature: f32,
    /// Set by signals.
    pub stop: &'a AtomicBool,
    /// Where the clocks' limits are kept meanwhile.
    pub kept: &'a Kept,
    /// What could not be measured, and what to do.
    pub missing: Vec<String>,
}

/// How a sweep is made.
#[derive(Clone, Copy)]
pub(super) struct Course {
    /// How long at each clock.
    pub time: Duration,
    /// Most points.
    pub most: usize,
    /// What the board may draw, W.
    pub watt_limit: Option<f64>,
}

/// The results of a sweep.
#[derive(Debug, Serialize)]
pub(super) struct Sweep {
    /// What was swept: "cpu" or "gpu".
    pub what: &'static str,
    /// The engine that simulated, with its adapter.
    pub engine: String,
    /// The kernel's names of the clocks.
    pub clocks: Vec<String>,
    /// What was measured, from low clocks to high.
    pub points: Vec<Point>,
    /// The point of the most r_acc per watt.
    pub efficient: Option<usize>,
    /// The fastest point within the limit of power.
    pub within_limit: Option<usize>,
}

impl Meter<'_> {
    /// Says what is missing, and keeps it for the results.
    pub fn miss(&mut self, line: String) {
        output::note(format_args!("xpuckd: {line}"));
        self.missing.push(line);
    }

    fn stopped(&self) -> Result<(), BenchError> {
        match self.stop.load(Relaxed) {
            true => Err(BenchError::Unmeasured("stopped; the clocks are as they were".into())),
            false => Ok(()),
        }
    }

    /// What the board draws now, W.
    fn watts(&mut self) -> Option<f64> {
        let monitor = self.monitor.as_mut()?;
        match monitor.volts().and_then(|volts| Ok(f64::from(volts) * f64::from(monitor.amps()?))) {
            Ok(watts) => Some(watts),
            Err(error) => {
                self.monitor = None;
                self.miss(format!("watts: {error}; from here on r_acc alone is measured"));
                None
            }
        }
    }

    /// The processor's temperature, degrees C.
    fn heat(&self) -> Option<f32> {
        thermal::temperature(&self.temperature)
    }

    /// Waits until a hot board has cooled.
    fn cool(&self) -> Result<(), BenchError> {
        let start = Instant::now();
        while self.heat().is_some_and(|heat| heat > self.max_temperature - COOLS) && start.elapsed() < COOLING {
            self.stopped()?;
            std::thread::sleep(SAMPLE);
        }
        Ok(())
    }

    /// Works for so long and measures; or what the engine has to say.
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
                // What another engine did in its place is no speed of this one.
                Ok(Progress::Done(_, Some(notice))) => return Ok(Err(notice)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(BenchError::Unmeasured("the thread that simulates has ended".into()));
                }
            }
            if begun && let Some(watts) = self.watts() {
                (sum, samples) = (sum + watts, samples + 1);
            }
            if let Some(heat) = self.heat() {
                point.temperature_c = Some(point.temperature_c.unwrap_or(heat).max(heat));
                if heat > self.max_temperature {
                    point.throttled = true;
                    load.cut();
                }
            }
        }
        // A monitor that is not calibrated tells no current.
        point.watts = (samples > 0).then(|| sum / f64::from(samples)).filter(|watts| *watts > 0.0);
        if samples > 0 && point.watts.is_none() {
            self.monitor = None;
            self.miss(
                "watts: the INA231 tells no current out of the supply: look at its shunt and which way it is wired"
                    .into(),
            );
        }
        point.r_acc_per_watt = point.watts.map(|watts| point.r_acc / watts);
        Ok(Ok(point))
    }

    /// Measures at every combination of clocks; once as they are where they cannot be set.
    ///
    /// # Errors
    /// It was stopped.
    pub fn sweep(
        &mut self,
        (what, engine): (&'static str, String),
        load: &Load,
        clocks: &[Clock],
        course: Course,
    ) -> Result<Sweep, BenchError> {
        let held = (!clocks.is_empty()).then(|| Held::take(clocks, self.kept));
        let held = match held {
            Some(Err(why)) => {
                self.miss(format!("{what} clocks: {why}; they stay as they are"));
                None
            }
            held => held.and_then(Result::ok),
        };
        let clocks = if held.is_some() { clocks } else { &[] };
        let all = combinations(clocks, course.most);
        let seconds = course.time.as_secs_f64() * all.len() as f64;
        output::note(format_args!(
            "{what}: {}, {seconds:.1} s and more",
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
                    self.miss(format!("{what}: {notice}; the rest is not measured"));
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
