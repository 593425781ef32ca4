//! Relays outside connections to a ZeroMQ socket with admission control. Without the relay, libzmq accepts
//! connections until no descriptor is left.
//!
//! The inner socket listens at a place to which only this process can connect. After the greeting, the relay opens a
//! connection to the inner socket for each peer. It then relays bytes in both directions. It inspects only the bytes
//! of the inner socket up to its READY, with which the socket accepts a peer.

use super::endpoint::listen;
use super::handshake::Server;
use super::{Admission, Bounds, Counts, Greeting, KeyError, Stage, Ticket};
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

/// Endpoint to which a relayed socket has to be bound. ZeroMQ creates a socket in a new folder that only this user
/// may enter.
pub const INSIDE: &str = "ipc://*";
/// Size of the kernel's send buffer for a peer (bytes). Data in a longer queue would be stale when it reaches a
/// robot.
const SEND_BUFFER: u32 = 64 * 1024;
/// Time limit for the handshake after the greeting; sufficient for slow processors.
const HANDSHAKE: Duration = Duration::from_secs(15);
/// Maximum number of bytes that a peer may send before it is accepted. INITIATE has about 300 bytes, READY without
/// keys fewer.
const LONGEST_PROOF: usize = 4096;
/// Time limit for a peer that accepts no bytes. After that the connection is closed; ZeroMQ peers then reconnect
/// automatically.
const STUCK: Duration = Duration::from_secs(60);
/// TCP keepalive: idle time before the first probe, interval between probes, and number of probes. A peer without
/// power is detected after the idle time and all intervals, in total 60 s.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(30), Duration::from_secs(10), 3);
/// Number of bytes per read.
const PIECE: usize = 64 * 1024;

thread_local! {
    /// Buffer for reading. One buffer serves all connections of a thread, because read bytes are relayed at once.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; PIECE]);
}

/// Port whose connections are relayed to a ZeroMQ socket. Dropping this value stops the relay.
pub struct Relay {
    admission: Arc<Admission>,
    address: SocketAddr,
    /// Dropping this sender ends the relay's thread.
    _open: oneshot::Sender<()>,
}

/// Inner socket. Its name is removed from the file system, so that only this process, which holds the handle, can
/// connect to it.
struct InnerSocket {
    path: PathBuf,
    _handle: OwnedFd,
}

impl Relay {
    /// Listens at `outside`, such as `tcp://192.168.1.2:7601`, and relays connections to an inner socket. The inner
    /// socket is bound to [`INSIDE`], has the endpoint `inside`, and sends this `greeting`. `name` is the name of the
    /// relay's thread.
    ///
    /// # Errors
    /// If the address is in use, or an endpoint is invalid.
    pub fn start(name: &str, outside: &str, inside: &str, greeting: Greeting, bounds: Bounds) -> io::Result<Relay> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let inside = Arc::new(InnerSocket::open(inside)?);
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

    /// Returns the address of the listening socket, with its actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the current connection counters.
    pub fn counts(&self) -> Counts {
        self.admission.counts()
    }
}

impl InnerSocket {
    fn open(endpoint: &str) -> io::Result<InnerSocket> {
        let none = || io::Error::new(ErrorKind::InvalidInput, format!("{endpoint} is not a socket of this process"));
        let path = Path::new(endpoint.strip_prefix("ipc://").ok_or_else(none)?);
        let handle = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        std::fs::remove_file(path)?;
        // ZeroMQ created the folder only for this socket.
        path.parent().map_or(Ok(()), std::fs::remove_dir)?;
        Ok(InnerSocket { path: format!("/proc/self/fd/{}", handle.as_raw_fd()).into(), _handle: handle })
    }
}

async fn accept(
    listener: &TcpListener,
    admission: &Arc<Admission>,
    greeting: Greeting,
    inside: &Arc<InnerSocket>,
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
    inside: &InnerSocket,
    most_said: usize,
) -> io::Result<()> {
    let heard = greeting.exchange(&mut outside, ticket).await?;
    let socket = UnixStream::connect(&inside.path).await?;
    let peer = outside.peer_addr()?.ip();
    if greeting.asks_for_key() && !greeting.is_alike(&heard) {
        ticket.rejected(peer, KeyError::NoKey);
    }
    let (ready, mut server) = (AtomicBool::new(false), Server::default());
    let ended = pass(outside, &heard, socket, ticket, most_said, (&ready, &mut server)).await;
    if greeting.asks_for_key() && greeting.is_alike(&heard) && !ready.load(Ordering::Relaxed) {
        // The inner socket answers only messages that it can decrypt with its own key.
        let mistake = if server.has_answered() { KeyError::NotEnrolled } else { KeyError::OtherHub };
        ticket.rejected(peer, mistake);
    }
    ended
}

/// Relays bytes between a peer and the inner socket. `heard` is the peer's greeting and first command. Ends when
/// either side ends or stalls, the handshake takes too long, or the peer sends more than `most_said` bytes. `server`
/// collects the inner socket's bytes up to its READY. `ready` is set to true when the inner socket accepts the peer.
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
    // The inner socket's greeting is dropped, because the peer already has it.
    timeout(HANDSHAKE, socket.read_exact(&mut [0; GREETING])).await??;
    let (mut from_peer, mut to_peer) = outside.split();
    let (mut from_socket, mut to_socket) = socket.split();
    // The number of bytes from a peer that is not yet accepted is limited, because libzmq would buffer all of them.
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
    // When one direction ends, the relay ends both.
    tokio::select! {
        ended = copy(&mut from_socket, &mut to_peer, admit) => ended,
        ended = copy(&mut from_peer, &mut to_socket, hear) => ended,
        () = late => Err(ErrorKind::TimedOut.into()),
    }
}

/// Copies bytes until the end of the input, or until `admit` returns false. `admit` gets all bytes before they are
/// written.
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
