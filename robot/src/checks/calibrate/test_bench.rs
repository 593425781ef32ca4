//! Simulated body with hidden parameters for tests of the calibration, and a scripted operator.

use super::{CalibrateError, Operator};
use crate::calibration::{Infrared, Wheels};
use crate::device::DeviceError;
use crate::device::body::{Body, BodyReadings, Counts, Drive};
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use xpuck_kernels::model::{PROX_ANGLES, ROBOT_RADIUS, WHEELBASE};
use xpuck_registers::infrared::{MAX_COUNTS, RawInfrared};
use xpuck_registers::stepper::METRES_PER_STEP;

/// Interval between exchanges (s).
const PERIOD: f64 = 0.005;

/// True state of the simulated body.
#[derive(Default)]
pub struct Truth {
    /// Pose: x (m), y (m) and heading (rad).
    pub pose: [f64; 3],
    /// Hidden wheel calibration.
    pub wheels: Wheels,
    /// Hidden infra-red calibration.
    pub infrared: Infrared,
    /// x position of a wall parallel to the y axis (m); `None` without a wall.
    pub wall: Option<f64>,
    /// Whether the wheels are blocked.
    pub stuck: bool,
    /// Number of exchanges until an exchange fails; `None` if no exchange fails.
    pub fails_in: Option<u32>,
    steps: [f64; 2],
    speeds: [f64; 2],
    exchanges: u32,
}

/// Simulated body with a shared state.
#[derive(Clone, Default)]
pub struct Bench(Arc<Mutex<Truth>>);

impl Bench {
    /// Returns a driver of the simulated body.
    pub fn body(&self) -> Box<dyn Body> {
        Box::new(self.clone())
    }

    /// Locks and returns the true state of the body.
    pub fn truth(&self) -> MutexGuard<'_, Truth> {
        self.0.lock().unwrap()
    }

    /// Returns whether the last command was a stop.
    pub fn stands(&self) -> bool {
        self.truth().speeds == [0.0; 2]
    }
}

impl Body for Bench {
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
        let mut truth = self.truth();
        truth.exchanges += 1;
        truth.advance();
        if let Some(left) = &mut truth.fails_in {
            *left = left.wrapping_sub(1);
            if *left == 0 {
                return Err(DeviceError::Transfer { path: "bench".into(), source: ErrorKind::Other.into() });
            }
        }
        truth.speeds = drive.speeds.map(|speed| f64::from(speed.quantised().get()));
        let steps = truth.steps.map(|steps| (steps.floor() as i64 + 65_000) as u16);
        let reflected = std::array::from_fn(|i| truth.reading(i));
        Ok(BodyReadings { reflected, steps, ..BodyReadings::default() })
    }

    fn period(&self) -> Duration {
        Duration::from_secs_f64(PERIOD)
    }

    fn counts(&self) -> Counts {
        Counts::default()
    }
}

impl Truth {
    fn advance(&mut self) {
        if self.stuck {
            return;
        }
        let made = self.speeds.map(|speed| speed * PERIOD);
        let metre = f64::from(METRES_PER_STEP);
        let left = made[0] * metre * f64::from(self.wheels.left);
        let right = made[1] * metre * f64::from(self.wheels.right);
        let turn = (right - left) / f64::from(WHEELBASE) / f64::from(self.wheels.baseline);
        let [x, y, heading] = self.pose;
        let (ahead, midway) = ((left + right) / 2.0, heading + turn / 2.0);
        self.pose = [x + ahead * midway.cos(), y + ahead * midway.sin(), heading + turn];
        self.steps = [self.steps[0] + made[0], self.steps[1] + made[1]];
    }

    fn reading(&self, sensor: usize) -> RawInfrared {
        let ray = self.pose[2] + f64::from(PROX_ANGLES[sensor]);
        let distance = match self.wall {
            Some(wall) if ray.cos() > 0.1 => (wall - self.pose[0]) / ray.cos() - f64::from(ROBOT_RADIUS),
            _ => 1.0,
        };
        let curve = self.infrared.curve.counts(distance.max(0.0) as f32).max(0.0);
        // The noise is deterministic, and ranges from -5 to 5 counts.
        let noise = ((self.exchanges.wrapping_mul(7) + sensor as u32 * 5) % 11) as f32 - 5.0;
        let counts = self.infrared.scale[sensor] * curve + self.infrared.offset[sensor] + noise;
        RawInfrared(counts.round().clamp(0.0, f32::from(MAX_COUNTS)) as u16)
    }
}

/// Operator whose answers come from closures.
pub struct Script<'a> {
    /// Called when the operator is asked to prepare something.
    pub ready: &'a mut dyn FnMut(&str),
    /// Called when the operator is asked for a number; returns the answer.
    pub answer: &'a mut dyn FnMut(&str) -> f64,
}

impl Operator for Script<'_> {
    fn ready(&mut self, what: &str) -> Result<(), CalibrateError> {
        (self.ready)(what);
        Ok(())
    }

    fn number(&mut self, question: &str, range: RangeInclusive<f64>) -> Result<f64, CalibrateError> {
        let answer = (self.answer)(question);
        assert!(range.contains(&answer), "{question} {answer} is not in {range:?}");
        Ok(answer)
    }

    fn say(&mut self, _: &str) {}
}
