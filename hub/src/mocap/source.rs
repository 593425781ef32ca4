//! What all motion-capture systems have in common, and how one is opened.

use super::stream::{SILENCE, Tcp};
use super::{RawFrame, natnet, replay, vicon, vrpn};
use crate::config::{Mocap, MocapKind};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A motion-capture system, connected.
pub trait PoseSource {
    /// The frames that came since the last call. Waits for one, at most about half a second.
    ///
    /// # Errors
    /// Why the connection is of no more use, in a few words.
    fn frames(&mut self) -> Result<Vec<RawFrame>, String>;
}

/// A protocol over a stream of bytes, without any I/O.
pub trait Codec {
    /// Takes bytes from the server and returns the frames they complete.
    ///
    /// # Errors
    /// What in the bytes makes no sense; the connection must be dropped.
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, String>;

    /// Bytes to send to the server.
    fn take_outgoing(&mut self) -> Vec<u8>;

    /// How long to wait before what is to be sent is sent: a server that answers at once must not be asked all the time.
    fn pace(&self) -> Duration {
        Duration::ZERO
    }

    /// The server has been silent for a moment; what is to be asked may be asked now.
    fn quiet(&mut self) {}
}

/// Connects to the system that the hub's file names; `stop` ends a wait for it.
///
/// # Errors
/// Why it cannot be reached, in a few words.
pub fn open(mocap: &Mocap, stop: &AtomicBool) -> Result<Box<dyn PoseSource>, String> {
    let address = &mocap.address;
    Ok(match mocap.kind {
        MocapKind::Vicon => {
            Box::new(Tcp::connect(address, Box::new(vicon::Client::new(mocap.mode, mocap.lightweight)))?)
        }
        MocapKind::Vrpn => Box::new(Tcp::connect(address, Box::new(vrpn::Client::new()))?),
        MocapKind::VrpnUdp => Box::new(Tcp::called_back(address, Box::new(vrpn::Client::new()), SILENCE, stop)?),
        MocapKind::Natnet => Box::new(natnet::udp::Udp::connect(address, mocap.up, SILENCE)?),
        MocapKind::Replay => Box::new(replay::Replay::open(mocap)?),
    })
}
