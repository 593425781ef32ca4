//! Emulation of an OptiTrack NatNet server, as in Motive. Each subject is a rigid body. Positions are in metres with y
//! up, which is Motive's default. Datagrams are little-endian.

pub mod encode;
pub mod request;
pub(crate) mod serve;

use crate::mocap::vicon::marker_height;
use encode::BodyPose;
use std::net::SocketAddrV4;
use xpuck_kernels::math::sin_cos;
use xpuck_kernels::world::Pose;

/// Settings of the NatNet server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NatNet {
    /// Address for requests. Port 0 selects a free port. Frames are sent from another port of the same interface.
    pub address: SocketAddrV4,
    /// Multicast group and port for frames. Without a group, frames are sent to each connected client.
    pub group: Option<SocketAddrV4>,
    /// Protocol version of the datagrams.
    pub version: Version,
}

/// Version of the NatNet protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// Version 3.1, of Motive 2.1 and 2.2.
    V3_1,
    /// Version 4.1, of Motive 3.1. Each section of a frame contains its length.
    #[default]
    V4_1,
    /// Version 4.2, of Motive 3.2. Bodies and frames have the same format as in 4.1.
    V4_2,
}

/// Converts poses to coordinates with y up. The arena's y axis is NatNet's -z axis. `poses` contains the poses of
/// `robots` robots, then those of the discs.
pub fn poses(poses: &[Pose], robots: usize) -> Vec<BodyPose> {
    let body = |(i, pose): (usize, &Pose)| {
        let (s, c) = sin_cos(pose.heading / 2.0);
        BodyPose { place: [pose.at.x, (marker_height(i, robots) / 1000.0) as f32, -pose.at.y], turn: [0.0, s, 0.0, c] }
    };
    poses.iter().enumerate().map(body).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
    use xpuck_kernels::math::vec2;

    #[test]
    fn poses_are_in_metres_with_y_up_and_turn_about_it() {
        let shown = poses(&[Pose { at: vec2(0.5, -0.25), heading: FRAC_PI_2 }, Pose::default()], 1);
        assert_eq!(shown[0].place, [0.5, 0.1, 0.25]);
        let [x, y, z, w] = shown[0].turn;
        assert!(x == 0.0 && z == 0.0 && (y - FRAC_1_SQRT_2).abs() < 1e-6 && (w - FRAC_1_SQRT_2).abs() < 1e-6);
        assert_eq!(shown[1].turn, [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(shown[1].place[1], 0.025);
    }
}
