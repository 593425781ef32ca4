//! Client sockets, which connect to a server: the sockets of robots, workers and operators.

use super::{Keys, NAME_ENDS, REFUSED_AT_ONCE, Readable, SocketError, Sockets};
use crate::codec::{self, CodecError, Message};
use crate::monitor;
use crate::session::fresh_session;
use crate::signals::{retry_zmq, send_parts};
use std::time::{Duration, Instant};

/// Heartbeat interval of a worker's connection (ms of wall time).
const HEARTBEAT_MS: i32 = 5000;

impl Sockets {
    /// Sets the keys of a socket before it connects. Without keys, has no effect.
    pub(crate) fn set_client_keys(&self, socket: &zmq::Socket) -> zmq::Result<()> {
        let Keys::Client(secret, server) = &self.keys else { return Ok(()) };
        socket.set_curve_serverkey(&server.0)?;
        socket.set_curve_publickey(&secret.public.curve.0)?;
        socket.set_curve_secretkey(secret.curve())
    }

    /// Starts to monitor a socket. Returns the socket that reports each rejection of the client's key by the server.
    fn watch(&self, socket: &zmq::Socket, endpoint: &str) -> Result<zmq::Socket, SocketError> {
        monitor::start(&self.context, socket, &[zmq::SocketEvent::HANDSHAKE_FAILED_AUTH])
            .map_err(|error| SocketError::Other { endpoint: endpoint.into(), error })
    }

    /// Opens a worker's link to a geneserver. Messages sent while the server is unreachable are dropped.
    pub fn worker(&self, endpoint: &str, id: &str) -> Result<Dealer, SocketError> {
        let socket = self.open(zmq::DEALER, endpoint, |s| {
            s.set_identity(id.as_bytes())?;
            s.set_immediate(true)?;
            s.set_reconnect_ivl(100)?;
            s.set_reconnect_ivl_max(2000)?;
            // Heartbeats also detect an unresponsive server whose connection is not closed.
            s.set_heartbeat_ivl(HEARTBEAT_MS)?;
            s.set_heartbeat_timeout(3 * HEARTBEAT_MS)?;
            self.set_client_keys(s)?;
            s.connect(endpoint)
        })?;
        Ok(Dealer { socket, watch: None, endpoint: endpoint.into() })
    }

    /// Opens a robot's link to the hub.
    pub fn robot(&self, endpoint: &str, id: &str) -> Result<Dealer, SocketError> {
        let number = fresh_session()?;
        let socket = self.open(zmq::DEALER, endpoint, |s| {
            if self.is_plain() {
                // The identity is unique per connection, so that a second program with the same name does not replace
                // the first.
                s.set_identity(format!("{id}{NAME_ENDS}{number:016x}").as_bytes())?;
            }
            s.set_reconnect_ivl(50)?;
            s.set_reconnect_ivl_max(1000)?;
            self.set_client_keys(s)?;
            s.connect(endpoint)
        })?;
        Ok(Dealer { watch: Some(self.watch(&socket, endpoint)?), socket, endpoint: endpoint.into() })
    }

    /// Opens an operator's link to the hub. `timeout_ms` is the maximum wait for each reply.
    pub fn operator(&self, endpoint: &str, timeout_ms: i32) -> Result<OperatorLink, SocketError> {
        let socket = self.open(zmq::REQ, endpoint, |s| {
            s.set_req_relaxed(true)?;
            s.set_req_correlate(true)?;
            s.set_sndtimeo(timeout_ms)?;
            self.set_client_keys(s)?;
            s.connect(endpoint)
        })?;
        let watch = self.watch(&socket, endpoint)?;
        let timeout = Duration::from_millis(timeout_ms.max(0) as u64);
        Ok(OperatorLink { socket, watch, endpoint: endpoint.into(), timeout })
    }
}

