//! Serves poses to VRPN clients over TCP. Either the client connects to the server, or the client sends a UDP request
//! and the server then connects to the client.

use super::encode::{COOKIE, SensorPose, Writer};
use super::session::{Answer, Session};
use crate::port::Port;
use crate::port::clients::{Clients, MAX_CLIENTS, Wishes};
use crate::port::connection::POLL;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::SyncSender;
use std::thread::Scope;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Lowest port to which a client may request a connection.
const LOWEST_PORT: u16 = 1024;

/// Message to a client.
enum Outgoing {
    Cookie,
    Descriptions,
    Poses(Duration, Arc<Vec<SensorPose>>),
    Pong(i32),
}

/// Whether a client's cookie was accepted. Only clients with an accepted cookie receive poses.
#[derive(Default)]
struct Accepted(AtomicBool);

impl Wishes for Accepted {
    fn has_any(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// VRPN server with its sockets and clients.
pub(crate) struct Server {
    trackers: Vec<String>,
    port: Port,
    requests: UdpSocket,
    /// Wall time of this machine at the start of the arena. The time stamps of messages are this time plus arena time.
    start: Duration,
    clients: Clients<Outgoing, Accepted>,
}

impl Server {
    /// Binds a server for the trackers with these names, in the order of the poses. TCP and UDP use the same port.
    pub(crate) fn bind(address: SocketAddr, trackers: Vec<String>) -> std::io::Result<Server> {
        let port = Port::bind(address, MAX_CLIENTS)?;
        let requests = UdpSocket::bind(port.address())?;
        requests.set_nonblocking(true)?;
        let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Server { trackers, port, requests, start, clients: Clients::default() })
    }

    /// Returns the address at which the server can be reached.
    pub(crate) fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Queues poses for every client whose cookie was accepted. `moment` is the arena time of the poses.
    pub(crate) fn publish(&self, moment: Duration, poses: Vec<SensorPose>) {
        let poses = Arc::new(poses);
        let message = || Outgoing::Poses(self.start + moment, poses.clone());
        self.clients.publish(|welcome| welcome.0.load(Relaxed).then(message));
    }

    /// Accepts waiting connections, and connects to clients that requested a connection over UDP.
    pub(crate) fn admit<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, stop: &'scope AtomicBool) {
        let converse = move |stream| self.converse(scope, stream, stop);
        self.port.admit(scope, converse);
        let mut datagram = [0; 256];
        while let Ok((n, from)) = self.requests.recv_from(&mut datagram) {
            let Some(port) = wanted_port(&datagram[..n]) else { continue };
            // The server connects only to the sender's own address, and ignores the address in the datagram.
            if let Ok(stream) = TcpStream::connect_timeout(&SocketAddr::new(from.ip(), port), POLL) {
                self.port.serve(scope, stream, converse);
            }
        }
    }

    fn converse<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, stream: TcpStream, stop: &'scope AtomicBool) {
        let (mut writer, mut now) = (Writer::default(), self.start);
        let encode = move |message, _: &Accepted| {
            match message {
                Outgoing::Cookie => return COOKIE.to_vec(),
                Outgoing::Descriptions => writer.descriptions(now, &self.trackers),
                Outgoing::Poses(stamp, poses) => {
                    now = stamp;
                    (0..).zip(poses.iter()).for_each(|(tracker, pose)| writer.pose(stamp, tracker, pose));
                }
                Outgoing::Pong(tracker) => writer.pong(now, tracker),
            }
            writer.take()
        };
        let mut session = Session::default();
        let hear = |bytes: &[u8], queue: &SyncSender<Outgoing>, welcome: &Accepted| {
            session.feed(bytes).is_ok_and(|answers| self.answer(answers, queue, welcome))
        };
        self.clients.converse(scope, stream, stop, Outgoing::Cookie, encode, hear);
    }

    /// Queues replies to a client. Returns false if the client's queue is full, because the client does not read its
    /// messages.
    fn answer(&self, answers: Vec<Answer>, queue: &SyncSender<Outgoing>, welcome: &Accepted) -> bool {
        for answer in answers {
            let outgoing = match answer {
                Answer::Welcome => Outgoing::Descriptions,
                Answer::Pong(name) => match self.trackers.iter().position(|tracker| *tracker == name) {
                    Some(tracker) => Outgoing::Pong(tracker as i32),
                    None => continue,
                },
            };
            if queue.try_send(outgoing).is_err() {
                return false;
            }
            // The descriptions are already in the queue, so poses may follow.
            welcome.0.store(true, Relaxed);
        }
        true
    }
}

/// Parses the port in a zero-terminated request `<address> <port>`. Returns `None` for a malformed request, and for a
/// port below `LOWEST_PORT`.
fn wanted_port(datagram: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(datagram.strip_suffix(&[0])?).ok()?;
    let port = text.split_once(' ')?.1.trim().parse().ok()?;
    (port >= LOWEST_PORT).then_some(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_name_a_port_or_are_ignored() {
        assert_eq!(wanted_port(b"192.168.1.2 40001\0"), Some(40001));
        for bad in ["", "40001\0", "10.0.0.1 40001", "10.0.0.1 80\0", "10.0.0.1 99999\0", "10.0.0.1 x\0"] {
            assert_eq!(wanted_port(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
