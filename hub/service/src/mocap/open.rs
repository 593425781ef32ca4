//! Connects to the motion-capture system configured in the hub's file.

use super::error::MocapError;
use super::source::PoseSource;
use super::stream::{DEAD_AFTER, Tcp};
use super::{natnet, replay, vicon, vrpn};
use std::sync::atomic::AtomicBool;
use xpuck_hub_core::config::{Mocap, MocapKind};

/// Connects to the system configured in the hub's file. Setting `stop` ends the wait for the connection.
///
/// # Errors
/// The system cannot be reached; the error contains the reason.
pub fn open(mocap: &Mocap, stop: &AtomicBool) -> Result<Box<dyn PoseSource>, MocapError> {
    let address = &mocap.address;
    Ok(match mocap.kind {
        MocapKind::Vicon => {
            Box::new(Tcp::connect(address, Box::new(vicon::Client::new(mocap.mode, mocap.lightweight)))?)
        }
        MocapKind::Vrpn => Box::new(Tcp::connect(address, Box::new(vrpn::Client::new()))?),
        MocapKind::VrpnUdp => Box::new(Tcp::accept_from(address, Box::new(vrpn::Client::new()), DEAD_AFTER, stop)?),
        MocapKind::Natnet => Box::new(natnet::udp::Udp::connect(address, mocap.up_axis(), DEAD_AFTER)?),
        MocapKind::Replay => Box::new(replay::Replay::open(mocap)?),
    })
}