/// Client socket of a robot or worker.
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
    /// Creates a socket without a monitor for key rejections.
    pub(super) fn without_monitor(socket: zmq::Socket) -> Dealer {
        Dealer { socket, watch: None, endpoint: String::new() }
    }

    /// Returns the number of times that the server rejected this socket's key since the last call.
    pub fn rejections(&self) -> usize {
        let events = || self.watch.as_ref().and_then(monitor::next);
        std::iter::from_fn(events).take(REFUSED_AT_ONCE).count()
    }

    /// Reconnects to the server after a rejection of the key, because the key may have been enrolled since then. libzmq
    /// itself does not reconnect after a rejection.
    pub fn reconnect(&self) {
        // Errors are ignored, because disconnecting fails only if there is no connection.
        let _ = self.socket.disconnect(&self.endpoint);
        // Errors are ignored, because the next call retries.
        let _ = self.socket.connect(&self.endpoint);
    }

    /// Switches to a server at another address; returns false if the address is invalid.
    pub fn switch_server(&mut self, endpoint: &str) -> bool {
        if self.socket.connect(endpoint).is_err() {
            return false;
        }
        // Errors are ignored, because disconnecting fails only if there is no connection.
        let _ = self.socket.disconnect(&self.endpoint);
        self.endpoint = endpoint.into();
        true
    }

    /// Returns the next message, or `None` if no message waits.
    pub fn receive<T: Message>(&self) -> Option<Result<T, CodecError>> {
        let bytes = retry_zmq(|| self.socket.recv_bytes(zmq::DONTWAIT)).ok()?;
        Some(codec::decode(&bytes))
    }

    /// Sends the message, or drops it if the queue is full. Returns true if the message was queued for sending.
    pub fn send<T: Message>(&self, message: &T) -> bool {
        send_parts(&self.socket, &[codec::encode(message)]).is_ok()
    }
}

/// Error of a request to the hub.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No reply arrived from the hub at this endpoint within the time-out.
    #[error(
        "no answer from the hub at {0}; check that it is running, that this is its operator address, and that \
             these are its keys"
    )]
    NoAnswer(String),
    /// The hub at this endpoint rejected the operator's key.
    #[error("the hub at {0} rejects this key; enrol it there with `xpuck keys enrol`")]
    TurnedAway(String),
    /// The reply cannot be decoded.
    #[error("the hub at {endpoint}: {error}")]
    Unreadable {
        /// Endpoint of the hub.
        endpoint: String,
        /// Error of the decoder.
        error: CodecError,
    },
}

/// Operator's link to the hub.
pub struct OperatorLink {
    socket: zmq::Socket,
    watch: zmq::Socket,
    endpoint: String,
    timeout: Duration,
}

impl OperatorLink {
    /// Sends a request and waits for the reply.
    pub fn ask<Q: Message, A: Message>(&self, request: &Q) -> Result<A, AskError> {
        let silent = |_| AskError::NoAnswer(self.endpoint.clone());
        let question = codec::encode(request);
        retry_zmq(|| self.socket.send(&question[..], 0)).map_err(silent)?;
        let deadline = Instant::now() + self.timeout;
        // Discards earlier events, because only a rejection after the request matters.
        while monitor::next(&self.watch).is_some() {}
        let bytes = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut items = [&self.socket, &self.watch].map(|s| s.as_poll_item(zmq::POLLIN));
            let _ = zmq::poll(&mut items, left.as_millis() as i64);
            // The socket may be readable only because of a late reply to an earlier request. `recv_bytes` then drops
            // this reply and returns an error.
            match retry_zmq(|| self.socket.recv_bytes(zmq::DONTWAIT)) {
                Ok(bytes) => break bytes,
                Err(_) if items[1].is_readable() => return Err(AskError::TurnedAway(self.endpoint.clone())),
                Err(error) if left.is_zero() => return Err(silent(error)),
                Err(_) => {}
            }
        };
        codec::decode(&bytes).map_err(|error| AskError::Unreadable { endpoint: self.endpoint.clone(), error })
    }
}
