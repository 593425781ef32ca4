//! Serves poses by NatNet: answers requests, and sends frames to a multicast group or to each connected client.
//! Sending never blocks. If the socket's buffer is full, the datagram is lost. Clients must tolerate this, because
//! datagrams can be lost on any network.

use super::encode::{self, Frame};
use super::request::{self, Request};
use super::{NatNet, Version};
use std::net::{SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of clients. Further clients receive replies but no frames.
const MAX_CLIENTS: usize = 16;
/// Time without a request after which a client is dropped.
const SILENCE: Duration = Duration::from_secs(5);
/// Maximum number of requests answered per call.
const BURST: usize = 64;

struct Client {
    address: SocketAddr,
    heard: Instant,
}

/// NatNet server with its sockets and clients.
pub(crate) struct Server {
    names: Vec<String>,
    version: Version,
    group: Option<SocketAddrV4>,
    requests: UdpSocket,
    address: SocketAddr,
    frames: UdpSocket,
    clients: Mutex<Vec<Client>>,
}

impl Server {
    /// Binds a server for the bodies with these names, in the order of the poses.
    pub(crate) fn bind(settings: &NatNet, names: Vec<String>) -> std::io::Result<Server> {
        let requests = UdpSocket::bind(settings.address)?;
        // The source address of the frames selects the interface for multicast.
        let frames = UdpSocket::bind((*settings.address.ip(), 0))?;
        requests.set_nonblocking(true)?;
        frames.set_nonblocking(true)?;
        let NatNet { version, group, .. } = *settings;
        let address = requests.local_addr()?;
        Ok(Server { names, version, group, requests, address, frames, clients: Mutex::default() })
    }

    /// Returns the address for requests to the server.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a frame to the multicast group, or to all connected clients if there is no group.
    pub(crate) fn publish(&self, frame: &Frame) {
        let to: Vec<SocketAddr> = match self.group {
            Some(group) => vec![group.into()],
            None => self.present().iter().map(|client| client.address).collect(),
        };
        if to.is_empty() {
            return;
        }
        let bytes = encode::frame(self.version, frame);
        for address in to {
            // A frame that cannot be sent is dropped, because the next frame replaces it.
            let _ = self.frames.send_to(&bytes, address);
        }
    }

    /// Answers the waiting requests, but at most `BURST` of them.
    pub(crate) fn answer(&self) {
        let mut datagram = [0; 1024];
        for _ in 0..BURST {
            let Ok((n, from)) = self.requests.recv_from(&mut datagram) else { return };
            let Some(request) = request::parse(&datagram[..n]) else { continue };
            self.note(request, from);
            let answer = match request {
                Request::Connect => encode::server_info(self.version, self.group),
                Request::Models => encode::models(self.version, &self.names),
                Request::KeepAlive | Request::Disconnect => continue,
                Request::Unknown => encode::unrecognized(),
            };
            let _ = self.requests.send_to(&answer, from);
        }
    }

    /// Updates the list of connected clients after a request.
    fn note(&self, request: Request, from: SocketAddr) {
        let mut clients = self.present();
        if request == Request::Disconnect {
            clients.retain(|client| client.address != from);
        } else if let Some(client) = clients.iter_mut().find(|client| client.address == from) {
            client.heard = Instant::now();
        } else if request == Request::Connect && clients.len() < MAX_CLIENTS {
            clients.push(Client { address: from, heard: Instant::now() });
        }
    }

    /// Removes clients that timed out, and returns the connected clients.
    fn present(&self) -> MutexGuard<'_, Vec<Client>> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| client.heard.elapsed() < SILENCE);
        clients
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode::{BodyPose, id};
    use super::*;

    fn server() -> Server {
        let settings = NatNet { address: "127.0.0.1:0".parse().unwrap(), group: None, version: Version::V4_1 };
        Server::bind(&settings, vec!["xp01".into()]).unwrap()
    }

    /// Sends requests from a client, answers them and publishes one frame. Returns the identifiers of the datagrams
    /// that the client receives.
    fn ask(server: &Server, client: &UdpSocket, requests: &[u16]) -> Vec<u16> {
        for id in requests {
            let [low, high] = id.to_le_bytes();
            client.send_to(&[low, high, 0, 0], server.address()).unwrap();
        }
        server.answer();
        let pose = BodyPose { place: [0.0; 3], turn: [0.0, 0.0, 0.0, 1.0] };
        server.publish(&Frame { number: 1, exposed: Duration::ZERO, sent: Duration::ZERO, poses: vec![pose] });
        let mut came = Vec::new();
        let mut bytes = [0; 1024];
        // The server has already sent all datagrams, and loopback delivers them at once.
        client.set_nonblocking(true).unwrap();
        while client.recv(&mut bytes).is_ok() {
            came.push(u16::from_le_bytes([bytes[0], bytes[1]]));
        }
        came
    }

    #[test]
    fn frames_go_to_those_who_asked_until_they_leave() {
        let server = server();
        let [one, other] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        assert_eq!(ask(&server, &other, &[id::REQUEST_MODELS]), [id::MODELS], "no frames for whom did not connect");
        assert_eq!(ask(&server, &one, &[id::CONNECT]), [id::SERVER_INFO, id::FRAME]);
        assert_eq!(ask(&server, &one, &[id::CONNECT, id::KEEP_ALIVE]), [id::SERVER_INFO, id::FRAME], "one frame each");
        assert_eq!(ask(&server, &one, &[6]), [id::UNRECOGNIZED, id::FRAME]);
        assert!(ask(&server, &one, &[id::DISCONNECT]).is_empty());
    }

    #[test]
    fn clients_are_limited_and_silent_ones_forgotten() {
        let server = server();
        let clients: Vec<UdpSocket> = (0..=MAX_CLIENTS).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
        for client in &clients[..MAX_CLIENTS] {
            assert_eq!(ask(&server, client, &[id::CONNECT]), [id::SERVER_INFO, id::FRAME]);
        }
        assert_eq!(ask(&server, &clients[MAX_CLIENTS], &[id::CONNECT]), [id::SERVER_INFO]);
        for client in server.clients.lock().unwrap().iter_mut().skip(1) {
            client.heard = Instant::now().checked_sub(SILENCE).unwrap();
        }
        assert_eq!(ask(&server, &clients[MAX_CLIENTS], &[id::CONNECT]), [id::SERVER_INFO, id::FRAME]);
        assert_eq!(server.present().len(), 2);
    }
}
