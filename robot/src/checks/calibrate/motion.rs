//! Slow moves of limited length, controlled by the wheels' step counters. The wheels are always stopped at the end,
//! also after an error.

use super::CalibrateError;
use crate::body::conditioning::Odometry;
use crate::calibration::Wheels;
use crate::device::body::{Body, BodyReadings, Drive};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use xpuck_registers::stepper::StepsPerSecond;

/// Wheel speed (steps/s), equal to 4 cm/s.
const SPEED: i16 = 300;
/// Wheel speed over the last steps of a move (steps/s).
const SLOW: i16 = 100;
/// Remaining steps below which the wheels slow down.
const LAST: i64 = 50;
/// Maximum length of a move (steps of each wheel), equal to 1.3 m.
const MAX_STEPS: i64 = 10_000;
/// Time at rest after each move, and during each reading.
const REST: Duration = Duration::from_millis(300);
/// Number of stop commands sent at the end of the motion.
const STOPS: usize = 3;

/// Body that moves for measurements. Dropping this value stops the wheels.
pub struct Motion<'a> {
    body: Box<dyn Body>,
    stop: &'a AtomicBool,
    wait: &'a mut dyn FnMut(Duration),
    wheels: Wheels,
    odometry: Odometry,
    last: Option<[u16; 2]>,
    steps: [i64; 2],
}

impl Drop for Motion<'_> {
    fn drop(&mut self) {
        self.halt();
    }
}

