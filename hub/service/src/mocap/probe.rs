//! Checks once whether a hub could connect to the motion-capture system, without keeping a connection.

use super::error::MocapError;
use super::natnet::udp::Udp;
use super::replay::Replay;
use super::stream::Tcp;
use super::vrpn;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use xpuck_hub_core::config::{Mocap, MocapKind};

/// Probes the motion-capture system with its configured protocol, and returns a description of the result. The wait for
/// an answer may exceed `patience` slightly.
///
/// # Errors
/// A hub could not connect; the error contains the reason.
pub fn probe(mocap: &Mocap, patience: Duration) -> Result<String, MocapError> {
    let address = &mocap.address;
    match mocap.kind {
        MocapKind::Vicon | MocapKind::Vrpn => {
            let one = address.to_socket_addrs()?.next().ok_or(MocapError::NoAddress)?;
            TcpStream::connect_timeout(&one, patience)?;
            Ok("accepts connections".into())
        }
        MocapKind::VrpnUdp => {
            Tcp::accept_from(address, Box::new(vrpn::Client::new()), patience, &AtomicBool::new(false))?;
            Ok("connected back after a UDP request".into())
        }
        MocapKind::Natnet => {
            let udp = Udp::connect(address, mocap.up_axis(), patience)?;
            let server = udp.server().ok_or(MocapError::NoAnswer(patience.as_secs_f32()))?;
            let (name, version) = (&server.application_name, server.protocol_version);
            Ok(format!("{name:?} answered, NatNet {}.{}", version.major, version.minor))
        }
        MocapKind::Replay => Ok(format!("the record contains {} frames", Replay::open(mocap)?.len())),
    }
}
