//! Motion capture of the arena as three systems stream it: Vicon, OptiTrack (NatNet) and VRPN.

pub mod natnet;
pub mod vicon;
pub mod vrpn;