impl<'a> Motion<'a> {
    /// Creates a motion of `body`. `wheels` is the wheel calibration for the odometry. `wait` is called between
    /// exchanges. Setting `stop` ends every move.
    pub fn new(
        body: Box<dyn Body>,
        wheels: Wheels,
        stop: &'a AtomicBool,
        wait: &'a mut dyn FnMut(Duration),
    ) -> Motion<'a> {
        Motion { body, stop, wait, wheels, odometry: Odometry::default(), last: None, steps: [0; 2] }
    }

    /// Returns the odometry pose relative to the start: x (m), y (m) and heading (rad).
    pub fn pose(&self) -> [f64; 3] {
        self.odometry.pose()
    }

    /// Returns the wheel calibration of the odometry.
    pub fn wheels(&self) -> Wheels {
        self.wheels
    }

    /// Turns the left and the right wheel by about the wanted numbers of steps. Returns the numbers of steps made until
    /// the wheels stopped.
    ///
    /// # Errors
    /// Any error of the body, a move longer than `MAX_STEPS`, a wheel that does not turn as commanded, or a set `stop`
    /// flag. The wheels are then stopped.
    pub fn go(&mut self, wanted: [i64; 2]) -> Result<[i64; 2], CalibrateError> {
        let made = self.drive(wanted).inspect_err(|_| self.halt())?;
        let before = self.steps;
        self.stand_still(REST)?;
        Ok([made[0] + self.steps[0] - before[0], made[1] + self.steps[1] - before[1]])
    }

    /// Stops the wheels, and ignores errors.
    fn halt(&mut self) {
        // The command is repeated, because it may be lost. Without commands, the body stops by its own timeout.
        for _ in 0..STOPS {
            let _ = self.body.exchange(&Drive::default());
        }
    }

    fn drive(&mut self, wanted: [i64; 2]) -> Result<[i64; 2], CalibrateError> {
        let most = wanted[0].abs().max(wanted[1].abs());
        if most > MAX_STEPS {
            return Err(CalibrateError::Motion { made: [0; 2], wanted });
        }
        self.exchange(&Drive::default())?;
        let start = self.steps;
        let made = |steps: [i64; 2]| [steps[0] - start[0], steps[1] - start[1]];
        // The time limit of a move is twice its nominal duration, plus 1 s and twice the duration of its slow part.
        let seconds = 2.0 * most as f64 / f64::from(SPEED) + 1.0 + 2.0 * LAST as f64 / f64::from(SLOW);
        for _ in 0..(seconds / self.body.period().as_secs_f64().max(1e-3)) as u64 {
            let done = made(self.steps);
            let left = |i: usize| (wanted[i] - done[i]) * wanted[i].signum();
            if left(0) <= 0 && left(1) <= 0 {
                return Ok(done);
            }
            let speed = |i: usize| {
                let pace = if left(i) > LAST { SPEED } else { SLOW };
                StepsPerSecond::new(if left(i) > 0 { pace * wanted[i].signum() as i16 } else { 0 })
            };
            self.exchange(&Drive { speeds: [speed(0), speed(1)], ..Drive::default() })?;
        }
        Err(CalibrateError::Motion { made: made(self.steps), wanted })
    }

    /// Waits at rest, and returns the mean reflected infra-red (counts) over the second half of the wait.
    ///
    /// # Errors
    /// Any error of the body, or a set `stop` flag.
    pub fn read_infrared(&mut self) -> Result<[f64; 8], CalibrateError> {
        let all = self.stand_still(REST)?;
        let half = &all[all.len() / 2..];
        let mean = |i: usize| half.iter().map(|s| f64::from(s.reflected[i].0)).sum::<f64>() / half.len() as f64;
        Ok(std::array::from_fn(mean))
    }

    fn stand_still(&mut self, time: Duration) -> Result<Vec<BodyReadings>, CalibrateError> {
        let exchanges = (time.as_secs_f64() / self.body.period().as_secs_f64().max(1e-3)).ceil().max(4.0);
        (0..exchanges as usize).map(|_| self.exchange(&Drive::default())).collect()
    }

    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, CalibrateError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(CalibrateError::Operator("stopped".into()));
        }
        let sensed = self.body.exchange(drive)?;
        let last = self.last.replace(sensed.steps).unwrap_or(sensed.steps);
        let made = |i: usize| i64::from(sensed.steps[i].wrapping_sub(last[i]) as i16);
        self.steps = [self.steps[0] + made(0), self.steps[1] + made(1)];
        self.odometry.update(sensed.steps, self.body.period().as_secs_f64(), &self.wheels);
        (self.wait)(self.body.period());
        Ok(sensed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_bench::Bench;
    use super::*;

    #[test]
    fn wheels_make_the_steps_and_stand() {
        let (bench, stop) = (Bench::default(), AtomicBool::new(false));
        let mut wait = |_| ();
        let mut motion = Motion::new(bench.body(), Wheels::default(), &stop, &mut wait);
        for wanted in [[2000, 2000], [-700, 700], [-40, -40]] {
            let made = motion.go(wanted).unwrap();
            assert!((0..2).all(|i| (made[i] - wanted[i]).abs() <= 4), "{made:?} of {wanted:?}");
        }
        assert!(motion.go([20_000, 0]).is_err(), "too far");
        drop(motion);
        assert!(bench.stands());
    }

    #[test]
    fn wheels_stop_after_any_failure() {
        let (bench, stop) = (Bench::default(), AtomicBool::new(false));
        bench.truth().stuck = true;
        let mut wait = |_| ();
        let mut motion = Motion::new(bench.body(), Wheels::default(), &stop, &mut wait);
        let error = motion.go([500, 500]).unwrap_err().to_string();
        assert!(error.contains("[0, 0] of [500, 500]"), "{error}");
        assert!(bench.stands());
        bench.truth().stuck = false;
        bench.truth().fails_in = Some(40);
        assert!(matches!(motion.go([500, 500]), Err(CalibrateError::Device(_))));
        assert!(bench.stands());
        drop(motion);

        let mut exchanges = 0;
        let mut wait = |_| {
            exchanges += 1;
            stop.store(exchanges > 40, Ordering::Relaxed);
        };
        let mut motion = Motion::new(bench.body(), Wheels::default(), &stop, &mut wait);
        assert!(motion.go([5000, 5000]).unwrap_err().to_string().starts_with("stopped"));
        assert!(bench.stands());
    }
}
