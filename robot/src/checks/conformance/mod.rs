//! Conformance suite: checks of a robot's devices. The same checks run in the virtual arena and on real robots.

mod body;
mod camera;
mod fitted;
mod plugged;
mod power;
mod senses;
mod shim;
mod table;
mod wheels;

pub use plugged::{UnplugChecks, unplug_checks};
pub use table::table;

use crate::device::body::Body;
use crate::device::camera_sensor::BoxedSensor;
use crate::device::fitted::{Fitted, FittedDevice};
use crate::device::{DeviceError, FrameSource, PowerMonitor};
use serde::Serialize;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};
use xpuck_registers::camera_sensor::Clock;

/// Opened device, or the error of opening it.
pub type Opened<T> = Result<T, DeviceError>;

/// Devices of a robot. A device is `None` if the robot's file does not name it; its checks are then skipped.
pub struct Devices {
    /// Body, with a guard process if the kind of body requires one.
    pub body: Opened<Box<dyn Body>>,
    /// Power monitor on the battery's side.
    pub battery: Option<Opened<Box<dyn PowerMonitor>>>,
    /// Power monitor on the 5 V side.
    pub supply: Option<Opened<Box<dyn PowerMonitor>>>,
    /// Camera sensor, and its clock source.
    pub sensor: Option<(Opened<BoxedSensor>, Clock)>,
    /// Camera, and the requirements on its frames.
    pub camera: Option<(Opened<Box<dyn FrameSource>>, Picture)>,
    /// Optional devices on the I2C bus, as listed in the robot's file.
    pub fitted: Vec<(Fitted, Opened<Box<dyn FittedDevice>>)>,
    /// Ratio of arena time to wall time; 1 with a real robot.
    pub speed: f64,
}

/// Requirements on a camera's frames.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Width (pixels).
    pub width: usize,
    /// Height (pixels).
    pub height: usize,
    /// Frame rate (Hz).
    pub rate: RangeInclusive<f64>,
}

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The result is as expected.
    Pass,
    /// The result is not as expected.
    Fail,
    /// The check was not made.
    Skip,
}

/// Result line of one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Name of the device.
    pub device: &'static str,
    /// Name of the check.
    pub check: &'static str,
    /// Result of the check.
    pub verdict: Verdict,
    /// Expected result as text.
    pub expected: String,
    /// Actual result as text.
    pub found: String,
    /// Duration of the check (s).
    pub seconds: f64,
}

/// Runs every check. `wheels` permits short, slow moves. `announce` is called before each move with a description.
pub fn run(rig: Devices, wheels: bool, announce: &mut dyn FnMut(&str)) -> Vec<Finding> {
    let mut bench = Bench { findings: Vec::new(), since: Instant::now(), speed: rig.speed, device: "" };
    match rig.body {
        Ok(mut body) => {
            if body::check(&mut bench, body.as_mut()) {
                wheels::check(&mut bench, body.as_mut(), wheels, announce);
            }
            body::errors(&mut bench, body.as_ref());
            shim::check(&mut bench, body.as_mut());
        }
        Err(error) => bench.on("body").fail("opens", "it opens", error.to_string()),
    }
    for (name, monitor, volts) in [("battery", rig.battery, power::BATTERY), ("5 V", rig.supply, power::SUPPLY)] {
        power::check(bench.on(name), monitor, volts);
    }
    let sensor = camera::sensor(bench.on("sensor"), rig.sensor);
    camera::frames(bench.on("camera"), rig.camera, sensor);
    for (device, opened) in rig.fitted {
        fitted::check(&mut bench, device, opened);
    }
    bench.findings
}

/// Returns whether no check failed. Skipped checks are not failures.
pub fn passed(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.verdict != Verdict::Fail)
}

/// Collects the findings of the checks.
struct Bench {
    findings: Vec<Finding>,
    since: Instant,
    speed: f64,
    device: &'static str,
}

impl Bench {
    fn on(&mut self, device: &'static str) -> &mut Bench {
        (self.device, self.since) = (device, Instant::now());
        self
    }

    fn add(&mut self, check: &'static str, verdict: Verdict, expected: &str, found: String) {
        let seconds = self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        let (device, expected) = (self.device, expected.into());
        self.findings.push(Finding { device, check, verdict, expected, found, seconds });
    }

    fn judge(&mut self, check: &'static str, good: bool, expected: &str, found: String) {
        self.add(check, if good { Verdict::Pass } else { Verdict::Fail }, expected, found);
    }

    fn fail(&mut self, check: &'static str, expected: &str, found: String) {
        self.add(check, Verdict::Fail, expected, found);
    }

    fn skip(&mut self, check: &'static str, why: &str) {
        self.add(check, Verdict::Skip, "-", why.into());
    }

    /// Waits for a duration in arena time.
    fn wait(&self, time: Duration) {
        std::thread::sleep(time.div_f64(self.speed));
    }

    /// Returns the arena time since `since` (s).
    fn seconds(&self, since: Instant) -> f64 {
        since.elapsed().as_secs_f64() * self.speed
    }
}
