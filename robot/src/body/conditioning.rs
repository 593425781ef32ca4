//! Conversions between device values and the robot's units. They convert infra-red counts to proximity (Eq. 7.3), step
//! counts to odometry, and wheel speeds to motor commands. All functions are pure. Times are in seconds of arena time.

use crate::calibration::{Infrared, Wheels};
use xpuck_kernels::model::{PROX_RANGE, WHEELBASE};
use xpuck_registers::infrared::RawInfrared;
use xpuck_registers::stepper::{MAX_STEPS_PER_SECOND, METRES_PER_STEP, MetresPerSecond, StepsPerSecond};
pub use xpuck_robot_core::readings::Readings;

/// Tolerance for a change of the step counters (steps). A change that exceeds the motors' limit by more than this
/// value does not count as motion. The tolerance is necessary because the intervals between exchanges vary.
const SLACK: f64 = 100.0;

/// Computes the proximity at each infra-red sensor as in the reference model. The proximity is 1 - distance / range,
/// or 0 beyond the range.
pub fn proximity(raw: &[RawInfrared; 8], infrared: &Infrared) -> [f32; 8] {
    std::array::from_fn(|i| {
        // A reading of 0 counts means that no obstacle is near, whatever the sensor's offset is.
        if raw[i].0 == 0 {
            return 0.0;
        }
        let aligned = (f32::from(raw[i].0) - infrared.offset[i]) / infrared.scale[i];
        // The response curve does not define a distance for negative counts. They are replaced by 0 counts, for which
        // the distance is beyond the range.
        let distance = infrared.curve.distance(aligned.max(0.0));
        (1.0 - distance / PROX_RANGE).clamp(0.0, 1.0)
    })
}

/// Returns the motor command for the speeds of the left and right wheel (m/s). The command is corrected for the
/// robot's wheels and wheelbase, and rounded to speeds that the motors can run exactly.
pub fn command(speeds: [f32; 2], wheels: &Wheels) -> [StepsPerSecond; 2] {
    let [ahead, turn] = [(speeds[0] + speeds[1]) / 2.0, (speeds[1] - speeds[0]) / 2.0 * wheels.baseline];
    let nominal = [(ahead - turn) / wheels.left, (ahead + turn) / wheels.right];
    nominal.map(|speed| StepsPerSecond::from(MetresPerSecond(speed)).quantised())
}

/// Returns the speeds of the left and right wheel that result from a motor command (m/s).
pub fn speeds_of(command: [StepsPerSecond; 2], wheels: &Wheels) -> [f32; 2] {
    let nominal = command.map(|speed| MetresPerSecond::from(speed).0);
    [nominal[0] * wheels.left, nominal[1] * wheels.right]
}

/// Pose from wheel odometry alone: x (m), y (m) and heading (rad) relative to the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Odometry {
    pose: [f64; 3],
    speeds: [f32; 2],
    last: Option<[u16; 2]>,
    jumps: u32,
}

impl Odometry {
    /// Updates the pose from step counters that were read `elapsed` seconds after the previous reading. A change that
    /// is too large for the motors means that the body has restarted. In this case, the pose does not change, and the
    /// odometry continues from the new counts.
    pub fn update(&mut self, steps: [u16; 2], elapsed: f64, wheels: &Wheels) {
        let last = self.last.replace(steps).unwrap_or(steps);
        let made: [i16; 2] = std::array::from_fn(|i| steps[i].wrapping_sub(last[i]) as i16);
        let possible = f64::from(MAX_STEPS_PER_SECOND) * elapsed.max(0.0) + SLACK;
        if made.iter().any(|steps| f64::from(*steps).abs() > possible) {
            self.jumps = self.jumps.saturating_add(1);
            self.speeds = [0.0; 2];
            return;
        }
        let metre = f64::from(METRES_PER_STEP);
        let left = f64::from(made[0]) * metre * f64::from(wheels.left);
        let right = f64::from(made[1]) * metre * f64::from(wheels.right);
        let (ahead, turn) =
            ((left + right) / 2.0, (right - left) / (f64::from(WHEELBASE) * f64::from(wheels.baseline)));
        let [x, y, heading] = self.pose;
        let midway = heading + turn / 2.0;
        self.pose = [x + ahead * midway.cos(), y + ahead * midway.sin(), heading + turn];
        if elapsed > 0.0 {
            self.speeds = [(left / elapsed) as f32, (right / elapsed) as f32];
        }
    }

