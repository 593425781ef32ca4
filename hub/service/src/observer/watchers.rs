//! The watchers of the stream. Each has a ZeroMQ socket of its own, behind a connection that is accepted here: one
//! socket for all drops the newest messages of whoever is slow, and does not say so.
//!
//! A thread passes bytes between a watcher and its socket, and notices when nothing is under way any more. Until then the
//! watcher's [`Backlog`] keeps the newest messages.

use super::backlog::{Backlog, Message};
use crate::admission::endpoint::listen;
use crate::admission::relay::pass;
use crate::admission::{Admission, Bounds, Eviction, Greeting, Ticket};
use std::io;
use std::net::SocketAddr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use xpuck_wire::socket::Sockets;
use xpuck_wire::stream::{BUFFER, Stream};

/// Newcomers that may wait for the hub's next turn.
const NEWCOMERS: usize = 64;
/// The socket of a watcher who left stays so long: whoever was refused hangs up before libzmq has told of it.
const PARTING: Duration = Duration::from_millis(200);

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

/// Somebody who has greeted as ZeroMQ does.
struct Newcomer {
    connection: TcpStream,
    heard: Vec<u8>,
    ticket: Ticket,
    eviction: Eviction,
}

/// All who watch.
pub struct Watchers {
    sockets: Sockets,
    plain: bool,
    address: SocketAddr,
    admission: Arc<Admission>,
    accepted: Receiver<Newcomer>,
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
    pub fn listen(endpoint: &str, sockets: &Sockets, plain: bool, bounds: Bounds) -> io::Result<Watchers> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = {
            let _inside = runtime.enter();
            // What the kernel holds for a slow watcher is old when it is read.
            listen(endpoint, BUFFER)?
        };
        let address = listener.local_addr()?;
        let greeting = Greeting::of(sockets, plain)?;
        let admission = Admission::new(bounds);
        let (newcomers, accepted) = sync_channel(NEWCOMERS);
        let (open, closed) = oneshot::channel();
        let handle = runtime.handle().clone();
        let here = admission.clone();
        std::thread::Builder::new().name("stream".into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = closed => {}
                    () = accept(&listener, greeting, &here, &newcomers) => {}
                }
            });
        })?;
        Ok(Watchers {
            sockets: sockets.clone(),
            plain,
            address,
            admission,
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
        while let Ok(newcomer) = self.accepted.try_recv() {
            match self.watcher(newcomer) {
                Ok(watcher) => self.watchers.push(watcher),
                Err(_) => self.turned_away += 1,
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
        self.turned_away + self.admission.counts().evicted
    }

    /// A socket for a newcomer, and the thread's task to pass bytes between them.
    fn watcher(&self, newcomer: Newcomer) -> io::Result<Watcher> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("xpuck-stream-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let stream = self.sockets.stream(&format!("ipc://@{name}"), self.plain).map_err(io::Error::other)?;
        let inside = UnixStream::connect_addr(&UnixAddr::from_abstract_name(&name)?)?;
        inside.set_nonblocking(true)?;
        let line = Arc::new(Line::default());
        self.runtime.spawn(tend(newcomer, inside, line.clone()));
        Ok(Watcher { stream, line, backlog: Backlog::default(), left: None })
    }
}

async fn tend(newcomer: Newcomer, inside: UnixStream, line: Arc<Line>) {
    let Newcomer { connection, heard, ticket, eviction } = newcomer;
    if let Ok(inside) = tokio::net::UnixStream::from_std(inside) {
        tokio::select! {
            () = eviction.wait() => {}
            _ = pass(connection, &heard, inside, &ticket, || line.empty.store(true, Ordering::Relaxed)) => {}
        }
    }
    line.over.store(true, Ordering::Relaxed);
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

/// Greets those who come, and hands them over when they have greeted too.
async fn accept(
    listener: &TcpListener,
    greeting: Greeting,
    admission: &Arc<Admission>,
    newcomers: &SyncSender<Newcomer>,
) {
    loop {
        let (mut connection, ticket, eviction) = admission.accept(listener).await;
        let newcomers = newcomers.clone();
        tokio::spawn(async move {
            let heard = eviction.or(greeting.exchange(&mut connection, &ticket)).await;
            if let Some((eviction, Ok(heard))) = heard {
                // More than can wait are closed, and come again.
                let _ = newcomers.try_send(Newcomer { connection, heard, ticket, eviction });
            }
        });
    }
}

#[cfg(test)]
mod tests;
