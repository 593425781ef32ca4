//! OptiTrack NatNet, the client's side: the `natnet` crate reads the bytes, [`Session`] decides, `udp` has the sockets.
//!
//! We ask for the connection and for the list of bodies; frames then come to the socket that asked, or to a multicast
//! group if the server says so. Of a frame, rigid bodies count, and of these the ones that are tracked.

pub(super) mod udp;

use super::rotation;
use natnet::{Decoder, FrameOfData, Message, MessageHeader, NAT_FRAMEOFDATA, ServerInfo, Version, command};
use std::collections::BTreeMap;
use xpuck_hub_core::config::UpAxis;
use xpuck_hub_core::mocap::{MAX_NAME, RawBody, RawFrame};

/// The oldest protocol that we read; what comes before the frames is the same in all.
const OLDEST: Version = Version::new(3, 0, 0, 0);
/// Most bodies kept; a list may have more.
const MAX_BODIES: usize = 1000;
/// The list of bodies is asked for at most once in so many frames.
const ASK_AGAIN: u32 = 50;

/// What is known of the server.
#[derive(Debug)]
pub struct Session {
    up: UpAxis,
    server: Option<ServerInfo>,
    names: BTreeMap<i32, String>,
    outgoing: Vec<Vec<u8>>,
    asked: u32,
}

impl Session {
    /// A session that asks for a connection; `up` is the server's upward axis.
    pub fn new(up: UpAxis) -> Session {
        let mut session = Session { up, server: None, names: BTreeMap::new(), outgoing: Vec::new(), asked: 0 };
        session.connect();
        session
    }

    /// Asks for the connection once more, in case that a datagram was lost.
    pub fn connect(&mut self) {
        self.outgoing.extend(command::connect_request().map(|r| r.as_bytes().to_vec()));
    }

    /// Datagrams to send to the server.
    pub fn take_outgoing(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.outgoing)
    }

    /// What the server told of itself, once it has.
    pub fn server(&self) -> Option<&ServerInfo> {
        self.server.as_ref()
    }

    /// Takes a datagram from the server.
    ///
    /// # Errors
    /// What in it makes no sense, or a protocol that is too old.
    pub fn feed(&mut self, datagram: &[u8]) -> Result<Option<RawFrame>, String> {
        // Before the server told its version, a frame cannot be read: one may overtake the answer.
        let header = MessageHeader::parse(datagram).map_err(|e| e.to_string())?;
        if self.server.is_none() && header.message_id == NAT_FRAMEOFDATA {
            return Ok(None);
        }
        let version = self.server.as_ref().map_or(OLDEST, |server| server.protocol_version);
        let decoder = Decoder::new(version).map_err(|e| e.to_string())?;
        match decoder.parse(datagram).map_err(|e| e.to_string())?.into_message() {
            Message::ServerInfo(server) => {
                let version = server.protocol_version;
                if version.validate().is_err() {
                    return Err(format!(
                        "the server speaks NatNet {}.{}; 3.0, 3.1, 4.0 and 4.1 are understood",
                        version.major, version.minor
                    ));
                }
                self.server = Some(server);
                self.ask_for_names();
            }
            Message::ModelDef(model) => {
                if let Some(length) = model.rigid_bodies().map(|(name, _)| name.len()).find(|length| *length > MAX_NAME)
                {
                    return Err(format!("a name of {length} bytes; at most {MAX_NAME} are accepted"));
                }
                let bodies = model.rigid_bodies().take(MAX_BODIES);
                self.names = bodies.map(|(name, id)| (id, name.to_string())).collect();
            }
            Message::FrameOfData(frame) => return Ok(Some(self.frame(&frame))),
            _ => {}
        }
        Ok(None)
    }

    fn ask_for_names(&mut self) {
        self.asked = ASK_AGAIN;
        self.outgoing.extend(command::request_modeldef().map(|r| r.as_bytes().to_vec()));
    }

    fn frame(&mut self, frame: &FrameOfData) -> RawFrame {
        self.asked = self.asked.saturating_sub(1);
        if self.asked == 0 && frame.rigid_bodies.iter().any(|b| !self.names.contains_key(&b.id)) {
            self.ask_for_names();
        }
        let timing = &frame.timing;
        let clock = self.server.as_ref().map_or(0, |server| server.high_res_clock_frequency);
        let timed = clock > 0 && timing.transmit > 0;
        let seconds = |ticks: u64| ticks as f64 / clock as f64;
        let age_s = if timed { seconds(timing.transmit.saturating_sub(timing.camera_mid_exposure)) } else { 0.0 };
        let tracked = frame.rigid_bodies.iter().filter(|b| b.tracking_valid()).take(MAX_BODIES);
        let body = |b: &natnet::RigidBody| {
            let ([x, y, z], [qx, qy, qz, w]) = (b.position.map(f64::from), b.orientation.map(f64::from));
            let (place, q) = match self.up {
                UpAxis::Z => ([x, y, z], [qx, qy, qz, w]),
                // A quarter turn around x: what was up becomes z.
                UpAxis::Y => ([x, -z, y], [qx, -qz, qy, w]),
            };
            Some(RawBody {
                name: self.names.get(&b.id)?.clone(),
                place,
                rotation: rotation::from_quaternion(q),
                quality: None,
                age_s,
            })
        };
        RawFrame {
            number: frame.frame_number as u32,
            time_s: if timed { seconds(timing.transmit) } else { timing.timestamp },
            bodies: tracked.filter_map(body).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
