//! Emulation of the motion-capture system above the arena: a Vicon DataStream server at 50 Hz.
//!
//! Subjects are the robots, the frisbee and further discs. The poses in a frame are interpolated between two physics
//! steps, so they are one step old. The latency of a real system is larger (thesis 5.2.3: three frames).

pub mod encode;
pub mod request;
pub mod serve;

use encode::{Frame, SegmentPose};
use xpuck_kernels::math::sin_cos;
use xpuck_kernels::world::Pose;

/// Frame rate in arena time (Hz).
pub const HERTZ: u32 = 50;
/// Subject name of the frisbee.
pub const FRISBEE: &str = "frisbee";
/// Height of the markers on a robot's top plate (mm). No source gives it.
const ROBOT_MARKERS: f64 = 100.0;
/// Height of the markers on the frisbee (mm).
const FRISBEE_MARKERS: f64 = 25.0;

/// Returns the height of the markers on the body with index `i` (mm). The bodies are `robots` robots, then discs.
pub(crate) fn marker_height(i: usize, robots: usize) -> f64 {
    if i < robots { ROBOT_MARKERS } else { FRISBEE_MARKERS }
}

/// Returns the names of the subjects: the robots, then the discs. The first disc is the frisbee.
pub fn subjects(robots: &[String], discs: usize) -> Vec<String> {
    let disc = |number: usize| if number == 1 { FRISBEE.into() } else { format!("disc{number}") };
    robots.iter().cloned().chain((1..=discs).map(disc)).collect()
}

/// Returns a frame. `poses` contains the poses of `robots` robots, then those of the discs.
pub fn frame(number: u32, poses: &[Pose], robots: usize) -> Frame {
    let segment = |(i, pose): (usize, &Pose)| {
        let (s, c) = sin_cos(pose.heading);
        let (s, c) = (f64::from(s), f64::from(c));
        SegmentPose {
            translation: [f64::from(pose.at.x) * 1000.0, f64::from(pose.at.y) * 1000.0, marker_height(i, robots)],
            rotation: [c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0],
        }
    };
    Frame { number, poses: poses.iter().enumerate().map(segment).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;
    use xpuck_kernels::math::vec2;

    #[test]
    fn poses_are_in_millimetres_and_turn_counter_clockwise() {
        let poses = [Pose { at: vec2(0.5, -0.25), heading: FRAC_PI_2 }, Pose::default()];
        let frame = frame(3, &poses, 1);
        assert_eq!(frame.poses[0].translation, [500.0, -250.0, 100.0]);
        // The first column of the matrix is the direction of the robot's x axis. This robot's x axis is the world's y
        // axis.
        assert!(frame.poses[0].rotation[0].abs() < 1e-6 && (frame.poses[0].rotation[3] - 1.0).abs() < 1e-6);
        assert_eq!(frame.poses[1].translation[2], 25.0);
    }
}
