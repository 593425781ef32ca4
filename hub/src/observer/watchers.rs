//! The watchers of the stream. Each has a ZeroMQ socket of its own, behind a connection that is accepted here: one
//! socket for all drops the newest messages of whoever is slow, and does not say so.
//!
//! A thread passes bytes between a watcher and its socket, and notices when nothing is under way any more. Until then the
//! watcher's [`Backlog`] keeps the newest messages.

use super::backlog::{Backlog, Message};
use super::pipe::pass;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tokio::net::TcpSocket;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use xpuck_wire::log;
use xpuck_wire::socket::Sockets;
use xpuck_wire::stream::{BUFFER, Stream};

/// Most watchers at once.
pub const MAX_WATCHERS: usize = 64;
/// The socket of a watcher who left stays so long: whoever was refused hangs up before libzmq has told of it.
const PARTING: Duration = Duration::from_millis(200);
/// Connections that may wait to be accepted.
const BACKLOG: u32 = 64;

/// What the thread tells of a watcher's connection.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// All that its socket gave out has left; set until somebody has seen it.
    pub empty: AtomicBool,
    /// The connection is no more.
    pub over: AtomicBool,
}

/// One who watches.
struct Watcher {
    stream: Stream,
    line: Arc<Line>,
    backlog: Backlog,
    /// When it was seen to have left.
    left: Option<Instant>,
}

/// All who watch.
pub struct Watchers {
    sockets: Sockets,
    plain: bool,
    address: SocketAddr,
    accepted: Receiver<TcpStream>,
    runtime: Handle,
    /// Dropped, it ends the thread.
    _open: oneshot::Sender<()>,
    watchers: Vec<Watcher>,
    missed: u64,
    turned_away: u64,
}

impl Watchers {
    /// Listens at an endpoint such as `tcp://*:7605`; `plain` lets everybody watch.
    ///
    /// # Errors
    /// If the port is in use, or the endpoint is none.
    pub fn listen(endpoint: &str, sockets: &Sockets, plain: bool) -> io::Result<Watchers> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let address = address(endpoint)?;
        let listener = {
            let _inside = runtime.enter();
            let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
            socket.set_reuseaddr(true)?;
            // What the kernel holds for a slow watcher is old when it is read.
            socket.set_send_buffer_size(BUFFER)?;
            socket.bind(address)?;
            socket.listen(BACKLOG)?.into_std()?
        };
        let address = listener.local_addr()?;
        let (newcomers, accepted) = sync_channel(MAX_WATCHERS);
        let (open, closed) = oneshot::channel();
        let handle = runtime.handle().clone();
        std::thread::Builder::new().name("stream".into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = closed => {}
                    ended = accept(listener, newcomers) => if let Err(error) = ended {
                        log::line(format_args!("xpuck: the stream takes nobody more: {error}"));
                    },
                }
            });
        })?;
        Ok(Watchers {
            sockets: sockets.clone(),
            plain,
            address,
            accepted,
            runtime: handle,
            _open: open,
            watchers: Vec::new(),
            missed: 0,
            turned_away: 0,
        })
    }

    /// Where it listens, with the port that it took.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes newcomers in, forgets those who left, and sends what can be sent. To be called at every turn.
    pub fn turn(&mut self) {
        while let Ok(connection) = self.accepted.try_recv() {
            match self.watcher(connection) {
                Ok(watcher) if self.watchers.len() < MAX_WATCHERS => self.watchers.push(watcher),
                _ => self.turned_away += 1,
            }
        }
        let before = self.watchers.len();
        self.watchers.retain(|watcher| !watcher.stream.is_crowded());
        self.turned_away += (before - self.watchers.len()) as u64;
        self.watchers.retain_mut(|watcher| {
            !watcher.line.over.load(Ordering::Relaxed)
                || watcher.left.get_or_insert_with(Instant::now).elapsed() < PARTING
        });
        self.watchers.iter_mut().for_each(Watcher::send);
    }

    /// Reads what is asked for, and gives how many topics that is, of all watchers together.
    pub fn subscriptions(&mut self) -> usize {
        self.watchers.iter_mut().map(|watcher| watcher.stream.subscriptions()).sum()
    }

    /// Somebody asks for this topic.
    pub fn want(&self, topic: &str) -> bool {
        self.watchers.iter().any(|watcher| watcher.stream.wants(topic))
    }

    /// Gives a message to those who ask for its topic. It never waits: of those who are slow the oldest waiting message is
    /// dropped.
    pub fn publish(&mut self, topic: &str, text: String) {
        let message: Message = Arc::new((topic.into(), text));
        for watcher in self.watchers.iter_mut().filter(|watcher| watcher.stream.wants(topic)) {
            self.missed += u64::from(watcher.backlog.push(message.clone()));
            watcher.send();
        }
    }

    /// How many watch.
    pub fn count(&self) -> usize {
        self.watchers.len()
    }

    /// Messages dropped so far, a message as often as it was for a watcher.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// Connections closed so far because there were too many, or because one asked for too much.
    pub fn turned_away(&self) -> u64 {
        self.turned_away
    }

    /// A socket for a newcomer, and the thread's task to pass bytes between them.
    fn watcher(&self, connection: TcpStream) -> io::Result<Watcher> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("xpuck-stream-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let stream = self.sockets.stream(&format!("ipc://@{name}"), self.plain).map_err(io::Error::other)?;
        let inside = UnixStream::connect_addr(&UnixAddr::from_abstract_name(&name)?)?;
        inside.set_nonblocking(true)?;
        let line = Arc::new(Line::default());
        self.runtime.spawn(pass(connection, inside, line.clone()));
        Ok(Watcher { stream, line, backlog: Backlog::default(), left: None })
    }
}

impl Watcher {
    fn send(&mut self) {
        if self.line.empty.swap(false, Ordering::Relaxed) {
            self.backlog.way_is_empty();
        }
        while let Some(message) = self.backlog.next() {
            self.stream.publish(&message.0, &message.1);
        }
    }
}

/// Hands connections over; more than there may be watchers are closed.
async fn accept(listener: TcpListener, newcomers: SyncSender<TcpStream>) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        // An error here is that of a connection which broke again, or of a process with too many files; both pass.
        match listener.accept().await {
            Ok((connection, _)) => drop(newcomers.try_send(connection.into_std()?)),
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// The address of an endpoint as ZeroMQ writes it.
fn address(endpoint: &str) -> io::Result<SocketAddr> {
    let wrong = || io::Error::new(ErrorKind::InvalidInput, "it must look like tcp://*:7605 or tcp://127.0.0.1:7605");
    let (host, port) = endpoint.strip_prefix("tcp://").and_then(|rest| rest.rsplit_once(':')).ok_or_else(wrong)?;
    let host = if host == "*" { "0.0.0.0" } else { host.trim_start_matches('[').trim_end_matches(']') };
    let port = if port == "*" { 0 } else { port.parse().map_err(|_| wrong())? };
    (host, port).to_socket_addrs()?.next().ok_or_else(wrong)
}

#[cfg(test)]
mod tests;
