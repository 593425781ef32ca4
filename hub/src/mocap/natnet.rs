//! OptiTrack NatNet, the client's side: the `natnet` crate reads the bytes, [`Session`] decides, [`Udp`] has the sockets.
//!
//! We ask for the connection and for the list of bodies; frames then come to the socket that asked, or to a multicast
//! group if the server says so. Of a frame, rigid bodies count, and of these the ones that are tracked.

use super::source::PoseSource;
use super::stream::{QUIET, SILENCE, text};
use super::{RawBody, RawFrame};
use crate::config::UpAxis;
use natnet::net::{DataClient, MIN_DATA_BUFFER};
use natnet::{Decoder, FrameOfData, Message, NAT_KEEPALIVE, ServerInfo, Version, command};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, ToSocketAddrs, UdpSocket};
use std::time::{Duration, Instant};

/// The oldest protocol that we read.
const OLDEST: Version = Version::new(3, 0, 0, 0);
/// Most bodies kept; a list may have more.
const MAX_BODIES: usize = 1000;
/// The list of bodies is asked for at most once in so many frames.
const ASK_AGAIN: u32 = 50;
/// A server that sends to us alone wants to know that we are still there.
const KEEP_ALIVE: Duration = Duration::from_millis(250);

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
        let version = self.server.as_ref().map_or(OLDEST, |server| server.protocol_version);
        let decoder = Decoder::new(version).map_err(|e| e.to_string())?;
        match decoder.parse(datagram).map_err(|e| e.to_string())?.into_message() {
            Message::ServerInfo(server) => {
                if server.protocol_version.major < OLDEST.major {
                    return Err("the server speaks NatNet 2 or older; Motive 2 and later speak 3 or 4".into());
                }
                self.server = Some(server);
                self.ask_for_names();
            }
            Message::ModelDef(model) => {
                let bodies = model.rigid_bodies().take(MAX_BODIES);
                self.names = bodies.map(|(name, id)| (id, name.to_string())).collect();
            }
            // Before the server told its version, a frame cannot be read.
            Message::FrameOfData(frame) if self.server.is_some() => return Ok(Some(self.frame(&frame))),
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
        let tracked = frame.rigid_bodies.iter().filter(|b| b.tracking_valid());
        let body = |b: &natnet::RigidBody| {
            let ([x, y, z], [qx, qy, qz, w]) = (b.position.map(f64::from), b.orientation.map(f64::from));
            let (place, q) = match self.up {
                UpAxis::Z => ([x, y, z], [qx, qy, qz, w]),
                // A quarter turn around x: what was up becomes z.
                UpAxis::Y => ([x, -z, y], [qx, -qz, qy, w]),
            };
            Some(RawBody { name: self.names.get(&b.id)?.clone(), place, rotation: matrix(q), quality: None, age_s })
        };
        RawFrame {
            number: frame.frame_number as u32,
            time_s: if timed { seconds(timing.transmit) } else { timing.timestamp },
            bodies: tracked.filter_map(body).collect(),
        }
    }
}

/// The matrix of a unit quaternion x, y, z, w; of another one it is no rotation, which the gates refuse.
fn matrix([x, y, z, w]: [f64; 4]) -> [f64; 9] {
    [
        w * w + x * x - y * y - z * z,
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        w * w - x * x + y * y - z * z,
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        w * w - x * x - y * y + z * z,
    ]
}

/// A session over UDP.
pub(super) struct Udp {
    session: Session,
    command: UdpSocket,
    /// The multicast group, if frames come there.
    group: Option<DataClient>,
    heard: Instant,
    kept_alive: Instant,
    buffer: Vec<u8>,
}

impl Udp {
    /// Asks the server at `address` for a connection and waits until it answers.
    pub fn connect(address: &str, up: UpAxis) -> Result<Udp, String> {
        let server = address.to_socket_addrs().map_err(text)?.find(|a| a.is_ipv4()).ok_or("it has no IPv4 address")?;
        let command = UdpSocket::bind("0.0.0.0:0").map_err(text)?;
        command.connect(server).map_err(text)?;
        command.set_read_timeout(Some(QUIET)).map_err(text)?;
        let now = Instant::now();
        let (session, buffer) = (Session::new(up), vec![0; MIN_DATA_BUFFER]);
        let mut udp = Udp { session, command, group: None, heard: now, kept_alive: now, buffer };
        while udp.session.server().is_none() {
            if now.elapsed() >= SILENCE {
                return Err(format!("no answer for {} s", SILENCE.as_secs()));
            }
            udp.send()?;
            udp.receive()?;
            udp.session.connect();
        }
        let connection =
            udp.session.server().map(|s| (s.connection.multicast, s.multicast_group(), s.connection.data_port));
        if let Some((true, group, port)) = connection {
            let client = DataClient::bind_multicast(Ipv4Addr::UNSPECIFIED, group, port);
            let client = client.map_err(|e| format!("multicast group {group}, port {port}: {e}"))?;
            client.set_read_timeout(Some(QUIET)).map_err(text)?;
            udp.command.set_nonblocking(true).map_err(text)?;
            udp.group = Some(client);
        }
        udp.heard = Instant::now();
        Ok(udp)
    }

    fn send(&mut self) -> Result<(), String> {
        if self.kept_alive.elapsed() >= KEEP_ALIVE {
            self.kept_alive = Instant::now();
            let [low, high] = NAT_KEEPALIVE.to_le_bytes();
            self.command.send(&[low, high, 0, 0]).map_err(text)?;
        }
        for datagram in self.session.take_outgoing() {
            self.command.send(&datagram).map_err(text)?;
        }
        Ok(())
    }

    /// The next datagram of the server that asked or was asked.
    fn receive(&mut self) -> Result<Option<RawFrame>, String> {
        match self.command.recv(&mut self.buffer) {
            Ok(n) => {
                self.heard = Instant::now();
                self.session.feed(&self.buffer[..n])
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(None),
            Err(e) => Err(text(e)),
        }
    }

    /// The next datagram to the multicast group; others than our server may send there.
    fn receive_from_group(&mut self) -> Result<Option<RawFrame>, String> {
        let Some(group) = &self.group else { return Ok(None) };
        let server = self.command.peer_addr().map_err(text)?.ip();
        match group.recv(&mut self.buffer) {
            Ok((n, from)) if from.ip() == server => {
                self.heard = Instant::now();
                self.session.feed(&self.buffer[..n])
            }
            Ok(_) => Ok(None),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(None),
            Err(e) => Err(text(e)),
        }
    }
}

impl PoseSource for Udp {
    fn frames(&mut self) -> Result<Vec<RawFrame>, String> {
        self.send()?;
        let frames = [self.receive()?, self.receive_from_group()?];
        if self.heard.elapsed() >= SILENCE {
            return Err(format!("silent for {} s", SILENCE.as_secs()));
        }
        Ok(frames.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests;
