//! The two stepper motors of a body: positions, step counters, and the speeds that the processor's timers can
//! produce.

use xpuck_kernels::model::DT;
use xpuck_registers::stepper::{METRES_PER_STEP, StepsPerSecond};

/// Duration of an arena step (ms).
const STEP_MILLISECONDS: i64 = (DT * 1000.0 + 0.5) as i64;
/// Number of position units per motor step.
const PARTS: i64 = 1_000_000;

/// Timing of motor steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The average step rate equals the requested rate exactly.
    Exact,
    /// The step period is a whole number of timer ticks, including the ticks that are lost when the timer restarts.
    Ticks {
        /// Timer frequency (Hz).
        hertz: i64,
        /// Number of ticks lost at each restart of the timer.
        restart: i64,
    },
}

/// Timing of the e-puck1's dsPIC. Timers 4 and 5 run at 14.7456 MHz / 256, and a period is one tick longer than the
/// value of the period register.
pub const EPUCK1: Timing = Timing::Ticks { hertz: 57_600, restart: 1 };
/// Timing of the e-puck2's processor, whose timers run at 100 kHz.
pub const EPUCK2: Timing = Timing::Ticks { hertz: 100_000, restart: 0 };

/// A left and a right motor.
#[derive(Clone, Debug)]
pub struct Motors {
    timing: Timing,
    /// Positions in millionths of a motor step. They are integers, so that rounding does not lose steps.
    positions: [i64; 2],
}

impl Motors {
    /// Creates motors at rest with step counters at 0.
    pub fn new(timing: Timing) -> Motors {
        Motors { timing, positions: [0; 2] }
    }

    /// Returns the ground speeds of the wheels for the requested motor speeds (m/s).
    pub fn wheels(&self, speeds: [StepsPerSecond; 2]) -> [f32; 2] {
        speeds.map(|s| self.thousandths(s) as f32 / 1000.0 * METRES_PER_STEP)
    }

    /// Turns the motors at the requested speeds for one arena step.
    pub fn step(&mut self, speeds: [StepsPerSecond; 2]) {
        for (i, speed) in speeds.into_iter().enumerate() {
            self.positions[i] += self.thousandths(speed) * STEP_MILLISECONDS;
        }
    }

    /// Returns the step counters, which wrap around.
    pub fn counters(&self) -> [u16; 2] {
        self.positions.map(|p| p.div_euclid(PARTS) as u16)
    }

    /// Sets the step counters.
    pub fn set_counters(&mut self, counters: [i16; 2]) {
        self.positions = counters.map(|c| i64::from(c) * PARTS);
    }

    /// Returns the actual motor speed for a requested speed (1/1000 step/s).
    fn thousandths(&self, speed: StepsPerSecond) -> i64 {
        let asked = i64::from(speed.get());
        match self.timing {
            Timing::Ticks { hertz, restart } if asked != 0 => {
                asked.signum() * hertz * 1000 / (hertz / asked.abs() + restart)
            }
            _ => asked * 1000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(timing: Timing, speed: i16, steps: usize) -> u16 {
        let mut motors = Motors::new(timing);
        (0..steps).for_each(|_| motors.step([StepsPerSecond::new(speed); 2]));
        motors.counters()[0]
    }

    #[test]
    fn counters_follow_the_speed_and_wrap() {
        assert_eq!(run(Timing::Exact, 400, 8), 80, "0.2 s at 400 steps/s");
        assert_eq!(run(Timing::Exact, -777, 4000), (-77_700i32) as u16);
        assert_eq!(run(EPUCK1, 0, 100), 0);
    }

    #[test]
    fn speeds_are_those_that_the_timers_can_make() {
        assert_eq!(run(EPUCK1, 1000, 400), 9931, "10 s: 57600 / (57 + 1) = 993.1 steps/s");
        assert_eq!(run(EPUCK1, 714, 400), 7111, "57600 / 81");
        assert_eq!(run(EPUCK2, 714, 400), 7142, "100000 / 140 = 714.3");
        assert_eq!(run(EPUCK2, -300, 400), (-3003i16) as u16, "100000 / 333 = 300.3");
        let [left, _] = Motors::new(EPUCK1).wheels([StepsPerSecond::new(1000); 2]);
        assert!((left - 0.9931 * 0.1288).abs() < 1e-4);
    }

    #[test]
    fn counters_can_be_set() {
        let mut motors = Motors::new(EPUCK2);
        motors.set_counters([-5, 100]);
        assert_eq!(motors.counters(), [65_531, 100]);
    }
}
