//! The ends that connect: a robot's, a worker's and an operator's.

use super::{Keys, NAME_ENDS, REFUSED_AT_ONCE, Readable, SocketError, Sockets};
use crate::codec::{self, CodecError, Message};
use crate::monitor;
use crate::session::fresh_session;
use crate::signals::{again, send_parts};
use std::time::{Duration, Instant};

/// A worker asks so often whether the server is there, ms of wall time.
const HEARTBEAT_MS: i32 = 5000;

impl Sockets {
    /// Puts the keys into a socket that is about to connect.
    pub(crate) fn prove(&self, socket: &zmq::Socket) -> zmq::Result<()> {
        let Keys::Client(secret, server) = &self.keys else { return Ok(()) };
        socket.set_curve_serverkey(&server.0)?;
        socket.set_curve_publickey(&secret.public.curve.0)?;
        socket.set_curve_secretkey(secret.curve())
    }

    /// A socket that tells when the other end turns this one's key away.
    fn watch(&self, socket: &zmq::Socket, endpoint: &str) -> Result<zmq::Socket, SocketError> {
        monitor::start(&self.context, socket, &[zmq::SocketEvent::HANDSHAKE_FAILED_AUTH])
            .map_err(|error| SocketError::Other { endpoint: endpoint.into(), error })
    }

    /// A worker's end of the link to a geneserver. What is sent while the server is away is dropped, not kept.
    pub fn worker(&self, endpoint: &str, id: &str) -> Result<Dealer, SocketError> {
        let socket = self.open(zmq::DEALER, endpoint, |s| {
            s.set_identity(id.as_bytes())?;
            s.set_immediate(true)?;
            s.set_reconnect_ivl(100)?;
            s.set_reconnect_ivl_max(2000)?;
            // A server whose machine fell silent is noticed as one that closed the connection is.
            s.set_heartbeat_ivl(HEARTBEAT_MS)?;
            s.set_heartbeat_timeout(3 * HEARTBEAT_MS)?;
            self.prove(s)?;
            s.connect(endpoint)
        })?;
        Ok(Dealer { socket, watch: None, endpoint: endpoint.into() })
    }

    /// A robot's end of the link.
    pub fn robot(&self, endpoint: &str, id: &str) -> Result<Dealer, SocketError> {
        let number = fresh_session()?;
        let socket = self.open(zmq::DEALER, endpoint, |s| {
            if self.is_plain() {
                // Of this connection, so that a second program of that name does not push the first one out.
                s.set_identity(format!("{id}{NAME_ENDS}{number:016x}").as_bytes())?;
            }
            s.set_reconnect_ivl(50)?;
            s.set_reconnect_ivl_max(1000)?;
            self.prove(s)?;
            s.connect(endpoint)
        })?;
        Ok(Dealer { watch: Some(self.watch(&socket, endpoint)?), socket, endpoint: endpoint.into() })
    }

    /// An operator's end; waits at most `timeout_ms` for each answer.
    pub fn operator(&self, endpoint: &str, timeout_ms: i32) -> Result<OperatorLink, SocketError> {
        let socket = self.open(zmq::REQ, endpoint, |s| {
            s.set_req_relaxed(true)?;
            s.set_req_correlate(true)?;
            s.set_sndtimeo(timeout_ms)?;
            self.prove(s)?;
            s.connect(endpoint)
        })?;
        let watch = self.watch(&socket, endpoint)?;
        let timeout = Duration::from_millis(timeout_ms.max(0) as u64);
        Ok(OperatorLink { socket, watch, endpoint: endpoint.into(), timeout })
    }
}

/// The other end: a robot's, or a worker's.
pub struct Dealer {
    socket: zmq::Socket,
    watch: Option<zmq::Socket>,
    endpoint: String,
}

impl Readable for Dealer {
    fn socket(&self) -> &zmq::Socket {
        &self.socket
    }
}

impl Dealer {
    /// One that is not told when the other end turns its key away.
    pub(super) fn unwatched(socket: zmq::Socket) -> Dealer {
        Dealer { socket, watch: None, endpoint: String::new() }
    }

    /// How often the other end turned this one's key away since the last call.
    pub fn turned_away(&self) -> usize {
        let events = || self.watch.as_ref().and_then(monitor::next);
        std::iter::from_fn(events).take(REFUSED_AT_ONCE).count()
    }

    /// Connects anew: libzmq gives a connection up for good whose key was turned away, and the key may be enrolled since.
    pub fn connect_again(&self) {
        // What is not connected any more needs no end.
        let _ = self.socket.disconnect(&self.endpoint);
        // Refused, it is tried at the next time.
        let _ = self.socket.connect(&self.endpoint);
    }

    /// Leaves the other end for one at another address; false if that is no address.
    pub fn move_to(&mut self, endpoint: &str) -> bool {
        if self.socket.connect(endpoint).is_err() {
            return false;
        }
        // What is not connected any more needs no end.
        let _ = self.socket.disconnect(&self.endpoint);
        self.endpoint = endpoint.into();
        true
    }

    /// The next message, or `None` if none waits.
    pub fn receive<T: Message>(&self) -> Option<Result<T, CodecError>> {
        let bytes = again(|| self.socket.recv_bytes(zmq::DONTWAIT)).ok()?;
        Some(codec::decode(&bytes))
    }

    /// Sends, or drops the message if the queue is full; true if sent.
    pub fn send<T: Message>(&self, message: &T) -> bool {
        send_parts(&self.socket, &[codec::encode(message)]).is_ok()
    }
}

/// Trouble with asking the hub.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No answer in time.
    #[error("no answer from the hub at {0}; is it running, is this its operator address, and are these its keys?")]
    NoAnswer(String),
    /// The hub does not know this key.
    #[error("the hub at {0} does not let this key in; `xpuck keys enrol` enrols it there")]
    TurnedAway(String),
    /// An answer that cannot be read.
    #[error("the hub at {endpoint}: {error}")]
    Unreadable {
        /// The endpoint.
        endpoint: String,
        /// Why.
        error: CodecError,
    },
}

/// An operator's end.
pub struct OperatorLink {
    socket: zmq::Socket,
    watch: zmq::Socket,
    endpoint: String,
    timeout: Duration,
}

impl OperatorLink {
    /// Asks and waits for the answer.
    pub fn ask<Q: Message, A: Message>(&self, request: &Q) -> Result<A, AskError> {
        let silent = |_| AskError::NoAnswer(self.endpoint.clone());
        let question = codec::encode(request);
        again(|| self.socket.send(&question[..], 0)).map_err(silent)?;
        let deadline = Instant::now() + self.timeout;
        // What happened before is no answer.
        while monitor::next(&self.watch).is_some() {}
        let bytes = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut items = [&self.socket, &self.watch].map(|s| s.as_poll_item(zmq::POLLIN));
            let _ = zmq::poll(&mut items, left.as_millis() as i64);
            // Late answers to earlier questions make the socket readable, too; they are dropped inside.
            match again(|| self.socket.recv_bytes(zmq::DONTWAIT)) {
                Ok(bytes) => break bytes,
                Err(_) if items[1].is_readable() => return Err(AskError::TurnedAway(self.endpoint.clone())),
                Err(error) if left.is_zero() => return Err(silent(error)),
                Err(_) => {}
            }
        };
        codec::decode(&bytes).map_err(|error| AskError::Unreadable { endpoint: self.endpoint.clone(), error })
    }
}
