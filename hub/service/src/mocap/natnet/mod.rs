//! Client of OptiTrack NatNet. The `natnet` crate decodes the bytes, [`Session`] contains the logic, and `udp`
//! contains the sockets.
//!
//! The client requests the connection and the list of bodies. Frames are then sent to the requesting socket, or to a
//! multicast group if the server announces one. Only the tracked rigid bodies of a frame are used.

pub(super) mod udp;

use super::rotation;
use natnet::{Decoder, FrameOfData, Message, MessageHeader, NAT_FRAMEOFDATA, ServerInfo, Version, command};
use std::collections::{BTreeMap, BTreeSet};
use xpuck_hub_core::config::UpAxis;
use xpuck_hub_core::mocap::{MAX_NAME, RawBody, RawFrame};

/// Oldest supported protocol version. The server's first answer is decoded as a message of this version, because the
/// messages before the frames have the same layout in all versions.
const OLDEST: Version = Version::new(3, 0, 0, 0);
/// Maximum number of stored bodies. Further bodies in the server's list are ignored.
const MAX_BODIES: usize = 1000;
/// Minimum interval between two requests for the list of bodies while the list is stale or incomplete (frames).
const ASK_AGAIN: u32 = 50;
/// Interval at which the list of bodies is requested if the server announces no change (frames). The datagram that
/// announced a change may have been lost.
const ASK_ANYWAY: u32 = 500;
/// Bit of a frame's parameters that announces a change of the list of bodies.
const MODELS_CHANGED: u16 = 1 << 1;
/// Maximum number of changed names listed in a log line.
const SHOWN: usize = 8;

/// Returns the version whose layout is used to decode a server's datagrams. For the versions 4.2 to 4.9, this is 4.1.
/// Since 4.1 the sections contain their lengths, and the sections used here have not changed.
fn layout(version: Version) -> Version {
    match (version.major, version.minor) {
        (4, 2..=9) => Version::V4_1,
        _ => version,
    }
}

/// State of a session with a server.
#[derive(Debug)]
pub struct Session {
    up: UpAxis,
    server: Option<ServerInfo>,
    names: BTreeMap<i32, String>,
    outgoing: Vec<Vec<u8>>,
    /// Number of frames since the last request for the list of bodies.
    asked: u32,
    /// Whether the last frame announced a change of the list of bodies.
    changing: bool,
    /// Whether the list of bodies is stale. Poses are then discarded until the new list arrives.
    stale: bool,
    notes: Vec<String>,
}

impl Session {
    /// Creates a session and queues a request for a connection. `up` is the server's upward axis.
    pub fn new(up: UpAxis) -> Session {
        let mut session = Session {
            up,
            server: None,
            names: BTreeMap::new(),
            outgoing: Vec::new(),
            asked: 0,
            notes: Vec::new(),
            changing: false,
            stale: false,
        };
        session.connect();
        session
    }

    /// Queues the request for a connection again, in case a datagram was lost.
    pub fn connect(&mut self) {
        self.outgoing.extend(command::connect_request().map(|r| r.as_bytes().to_vec()));
    }

    /// Returns the queued datagrams, to be sent to the server, and clears the queue.
    pub fn take_outgoing(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.outgoing)
    }

    /// Returns the description of the server; `None` before the server has answered.
    pub fn server(&self) -> Option<&ServerInfo> {
        self.server.as_ref()
    }

    /// Processes a datagram from the server. Returns the frame in the datagram; `None` if it contains no frame, or if
    /// the server has not announced its version yet.
    ///
    /// # Errors
    /// The datagram is invalid, or the protocol version is not supported.
    pub fn feed(&mut self, datagram: &[u8]) -> Result<Option<RawFrame>, String> {
        // A frame that arrives before the server's answer cannot be decoded, because the version is not known yet.
        let header = MessageHeader::parse(datagram).map_err(|e| e.to_string())?;
        if self.server.is_none() && header.message_id == NAT_FRAMEOFDATA {
            return Ok(None);
        }
        let version = self.server.as_ref().map_or(OLDEST, |server| server.protocol_version);
        let decoder = Decoder::new(layout(version)).map_err(|e| e.to_string())?;
        match decoder.parse(datagram).map_err(|e| e.to_string())?.into_message() {
            Message::ServerInfo(server) => {
                let version = server.protocol_version;
                if layout(version).validate().is_err() {
                    return Err(format!(
                        "the server uses NatNet {}.{}; supported versions are 3.0, 3.1 and 4.0 to 4.9",
                        version.major, version.minor
                    ));
                }
                self.server = Some(server);
                self.ask_for_names();
            }
            Message::ModelDef(model) => {
                if let Some(length) = model.rigid_bodies().map(|(name, _)| name.len()).find(|length| *length > MAX_NAME)
                {
                    return Err(format!("a name has {length} bytes; at most {MAX_NAME} are allowed"));
                }
                let bodies = model.rigid_bodies().take(MAX_BODIES);
                self.take_names(bodies.map(|(name, id)| (id, name.to_string())).collect());
            }
            Message::FrameOfData(frame) => return Ok(Some(self.frame(&frame))),
            _ => {}
        }
        Ok(None)
    }

    /// Returns the log lines about changed names of bodies since the last call. Each received list with changes gives
    /// one line.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn take_names(&mut self, names: BTreeMap<i32, String>) {
        self.stale = false;
        let before = std::mem::replace(&mut self.names, names);
        if before.is_empty() || before == self.names {
            return;
        }
        let name = |names: &BTreeMap<i32, String>, id: i32| names.get(&id).map_or("nothing".into(), Clone::clone);
        let ids: BTreeSet<i32> = before.keys().chain(self.names.keys()).copied().collect();
        let changed: Vec<String> = ids
            .into_iter()
            .filter(|id| before.get(id) != self.names.get(id))
            .map(|id| format!("body {id} was {} and is now {}", name(&before, id), name(&self.names, id)))
            .collect();
        let more = changed.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        self.notes.push(format!("names changed: {}{more}", changed[..changed.len().min(SHOWN)].join(", ")));
    }

    fn ask_for_names(&mut self) {
        self.asked = 0;
        self.outgoing.extend(command::request_modeldef().map(|r| r.as_bytes().to_vec()));
    }

    fn frame(&mut self, frame: &FrameOfData) -> RawFrame {
        self.asked = self.asked.saturating_add(1);
        let unknown = || frame.rigid_bodies.iter().any(|b| !self.names.contains_key(&b.id));
        let changing = frame.params & MODELS_CHANGED != 0;
        let began = changing && !self.changing;
        self.changing = changing;
        self.stale |= began;
        if began || (self.asked >= ASK_AGAIN && (self.stale || unknown())) || self.asked >= ASK_ANYWAY {
            self.ask_for_names();
        }
        let timing = &frame.timing;
        let clock = self.server.as_ref().map_or(0, |server| server.high_res_clock_frequency);
        let timed = clock > 0 && timing.transmit > 0;
        let seconds = |ticks: u64| ticks as f64 / clock as f64;
        let age_s = if timed { seconds(timing.transmit.saturating_sub(timing.camera_mid_exposure)) } else { 0.0 };
        let tracked = frame.rigid_bodies.iter().filter(|b| b.tracking_valid() && !self.stale).take(MAX_BODIES);
        let body = |b: &natnet::RigidBody| {
            let ([x, y, z], [qx, qy, qz, w]) = (b.position.map(f64::from), b.orientation.map(f64::from));
            let (place, q) = match self.up {
                UpAxis::Z => ([x, y, z], [qx, qy, qz, w]),
                // Rotates by a quarter turn about x, so that the server's upward axis y becomes z.
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
