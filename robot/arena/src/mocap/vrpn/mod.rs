//! Emulation of the VRPN servers of Vicon Tracker and Motive. Each subject is a tracker of the same name with one
//! sensor. Messages are big-endian, with positions in metres. Unlike this server, a real system sends no messages for a
//! hidden subject.

pub mod encode;
pub(crate) mod serve;
pub mod session;

use crate::mocap::vicon::marker_height;
use encode::SensorPose;
use xpuck_kernels::math::sin_cos;
use xpuck_kernels::world::Pose;

/// Converts poses to poses of trackers. `poses` contains the poses of `robots` robots, then those of the discs.
pub fn poses(poses: &[Pose], robots: usize) -> Vec<SensorPose> {
    let sensor = |(i, pose): (usize, &Pose)| {
        let (s, c) = sin_cos(pose.heading / 2.0);
        SensorPose {
            place: [f64::from(pose.at.x), f64::from(pose.at.y), marker_height(i, robots) / 1000.0],
            turn: [0.0, 0.0, f64::from(s), f64::from(c)],
        }
    };
    poses.iter().enumerate().map(sensor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;
    use xpuck_kernels::math::vec2;

    #[test]
    fn poses_are_in_metres_and_turn_by_a_quaternion_about_z() {
        let shown = poses(&[Pose { at: vec2(0.5, -0.25), heading: FRAC_PI_2 }, Pose::default()], 1);
        assert_eq!(shown[0].place, [0.5, -0.25, 0.1]);
        let [x, y, z, w] = shown[0].turn;
        assert!(x == 0.0 && y == 0.0 && (z - 0.5f64.sqrt()).abs() < 1e-6 && (w - 0.5f64.sqrt()).abs() < 1e-6);
        assert_eq!(shown[1], SensorPose { place: [0.0, 0.0, 0.025], turn: [0.0, 0.0, 0.0, 1.0] });
    }
}
