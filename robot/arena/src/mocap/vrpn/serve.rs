//! Serves poses to VRPN clients. A client either connects over TCP, or asks over UDP to be called back over TCP.
//! Each has a bounded queue; one that does not keep up is dropped.

use super::encode::{COOKIE, SensorPose, Writer};
use super::session::{Answer, Session};
use crate::connection::{POLL, is_timeout, prepare, write_all};
use std::io::Read;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Most clients at once; further ones are turned away.
const MAX_CLIENTS: usize = 16;
/// Frames and answers that may wait for a client: ten seconds of arena time.
const QUEUE: usize = 512;
/// Lowest port that a client may ask to be called on.
const LOWEST_PORT: u16 = 1024;

/// What is sent to a client.
enum Outgoing {
    Cookie,
    Descriptions,
    Poses(Duration, Arc<Vec<SensorPose>>),
    Pong(i32),
}

struct Client {
    number: u64,
    stream: TcpStream,
    queue: SyncSender<Outgoing>,
    welcome: Arc<AtomicBool>,
}

#[derive(Default)]
struct Clients {
    list: Vec<Client>,
    admitted: u64,
}

/// The server: its sockets and clients.
pub(crate) struct Server {
    trackers: Vec<String>,
    listener: TcpListener,
    requests: UdpSocket,
    /// Stamps are wall time as this machine had it when the arena began, plus arena time.
    start: Duration,
    clients: Mutex<Clients>,
}

impl Server {
    /// A server for these trackers, in the order of the poses; TCP and UDP have the same port.
    pub(crate) fn bind(address: SocketAddr, trackers: Vec<String>) -> std::io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let requests = UdpSocket::bind(listener.local_addr()?)?;
        requests.set_nonblocking(true)?;
        let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Server { trackers, listener, requests, start, clients: Mutex::default() })
    }

    /// Where it can be reached.
    pub(crate) fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Queues the poses of a moment of arena time for every client.
    pub(crate) fn publish(&self, moment: Duration, poses: Vec<SensorPose>) {
        let poses = Arc::new(poses);
        self.clients().list.retain(|client| {
            let outgoing = Outgoing::Poses(self.start + moment, poses.clone());
            let kept = !client.welcome.load(Relaxed) || client.queue.try_send(outgoing).is_ok();
            if !kept {
                // Wakes the client's threads, which then end; an error means that it is gone already.
                let _ = client.stream.shutdown(Shutdown::Both);
            }
            kept
        });
    }

    /// Takes waiting connections and calls those back who asked for it.
    pub(crate) fn admit<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, stop: &'scope AtomicBool) {
        while let Ok((stream, _)) = self.listener.accept() {
            self.converse(scope, stream, stop);
        }
        let mut datagram = [0; 256];
        while let Ok((n, from)) = self.requests.recv_from(&mut datagram) {
            let Some(port) = wanted_port(&datagram[..n]) else { continue };
            // Only the asking machine is called, whatever address the datagram names.
            if let Ok(stream) = TcpStream::connect_timeout(&SocketAddr::new(from.ip(), port), POLL) {
                self.converse(scope, stream, stop);
            }
        }
    }

    fn converse<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, stream: TcpStream, stop: &'scope AtomicBool) {
        let mut clients = self.clients();
        // A connection that breaks while it is set up is as good as none.
        let Ok((reading, writing)) = prepare(&stream) else { return };
        if clients.list.len() >= MAX_CLIENTS {
            return;
        }
        let (queue, waiting) = sync_channel(QUEUE);
        let welcome = Arc::new(AtomicBool::new(false));
        let number = clients.admitted;
        clients.admitted += 1;
        // An empty queue has room.
        let _ = queue.try_send(Outgoing::Cookie);
        clients.list.push(Client { number, stream, queue: queue.clone(), welcome: welcome.clone() });
        scope.spawn(move || self.write(writing, &waiting, stop));
        scope.spawn(move || {
            self.listen(reading, &queue, &welcome, stop);
            self.clients().list.retain(|client| {
                if client.number == number {
                    let _ = client.stream.shutdown(Shutdown::Both);
                }
                client.number != number
            });
        });
    }

    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, mut stream: TcpStream, waiting: &Receiver<Outgoing>, stop: &AtomicBool) {
        let (mut writer, mut now) = (Writer::default(), self.start);
        while !stop.load(Relaxed) {
            let bytes = match waiting.recv_timeout(POLL) {
                Ok(Outgoing::Cookie) => COOKIE.to_vec(),
                Ok(Outgoing::Descriptions) => {
                    writer.descriptions(now, &self.trackers);
                    writer.take()
                }
                Ok(Outgoing::Poses(stamp, poses)) => {
                    now = stamp;
                    (0..).zip(poses.iter()).for_each(|(tracker, pose)| writer.pose(stamp, tracker, pose));
                    writer.take()
                }
                Ok(Outgoing::Pong(tracker)) => {
                    writer.pong(now, tracker);
                    writer.take()
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if write_all(&mut stream, &bytes, stop).is_err() {
                return;
            }
        }
    }

    /// Reads and answers until the client leaves, misbehaves or the arena stops.
    fn listen(&self, mut stream: TcpStream, queue: &SyncSender<Outgoing>, welcome: &AtomicBool, stop: &AtomicBool) {
        let (mut session, mut chunk) = (Session::default(), [0; 1024]);
        while !stop.load(Relaxed) {
            let n = match stream.read(&mut chunk) {
                Ok(0) => return,
                Ok(n) => n,
                Err(error) if is_timeout(&error) => continue,
                Err(_) => return,
            };
            // There is nobody here to tell why a client is sent away.
            let Ok(answers) = session.feed(&chunk[..n]) else { return };
            for answer in answers {
                let outgoing = match answer {
                    Answer::Welcome => Outgoing::Descriptions,
                    Answer::Pong(name) => match self.trackers.iter().position(|tracker| *tracker == name) {
                        Some(tracker) => Outgoing::Pong(tracker as i32),
                        None => continue,
                    },
                };
                if queue.try_send(outgoing).is_err() {
                    return;
                }
                // Poses follow the descriptions, which are in the queue by now.
                welcome.store(true, Relaxed);
            }
        }
    }
}

/// The port in a request `<address> <port>`, which a zero ends.
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
