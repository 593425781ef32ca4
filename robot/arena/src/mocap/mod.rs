//! Motion capture of the arena, with the protocols of three systems: Vicon, OptiTrack (NatNet) and VRPN.

pub mod natnet;
pub mod vicon;
pub mod vrpn;