    /// Returns the pose: x (m), y (m) and heading (rad). The heading is not wrapped.
    pub fn pose(&self) -> [f64; 3] {
        self.pose
    }

    /// Returns the speeds of the left and right wheel during the last update (m/s).
    pub fn speeds(&self) -> [f32; 2] {
        self.speeds
    }

    /// Returns the number of counter changes that were too large for the motors.
    pub fn jumps(&self) -> u32 {
        self.jumps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;
    use xpuck_registers::infrared::Metres;

    #[test]
    fn counts_become_proximity_whatever_the_sensor() {
        let mut infrared = Infrared { offset: [-60.0; 8], ..Infrared::default() };
        infrared.scale = [0.8; 8];
        for (millimetres, expected) in [(0.0, 1.0), (3.0, 0.9), (15.0, 0.5), (27.0, 0.1), (40.0, 0.0)] {
            let counts = f32::from(RawInfrared::from_distance(Metres(millimetres * 1e-3)).0) * 0.8 - 60.0;
            let found = proximity(&[RawInfrared(counts.max(0.0).round() as u16); 8], &infrared);
            assert!((found[3] - expected).abs() < 0.02, "{millimetres} mm: {found:?}");
        }
    }

    #[test]
    fn any_counts_give_a_proximity() {
        let mut infrared = Infrared { offset: [500.0; 8], scale: [0.3; 8], ..Infrared::default() };
        infrared.curve.floor = 0.0;
        for raw in 0..=u16::MAX {
            let found = proximity(&[RawInfrared(raw); 8], &infrared)[0];
            assert!((0.0..=1.0).contains(&found), "{raw} counts: {found}");
        }
    }

    #[test]
    fn odometry_returns_to_start_with_wrapping_counters() {
        let mut odometry = Odometry::default();
        let mut steps = [65_500u16, 30];
        let wheels = Wheels::default();
        odometry.update(steps, 0.0, &wheels);
        // For a quarter turn, each wheel travels pi/4 of the wheelbase.
        let quarter = (PI / 4.0 * f64::from(WHEELBASE) / f64::from(METRES_PER_STEP)).round() as i16;
        for _ in 0..4 {
            for (left, right, times) in [(70, 70, 10), (-quarter, quarter, 1)] {
                for _ in 0..times {
                    steps = [steps[0].wrapping_add_signed(left), steps[1].wrapping_add_signed(right)];
                    odometry.update(steps, 0.5, &wheels);
                }
            }
        }
        let [x, y, heading] = odometry.pose();
        assert!(x.abs() < 1e-3 && y.abs() < 1e-3 && (heading - 2.0 * PI).abs() < 0.02, "{:?}", odometry.pose());
        assert_eq!(odometry.jumps(), 0);
    }

    #[test]
    fn restarted_body_does_not_move_odometry() {
        let mut odometry = Odometry::default();
        odometry.update([20_000, 20_000], 0.0, &Wheels::default());
        odometry.update([0, 0], 0.1, &Wheels::default());
        assert_eq!((odometry.pose(), odometry.jumps()), ([0.0; 3], 1));
        odometry.update([100, 100], 0.1, &Wheels::default());
        assert!((odometry.pose()[0] - 100.0 * f64::from(METRES_PER_STEP)).abs() < 1e-9);
        assert!((odometry.speeds()[0] - 0.1288).abs() < 1e-3);
    }

    #[test]
    fn wheel_calibration_corrects_commands() {
        let wheels = Wheels { left: 1.02, right: 0.98, baseline: 1.05 };
        let command = command([0.05, 0.05], &wheels);
        let real = speeds_of(command, &wheels);
        // The motors support only certain speeds. Near 0.05 m/s, adjacent supported speeds differ by 3 %.
        assert!((real[0] - 0.05).abs() < 2e-3 && (real[1] - 0.05).abs() < 2e-3, "{command:?}: {real:?}");
        assert!(command[0].get() < command[1].get());
        assert_eq!(super::command([f32::NAN, 0.1], &wheels), [StepsPerSecond::ZERO; 2]);
    }
}
