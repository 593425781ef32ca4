//! Slow, bounded motion by the step counters alone. Whatever ends it, the wheels are told to stop.

use super::CalibrateError;
use crate::body::conditioning::Odometry;
use crate::calibration::Wheels;
use crate::device::body::{Body, Drive, Sensed};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use xpuck_registers::stepper::StepsPerSecond;

/// Speed of the wheels, steps/s: 4 cm/s.
const SPEED: i16 = 300;
/// Speed of the last steps.
const SLOW: i16 = 100;
/// The last steps.
const LAST: i64 = 50;
/// Longest motion, steps of each wheel: 1.3 m.
const MAX_STEPS: i64 = 10_000;
/// The body rests so long before and after it is looked at.
const REST: Duration = Duration::from_millis(300);
/// Times that a stop is sent when all ends.
const STOPS: usize = 3;

/// A body that is moved for measurements.
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
    /// `wheels` are for the odometry; `wait` passes the time from one exchange to the next; `stop` ends every motion.
    pub fn new(
        body: Box<dyn Body>,
        wheels: Wheels,
        stop: &'a AtomicBool,
        wait: &'a mut dyn FnMut(Duration),
    ) -> Motion<'a> {
        Motion { body, stop, wait, wheels, odometry: Odometry::default(), last: None, steps: [0; 2] }
    }

    /// Where the body is by its wheels, from where it was first looked at: x, m, y, m, and heading, rad.
    pub fn pose(&self) -> [f64; 3] {
        self.odometry.pose()
    }

    /// The wheels of its odometry.
    pub fn wheels(&self) -> Wheels {
        self.wheels
    }

    /// Turns the wheels by about so many steps, and returns how many they made until they stood.
    ///
    /// # Errors
    /// Any error of the body, a wheel that does not follow, or the wish to stop: the wheels then stand.
    pub fn go(&mut self, wanted: [i64; 2]) -> Result<[i64; 2], CalibrateError> {
        let made = self.drive(wanted).inspect_err(|_| self.halt())?;
        let before = self.steps;
        self.stand(REST)?;
        Ok([made[0] + self.steps[0] - before[0], made[1] + self.steps[1] - before[1]])
    }

    /// Tells the wheels to stop, whatever comes back.
    fn halt(&mut self) {
        // More than once, because a single command may be lost; the body stops by itself when none comes.
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
        // Twice the time that it takes, and a second for the slow end.
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

    /// Stands still for a time; the mean reflected infra-red of the second half of it, counts.
    ///
    /// # Errors
    /// Any error of the body, or the wish to stop.
    pub fn look(&mut self) -> Result<[f64; 8], CalibrateError> {
        let all = self.stand(REST)?;
        let half = &all[all.len() / 2..];
        let mean = |i: usize| half.iter().map(|s| f64::from(s.reflected[i].0)).sum::<f64>() / half.len() as f64;
        Ok(std::array::from_fn(mean))
    }

    fn stand(&mut self, time: Duration) -> Result<Vec<Sensed>, CalibrateError> {
        let exchanges = (time.as_secs_f64() / self.body.period().as_secs_f64().max(1e-3)).ceil().max(4.0);
        (0..exchanges as usize).map(|_| self.exchange(&Drive::default())).collect()
    }

    fn exchange(&mut self, drive: &Drive) -> Result<Sensed, CalibrateError> {
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
    fn whatever_goes_wrong_the_wheels_stand() {
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
