//! Connections from outside to a ZeroMQ socket, by way of admission control: libzmq itself takes whoever comes, until no
//! descriptor is left.
//!
//! The socket listens where only this process can connect. A peer that has greeted gets a connection to it, and bytes are
//! passed both ways, without a look at what they are but for one: the socket's READY, with which it accepts a peer.

use super::endpoint::listen;
use super::handshake::Server;
use super::{Admission, Bounds, Counts, Greeting, Mistake, Stage, Ticket};
use rustix::fs::{Mode, OFlags};
use socket2::{SockRef, TcpKeepalive};
use std::cell::RefCell;
use std::future::{pending, poll_fn};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use xpuck_wire::socket::GREETING;

/// Where a socket has to be bound that is served through a relay: ZeroMQ makes a folder that only this user may enter.
pub const INSIDE: &str = "ipc://*";
/// Bytes that the kernel holds for a peer: what is older when it is read is of no use to a robot.
const SEND_BUFFER: u32 = 64 * 1024;
/// A peer that has greeted is accepted within this time, however slow its processor.
const HANDSHAKE: Duration = Duration::from_secs(15);
/// Bytes in which a peer proves its key: INITIATE has some 300, and READY without keys fewer.
const LONGEST_PROOF: usize = 4096;
/// A peer that takes nothing for so long has to connect again, which ZeroMQ does by itself.
const STUCK: Duration = Duration::from_secs(60);
/// One that is switched off without a word is found out after `.0 + .2 * .1`.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(30), Duration::from_secs(10), 3);
/// Bytes taken at a time.
const PIECE: usize = 64 * 1024;

thread_local! {
    /// What is read is passed on at once, so that one buffer serves all connections.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; PIECE]);
}

/// A port whose connections are passed on to a ZeroMQ socket, as long as this lives.
pub struct Relay {
    admission: Arc<Admission>,
    address: SocketAddr,
    /// Dropped, it ends the thread.
    _open: oneshot::Sender<()>,
}

/// The way to the socket. Its name is gone from the file system, and what is left is known to this process alone.
struct Inside {
    path: PathBuf,
    _handle: OwnedFd,
}

impl Relay {
    /// Listens at `outside`, such as `tcp://192.168.1.2:7601`, for the socket that is bound at [`INSIDE`], has told its
    /// endpoint, and greets so. `name` is that of the thread.
    ///
    /// # Errors
    /// If somebody else listens there, or the endpoint is none.
    pub fn start(name: &str, outside: &str, inside: &str, greeting: Greeting, bounds: Bounds) -> io::Result<Relay> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let inside = Arc::new(Inside::open(inside)?);
        let listener = {
            let _within = runtime.enter();
            listen(outside, SEND_BUFFER)?
        };
        let address = listener.local_addr()?;
        let admission = Admission::new(bounds);
        let (open, closed) = oneshot::channel();
        let here = admission.clone();
        std::thread::Builder::new().name(name.into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = closed => {}
                    () = accept(&listener, &here, greeting, &inside, bounds.said) => {}
                }
            });
        })?;
        Ok(Relay { admission, address, _open: open })
    }

    /// Where it listens, with the port that it took.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections there are.
    pub fn counts(&self) -> Counts {
        self.admission.counts()
    }
}

impl Inside {
    fn open(endpoint: &str) -> io::Result<Inside> {
        let none = || io::Error::new(ErrorKind::InvalidInput, format!("{endpoint} is no socket of this process"));
        let path = Path::new(endpoint.strip_prefix("ipc://").ok_or_else(none)?);
        let handle = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        std::fs::remove_file(path)?;
        // The folder was made for this socket alone.
        path.parent().map_or(Ok(()), std::fs::remove_dir)?;
        Ok(Inside { path: format!("/proc/self/fd/{}", handle.as_raw_fd()).into(), _handle: handle })
    }
}

async fn accept(
    listener: &TcpListener,
    admission: &Arc<Admission>,
    greeting: Greeting,
    inside: &Arc<Inside>,
    most_said: usize,
) {
    loop {
        let (outside, ticket, eviction) = admission.accept(listener).await;
        let inside = inside.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = eviction.wait() => {}
                _ = serve(outside, &ticket, greeting, &inside, most_said) => {}
            }
        });
    }
}

