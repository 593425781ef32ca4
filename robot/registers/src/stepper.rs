//! Stepper motors of the e-puck. A motor has 20 steps per turn and a 50:1 gear, so a wheel has 1000 steps per
//! revolution. The diameter of a wheel is 41 mm (e-puck.org). Real robots differ by about 1 % (thesis 7.2.3). Each
//! robot's calibration corrects the difference.

use std::f32::consts::PI;

/// Number of steps per revolution of a wheel.
pub const STEPS_PER_REVOLUTION: f32 = 1000.0;
/// Diameter of a wheel (m).
pub const WHEEL_DIAMETER: f32 = 0.041;
/// Distance that a wheel rolls per step (m).
pub const METRES_PER_STEP: f32 = PI * WHEEL_DIAMETER / STEPS_PER_REVOLUTION;
/// Maximum speed of a motor in either direction (steps/s), equal to 0.1288 m/s.
pub const MAX_STEPS_PER_SECOND: i16 = 1000;
/// Frequency of the timer that determines the time between steps (Hz). The timer is the `agenda` of the e-puck library,
/// whose ticks last 0.1 ms.
pub const TICKS_PER_SECOND: i16 = 10_000;

/// Speed of a motor (whole steps/s), -1000..=1000. A positive speed drives the robot forward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepsPerSecond(i16);

/// Speed of a wheel over the floor (m/s). A positive speed drives the robot forward.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct MetresPerSecond(pub f32);

impl StepsPerSecond {
    /// Speed of a stopped motor.
    pub const ZERO: StepsPerSecond = StepsPerSecond(0);

    /// Creates a speed from steps/s, clamped to the motors' range.
    pub fn new(steps: i16) -> StepsPerSecond {
        StepsPerSecond(steps.clamp(-MAX_STEPS_PER_SECOND, MAX_STEPS_PER_SECOND))
    }

    /// Returns the actual speed of the motor when this speed is commanded. A step takes a whole number of timer ticks:
    /// the timer frequency divided by the commanded speed, rounded down. For example, all commands from 667 to 714
    /// steps/s result in 14 ticks per step, which is 714 steps/s. The result is rounded down to whole steps/s. The
    /// function is idempotent.
    pub fn quantised(self) -> StepsPerSecond {
        let made = |steps: i16| TICKS_PER_SECOND / (TICKS_PER_SECOND / steps);
        StepsPerSecond(if self.0 == 0 { 0 } else { made(self.0.abs()) * self.0.signum() })
    }

    /// Returns the speed as the value of a word in an SPI message (steps/s).
    pub fn get(self) -> i16 {
        self.0
    }
}

impl From<MetresPerSecond> for StepsPerSecond {
    /// Rounds to whole steps/s, and clamps to the motors' range. NaN becomes 0, because an invalid speed must not move
    /// a motor.
    fn from(speed: MetresPerSecond) -> StepsPerSecond {
        let limit = f32::from(MAX_STEPS_PER_SECOND);
        StepsPerSecond((speed.0 / METRES_PER_STEP).round().clamp(-limit, limit) as i16)
    }
}

impl From<StepsPerSecond> for MetresPerSecond {
    fn from(speed: StepsPerSecond) -> MetresPerSecond {
        MetresPerSecond(f32::from(speed.0) * METRES_PER_STEP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_ahead_is_714_steps_a_second() {
        assert!((METRES_PER_STEP - 0.1288e-3).abs() < 1e-7);
        assert_eq!(StepsPerSecond::from(MetresPerSecond(0.0919)).get(), 713);
        assert_eq!(StepsPerSecond::from(MetresPerSecond(-0.0919)).get(), -713);
    }

    #[test]
    fn speeds_are_clamped_and_never_garbage() {
        assert_eq!(StepsPerSecond::from(MetresPerSecond(0.13)).get(), 1000);
        assert_eq!(StepsPerSecond::from(MetresPerSecond(f32::NEG_INFINITY)).get(), -1000);
        assert_eq!(StepsPerSecond::from(MetresPerSecond(f32::NAN)), StepsPerSecond::ZERO);
        assert_eq!(StepsPerSecond::new(i16::MIN).get(), -1000);
    }

    #[test]
    fn speeds_are_those_of_whole_timer_ticks() {
        for (asked, made) in [(1000, 1000), (950, 1000), (713, 714), (700, 714), (1, 1), (0, 0), (-950, -1000)] {
            assert_eq!(StepsPerSecond::new(asked).quantised().get(), made, "{asked}");
        }
        for steps in -1000..=1000 {
            let made = StepsPerSecond::new(steps).quantised();
            assert_eq!(made.quantised(), made);
            assert!(
                made.get().abs() >= steps.abs() && made.get().abs() <= steps.abs() * 11 / 10 + 1,
                "{steps}: {made:?}"
            );
        }
    }

    #[test]
    fn whole_steps_round_trip_through_metres() {
        for steps in -1000..=1000 {
            let speed = StepsPerSecond::new(steps);
            assert_eq!(StepsPerSecond::from(MetresPerSecond::from(speed)), speed);
        }
    }
}
