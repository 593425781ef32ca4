//! Sockets of NatNet. One socket sends requests, and receives the frames of a unicasting server. A second socket
//! joins the multicast group, if any. The server is identified by its IP address only, because its frames may come
//! from another port than its answers.

use super::super::error::MocapError;
use super::super::source::PoseSource;
use super::super::stream::{DEAD_AFTER, POLL_TIMEOUT};
use super::Session;
use natnet::net::MIN_DATA_BUFFER;
use natnet::{ServerInfo, command};
use socket2::{Domain, Protocol, Socket, Type};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, ToSocketAddrs, UdpSocket};
use std::time::{Duration, Instant};
use xpuck_hub_core::config::UpAxis;
use xpuck_hub_core::mocap::RawFrame;
use xpuck_wire::retry_on_interrupt;

/// Interval of keep-alive messages to the server.
const KEEP_ALIVE: Duration = Duration::from_millis(250);

/// Session over UDP, with its sockets.
pub(in crate::mocap) struct Udp {
    session: Session,
    server: SocketAddrV4,
    command: UdpSocket,
    /// Socket in the multicast group; `None` if the server sends frames by unicast.
    group: Option<UdpSocket>,
    heard: Instant,
    kept_alive: Instant,
    buffer: Vec<u8>,
}

impl Udp {
    /// Requests a connection from the server at `address` and waits for its answer for at most `patience`.
    pub fn connect(address: &str, up: UpAxis, patience: Duration) -> Result<Udp, MocapError> {
        let ipv4 = |address| if let SocketAddr::V4(v4) = address { Some(v4) } else { None };
        let server = address.to_socket_addrs()?.find_map(ipv4).ok_or(MocapError::NoIpv4)?;
        let local = local_address(server)?;
        let command = UdpSocket::bind((local, 0))?;
        command.set_read_timeout(Some(POLL_TIMEOUT))?;
        let now = Instant::now();
        let (session, buffer) = (Session::new(up), vec![0; MIN_DATA_BUFFER]);
        let mut udp = Udp { session, server, command, group: None, heard: now, kept_alive: now, buffer };
        while udp.session.server().is_none() {
            if now.elapsed() >= patience {
                return Err(MocapError::NoAnswer(patience.as_secs_f32()));
            }
            udp.send()?;
            udp.receive()?;
            udp.session.connect();
        }
        if let Some(info) = udp.session.server().filter(|info| info.connection.multicast) {
            let (group, port) = (info.multicast_group(), info.connection.data_port);
            let socket = join(group, port, local).map_err(|error| MocapError::Multicast { group, port, error })?;
            udp.command.set_nonblocking(true)?;
            udp.group = Some(socket);
        }
        udp.heard = Instant::now();
        Ok(udp)
    }

    /// Returns the description of the server; `None` before the server has answered.
    pub fn server(&self) -> Option<&ServerInfo> {
        self.session.server()
    }

    fn send(&mut self) -> Result<(), MocapError> {
        if self.kept_alive.elapsed() >= KEEP_ALIVE {
            self.kept_alive = Instant::now();
            retry_on_interrupt(|| self.command.send_to(&command::keepalive_datagram(), self.server))?;
        }
        for datagram in self.session.take_outgoing() {
            retry_on_interrupt(|| self.command.send_to(&datagram, self.server))?;
        }
        Ok(())
    }

    /// Receives at most one datagram from each socket, and returns the frames. Datagrams from other hosts are
    /// ignored.
    fn receive(&mut self) -> Result<Vec<RawFrame>, MocapError> {
        let mut frames = Vec::new();
        for socket in [Some(&self.command), self.group.as_ref()].into_iter().flatten() {
            match retry_on_interrupt(|| socket.recv_from(&mut self.buffer)) {
                Ok((n, from)) if from.ip() == *self.server.ip() => {
                    self.heard = Instant::now();
                    frames.extend(self.session.feed(&self.buffer[..n]).map_err(|why| MocapError::Bytes(why.into()))?);
                }
                Ok(_) => {}
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(e) => return Err(e.into()),
            }
        }
        Ok(frames)
    }
}

impl PoseSource for Udp {
    fn frames(&mut self) -> Result<Vec<RawFrame>, MocapError> {
        self.send()?;
        let frames = self.receive()?;
        if self.heard.elapsed() >= DEAD_AFTER {
            return Err(MocapError::Silent(DEAD_AFTER.as_secs()));
        }
        Ok(frames)
    }

    fn take_notes(&mut self) -> Vec<String> {
        self.session.take_notes()
    }
}

impl Drop for Udp {
    fn drop(&mut self) {
        // Asks the server to stop sending: a unicasting server would otherwise continue for a while. An error is
        // ignored, because the server may be unreachable.
        let _ = self.command.send_to(&command::disconnect_datagram(), self.server);
    }
}

/// Returns the address of this machine on the network of the server.
fn local_address(server: SocketAddrV4) -> std::io::Result<Ipv4Addr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.connect(server)?;
    match socket.local_addr()? {
        SocketAddr::V4(local) => Ok(*local.ip()),
        SocketAddr::V6(_) => Err(ErrorKind::AddrNotAvailable.into()),
    }
}

/// Opens a socket in a multicast group on the network of the server. By default, a hub with two networks would join
/// the group on its network towards the internet. The socket is bound to the group's address, so that it receives no
/// other datagrams. Other programs on this machine may join the same group.
fn join(group: Ipv4Addr, port: u16, local: Ipv4Addr) -> std::io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_reuse_address(true)?;
    socket.bind(&SocketAddrV4::new(group, port).into())?;
    socket.join_multicast_v4(&group, &local)?;
    socket.set_read_timeout(Some(POLL_TIMEOUT))?;
    Ok(socket.into())
}