async fn serve(
    mut outside: TcpStream,
    ticket: &Ticket,
    greeting: Greeting,
    inside: &Inside,
    most_said: usize,
) -> io::Result<()> {
    let heard = greeting.exchange(&mut outside, ticket).await?;
    let socket = UnixStream::connect(&inside.path).await?;
    let peer = outside.peer_addr()?.ip();
    if greeting.asks_for_key() && !greeting.is_alike(&heard) {
        ticket.turned_away(peer, Mistake::NoKey);
    }
    let (ready, mut server) = (AtomicBool::new(false), Server::default());
    let ended = pass(outside, &heard, socket, ticket, most_said, (&ready, &mut server)).await;
    if greeting.asks_for_key() && greeting.is_alike(&heard) && !ready.load(Ordering::Relaxed) {
        // The socket answers only what it can read with its own key.
        let mistake = if server.has_answered() { Mistake::NotEnrolled } else { Mistake::OtherHub };
        ticket.turned_away(peer, mistake);
    }
    ended
}

/// Passes bytes between a peer, which has greeted with `heard`, and a socket, until either side ends or is stuck, or the
/// handshake takes too long, or the peer says more than `most_said` bytes. What the socket has answered is in `server`, and
/// whether it has accepted the peer in `ready`.
async fn pass(
    mut outside: TcpStream,
    heard: &[u8],
    mut socket: UnixStream,
    ticket: &Ticket,
    most_said: usize,
    (ready, server): (&AtomicBool, &mut Server),
) -> io::Result<()> {
    outside.set_nodelay(true)?;
    let (time, interval, retries) = KEEPALIVE;
    let keepalive = TcpKeepalive::new().with_time(time).with_interval(interval).with_retries(retries);
    SockRef::from(&outside).set_tcp_keepalive(&keepalive)?;
    socket.write_all(heard).await?;
    // The peer has the greeting already.
    timeout(HANDSHAKE, socket.read_exact(&mut [0; GREETING])).await??;
    let (mut from_peer, mut to_peer) = outside.split();
    let (mut from_socket, mut to_socket) = socket.split();
    // What a peer says until it is accepted is short, and libzmq would hold all of it.
    let mut said = 0usize;
    let hear = |bytes: &[u8]| {
        ticket.heard();
        said = said.saturating_add(bytes.len());
        said <= if ready.load(Ordering::Relaxed) { most_said } else { LONGEST_PROOF }
    };
    let admit = |bytes: &[u8]| {
        if ready.load(Ordering::Relaxed) || !server.sends(bytes) {
            return true;
        }
        ready.store(true, Ordering::Relaxed);
        ticket.advance(Stage::Established)
    };
    let late = async {
        sleep(HANDSHAKE).await;
        if ready.load(Ordering::Relaxed) {
            pending::<()>().await;
        }
    };
    // However one of them ends, it ends all.
    tokio::select! {
        ended = copy(&mut from_socket, &mut to_peer, admit) => ended,
        ended = copy(&mut from_peer, &mut to_socket, hear) => ended,
        () = late => Err(ErrorKind::TimedOut.into()),
    }
}

/// Copies until the end, or until `admit`, which sees all that is copied, is false.
async fn copy(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    mut admit: impl FnMut(&[u8]) -> bool,
) -> io::Result<()> {
    loop {
        let piece = poll_fn(|context| {
            SCRATCH.with_borrow_mut(|scratch| {
                let mut buffer = ReadBuf::new(scratch);
                match Pin::new(&mut *from).poll_read(context, &mut buffer) {
                    Poll::Ready(read) => read?,
                    Poll::Pending => return Poll::Pending,
                }
                let bytes = buffer.filled();
                if bytes.is_empty() || !admit(bytes) {
                    return Poll::Ready(io::Result::Ok(None));
                }
                let taken = match Pin::new(&mut *to).poll_write(context, bytes) {
                    Poll::Ready(taken) => taken?,
                    Poll::Pending => 0,
                };
                Poll::Ready(Ok(Some(bytes[taken..].to_vec())))
            })
        });
        let Some(rest) = piece.await? else { return Ok(()) };
        if !rest.is_empty() {
            timeout(STUCK, to.write_all(&rest)).await.map_err(|_| ErrorKind::TimedOut)??;
        }
    }
}

#[cfg(test)]
mod tests;
