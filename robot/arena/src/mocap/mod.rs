//! Motion capture of the arena in the formats of three systems: Vicon, OptiTrack (NatNet) and VRPN.

pub mod natnet;
pub mod vicon;
pub mod vrpn;
