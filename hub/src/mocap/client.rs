//! The thread that keeps a connection to the motion-capture server.

use super::gates::Gates;
use super::{Frame, RawFrame, vicon, vrpn};
use crate::config::{Mocap, MocapKind};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// Frames that may wait for the hub; newer ones are dropped while it is full.
pub const QUEUE: usize = 64;
/// Pause between attempts to connect.
const RETRY: Duration = Duration::from_millis(200);
/// A server silent for so long is taken for gone.
const SILENCE: Duration = Duration::from_secs(2);
/// A VRPN server in whose room nothing moves is silent; it is asked so often.
const QUIET: Duration = Duration::from_millis(500);
/// How often a VRPN server is asked to call back before it is given up for the time being, each [`QUIET`].
const CALLS: usize = 4;

/// What the thread tells.
#[derive(Debug)]
pub enum Event {
    /// A frame came.
    Frame(Frame),
    /// The connection came or went, or poses were refused; a line for the log.
    Note(String),
}

/// Starts the thread; it ends when `stop` is set.
pub fn start(
    mocap: &Mocap,
    robots: &[String],
    events: SyncSender<Event>,
    stop: Arc<AtomicBool>,
) -> std::io::Result<()> {
    let mut gates = Gates::new(mocap.gates, robots);
    let (kind, address) = (mocap.kind, mocap.address.clone());
    std::thread::Builder::new().name("mocap".into()).spawn(move || {
        let mut told = false;
        while !stop.load(Ordering::Relaxed) {
            let problem = match stream(kind, &address, &mut gates, &events, &stop, &mut told) {
                Ok(()) => return,
                Err(error) => error,
            };
            if !told {
                told = true;
                let note = format!("motion capture at {address}: {problem}; trying again until it answers");
                let _ = events.try_send(Event::Note(note));
            }
            std::thread::sleep(RETRY);
        }
    })?;
    Ok(())
}

/// A protocol's state.
enum Client {
    Vicon(vicon::Client),
    Vrpn(vrpn::Client),
}

impl Client {
    fn new(kind: MocapKind) -> Client {
        match kind {
            MocapKind::Vicon => Client::Vicon(vicon::Client::new()),
            MocapKind::Vrpn | MocapKind::VrpnUdp => Client::Vrpn(vrpn::Client::new()),
        }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, String> {
        match self {
            Client::Vicon(client) => client.feed(bytes).map_err(|e| e.to_string()),
            Client::Vrpn(client) => client.feed(bytes).map_err(|e| e.to_string()),
        }
    }

    fn take_outgoing(&mut self) -> Vec<u8> {
        match self {
            Client::Vicon(client) => client.take_outgoing(),
            Client::Vrpn(client) => client.take_outgoing(),
        }
    }

    fn quiet(&mut self) {
        if let Client::Vrpn(client) = self {
            client.ping();
        }
    }
}

fn stream(
    kind: MocapKind,
    address: &str,
    gates: &mut Gates,
    events: &SyncSender<Event>,
    stop: &AtomicBool,
    told: &mut bool,
) -> Result<(), String> {
    let text = |e: std::io::Error| e.to_string();
    let mut socket = match kind {
        MocapKind::Vicon | MocapKind::Vrpn => TcpStream::connect(address).map_err(text)?,
        MocapKind::VrpnUdp => called_back(address, stop)?,
    };
    socket.set_nodelay(true).map_err(text)?;
    socket.set_read_timeout(Some(QUIET)).map_err(text)?;
    let mut client = Client::new(kind);
    let mut bytes = [0u8; 16384];
    let mut heard = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        socket.write_all(&client.take_outgoing()).map_err(text)?;
        let n = match socket.read(&mut bytes) {
            Ok(0) => return Err("the server closed the connection".into()),
            Ok(n) => n,
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if heard.elapsed() >= SILENCE {
                    return Err(format!("silent for {} s", SILENCE.as_secs()));
                }
                client.quiet();
                continue;
            }
            Err(e) => return Err(text(e)),
        };
        heard = Instant::now();
        for raw in client.feed(&bytes[..n])? {
            if *told {
                *told = false;
                let _ = events.try_send(Event::Note(format!("motion capture at {address}: frames are coming again")));
            }
            // A full queue means that the hub is late; the next frame is newer anyway.
            if let Some(frame) = gates.pass(&raw) {
                let _ = events.try_send(Event::Frame(frame));
            }
            if let Some(report) = gates.report() {
                let _ = events.try_send(Event::Note(report));
            }
        }
    }
    Ok(())
}

/// Asks a VRPN server by UDP to connect to a port of ours, and waits until it does.
fn called_back(address: &str, stop: &AtomicBool) -> Result<TcpStream, String> {
    let text = |e: std::io::Error| e.to_string();
    let server: SocketAddr =
        address.to_socket_addrs().map_err(text)?.find(SocketAddr::is_ipv4).ok_or("it has no IPv4 address")?;
    let request = UdpSocket::bind("0.0.0.0:0").map_err(text)?;
    request.connect(server).map_err(text)?;
    // Our address as the server's network sees it.
    let listener = TcpListener::bind((request.local_addr().map_err(text)?.ip(), 0)).map_err(text)?;
    listener.set_nonblocking(true).map_err(text)?;
    let ours = listener.local_addr().map_err(text)?;
    for _ in 0..CALLS {
        request.send(format!("{} {}\0", ours.ip(), ours.port()).as_bytes()).map_err(text)?;
        let until = Instant::now() + QUIET;
        while Instant::now() < until && !stop.load(Ordering::Relaxed) {
            match listener.accept() {
                Ok((socket, from)) if from.ip() == server.ip() => {
                    return socket.set_nonblocking(false).and(Ok(socket)).map_err(text);
                }
                Ok((_, from)) => return Err(format!("{} connected in its place", from.ip())),
                Err(e) if e.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(5)),
                Err(e) => return Err(text(e)),
            }
        }
    }
    Err(format!("asked by UDP to connect to {ours}, it does not; is the port open to it?"))
}
