//! The sockets: how each is set up (options before bind or connect) and how messages go through them.
//!
//! Every send and receive here returns at once: a robot's control loop and the hub's loop poll.

use crate::codec::{self, CodecError, MAX_BYTES};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Messages that may wait in a socket, each way; more are dropped.
const QUEUE: i32 = 1000;
/// The same for each worker of a geneserver.
const WORKER_QUEUE: i32 = 64;
/// Workers that may be waiting to be let in at once.
const WORKER_BACKLOG: i32 = 1000;
/// A worker asks so often whether the server is there, ms of wall time.
const HEARTBEAT_MS: i32 = 5000;

/// A socket that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// Somebody else listens there.
    #[error("{0}: the port is in use; stop the other program or choose another port")]
    InUse(String),
    /// Any other trouble.
    #[error("{endpoint}: {error}")]
    Other {
        /// The endpoint.
        endpoint: String,
        /// What ZeroMQ says.
        error: zmq::Error,
    },
}

/// Makes sockets; one a process.
#[derive(Default)]
pub struct Sockets {
    context: zmq::Context,
}

impl Sockets {
    /// A maker of sockets.
    pub fn new() -> Sockets {
        Sockets::default()
    }

    pub(crate) fn open(
        &self,
        kind: zmq::SocketType,
        endpoint: &str,
        set_up: impl Fn(&zmq::Socket) -> zmq::Result<()>,
    ) -> Result<zmq::Socket, SocketError> {
        let make = || {
            let socket = self.context.socket(kind)?;
            socket.set_linger(0)?;
            socket.set_sndhwm(QUEUE)?;
            socket.set_rcvhwm(QUEUE)?;
            socket.set_maxmsgsize(MAX_BYTES as i64)?;
            set_up(&socket)?;
            Ok(socket)
        };
        make().map_err(|error| match error {
            zmq::Error::EADDRINUSE => SocketError::InUse(endpoint.into()),
            error => SocketError::Other { endpoint: endpoint.into(), error },
        })
    }

    /// The hub's end of the robots' link.
    pub fn robots_hub(&self, endpoint: &str) -> Result<Router, SocketError> {
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            // A robot that restarts takes its identity over from its dead self.
            s.set_router_handover(true)?;
            s.bind(endpoint)
        })?;
        Ok(Router { socket })
    }

    /// A geneserver's end of its workers' link. Port `*` takes a free one: see [`Router::endpoint`].
    pub fn geneserver(&self, endpoint: &str) -> Result<Router, SocketError> {
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            s.set_router_handover(true)?;
            // A worker waits for each answer, so hardly more than one message waits for it.
            s.set_sndhwm(WORKER_QUEUE)?;
            s.set_rcvhwm(WORKER_QUEUE)?;
            s.set_backlog(WORKER_BACKLOG)?;
            s.bind(endpoint)
        })?;
        Ok(Router { socket })
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
            s.connect(endpoint)
        })?;
        Ok(Dealer { socket })
    }

    /// A robot's end of the link.
    pub fn robot(&self, endpoint: &str, id: &str) -> Result<Dealer, SocketError> {
        let socket = self.open(zmq::DEALER, endpoint, |s| {
            s.set_identity(id.as_bytes())?;
            s.set_reconnect_ivl(50)?;
            s.set_reconnect_ivl_max(1000)?;
            s.connect(endpoint)
        })?;
        Ok(Dealer { socket })
    }

    /// The hub's end of the operators' link.
    pub fn operators_hub(&self, endpoint: &str) -> Result<OperatorsHub, SocketError> {
        Ok(OperatorsHub { socket: self.open(zmq::ROUTER, endpoint, |s| s.bind(endpoint))? })
    }

    /// An operator's end; waits at most `timeout_ms` for each answer.
    pub fn operator(&self, endpoint: &str, timeout_ms: i32) -> Result<OperatorLink, SocketError> {
        let socket = self.open(zmq::REQ, endpoint, |s| {
            s.set_req_relaxed(true)?;
            s.set_req_correlate(true)?;
            s.set_rcvtimeo(timeout_ms)?;
            s.set_sndtimeo(timeout_ms)?;
            s.connect(endpoint)
        })?;
        Ok(OperatorLink { socket, endpoint: endpoint.into() })
    }
}

/// Waits until a socket can be read, at most `timeout_ms`.
pub fn wait(sockets: &[&dyn Readable], timeout_ms: i64) {
    let mut items: Vec<zmq::PollItem<'_>> = sockets.iter().map(|s| s.socket().as_poll_item(zmq::POLLIN)).collect();
    // An interrupted wait only makes the caller's loop turn earlier.
    let _ = zmq::poll(&mut items, timeout_ms);
}

/// A socket that [`wait`] can wait for.
pub trait Readable {
    /// The socket.
    fn socket(&self) -> &zmq::Socket;
}

/// The end of a link that many connect to: the hub's end of the robots' link, and a geneserver's.
pub struct Router {
    socket: zmq::Socket,
}

impl Readable for Router {
    fn socket(&self) -> &zmq::Socket {
        &self.socket
    }
}

impl Router {
    /// Where it listens, with the port that it took.
    pub fn endpoint(&self) -> String {
        self.socket.get_last_endpoint().ok().and_then(Result::ok).unwrap_or_default()
    }

    /// The next message and who sent it, or `None` if none waits.
    pub fn receive<T: DeserializeOwned>(&self) -> Option<(String, Result<T, CodecError>)> {
        let mut parts = self.socket.recv_multipart(zmq::DONTWAIT).ok()?;
        let body = parts.pop()?;
        let id = String::from_utf8_lossy(parts.first()?).into_owned();
        Some((id, codec::decode(&body)))
    }

    /// Sends, or drops the message if the peer is not there or its queue is full; true if sent.
    pub fn send<T: Serialize>(&self, id: &str, message: &T) -> bool {
        let parts: [&[u8]; 2] = [id.as_bytes(), &codec::encode(message)];
        self.socket.send_multipart(parts, zmq::DONTWAIT).is_ok()
    }
}

/// The other end: a robot's, or a worker's.
pub struct Dealer {
    socket: zmq::Socket,
}

impl Readable for Dealer {
    fn socket(&self) -> &zmq::Socket {
        &self.socket
    }
}

impl Dealer {
    /// The next message, or `None` if none waits.
    pub fn receive<T: DeserializeOwned>(&self) -> Option<Result<T, CodecError>> {
        let bytes = self.socket.recv_bytes(zmq::DONTWAIT).ok()?;
        Some(codec::decode(&bytes))
    }

    /// Sends, or drops the message if the queue is full; true if sent.
    pub fn send<T: Serialize>(&self, message: &T) -> bool {
        self.socket.send(codec::encode(message), zmq::DONTWAIT).is_ok()
    }
}

/// The hub's end of the operators' link.
pub struct OperatorsHub {
    socket: zmq::Socket,
}

impl Readable for OperatorsHub {
    fn socket(&self) -> &zmq::Socket {
        &self.socket
    }
}

/// Where to send an answer.
pub struct ReturnAddress(Vec<Vec<u8>>);

impl OperatorsHub {
    /// The next request, or `None` if none waits.
    pub fn receive<T: DeserializeOwned>(&self) -> Option<(ReturnAddress, Result<T, CodecError>)> {
        let mut parts = self.socket.recv_multipart(zmq::DONTWAIT).ok()?;
        let body = parts.pop()?;
        Some((ReturnAddress(parts), codec::decode(&body)))
    }

    /// Answers a request.
    pub fn answer<T: Serialize>(&self, to: ReturnAddress, reply: &T) {
        let mut parts = to.0;
        parts.push(codec::encode(reply));
        // An operator who left gets no answer; nothing is lost by that.
        let _ = self.socket.send_multipart(parts, zmq::DONTWAIT);
    }
}

/// Trouble with asking the hub.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No answer in time.
    #[error("no answer from the hub at {0}; is it running, and is this its operator address?")]
    NoAnswer(String),
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
    endpoint: String,
}

impl OperatorLink {
    /// Asks and waits for the answer.
    pub fn ask<Q: Serialize, A: DeserializeOwned>(&self, request: &Q) -> Result<A, AskError> {
        let silent = |_| AskError::NoAnswer(self.endpoint.clone());
        self.socket.send(codec::encode(request), 0).map_err(silent)?;
        let bytes = self.socket.recv_bytes(0).map_err(silent)?;
        codec::decode(&bytes).map_err(|error| AskError::Unreadable { endpoint: self.endpoint.clone(), error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Reply, Request, RobotMessage, ToRobot};

    fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
        for _ in 0..2000 {
            if let Some(value) = ready() {
                return value;
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        panic!("nothing came in 4 s");
    }

    #[test]
    fn robots_and_hub_talk_and_robots_are_known_by_id() {
        let sockets = Sockets::new();
        let endpoint = "tcp://127.0.0.1:17601";
        let hub = sockets.robots_hub(endpoint).unwrap();
        let robot = sockets.robot(endpoint, "xp01").unwrap();
        robot.send(&RobotMessage::Pong { stamp: 1.5 });
        let (id, message) = wait_for(|| hub.receive::<RobotMessage>());
        assert_eq!((id.as_str(), message.unwrap()), ("xp01", RobotMessage::Pong { stamp: 1.5 }));
        assert!(hub.send("xp01", &ToRobot::Ping { stamp: 2.0 }));
        assert_eq!(wait_for(|| robot.receive::<ToRobot>()).unwrap(), ToRobot::Ping { stamp: 2.0 });
        assert!(matches!(sockets.robots_hub(endpoint), Err(SocketError::InUse(_))));
    }

    #[test]
    fn operators_get_answers_and_silence_is_an_error() {
        let sockets = Sockets::new();
        let endpoint = "tcp://127.0.0.1:17602";
        let silent = sockets.operator(endpoint, 100).unwrap();
        let nobody = silent.ask::<Request, Reply>(&Request::Status).unwrap_err().to_string();
        assert!(nobody.contains(endpoint), "{nobody}");
        let hub = sockets.operators_hub(endpoint).unwrap();
        let asking = std::thread::spawn(move || {
            let link = Sockets::new().operator(endpoint, 4000).unwrap();
            link.ask::<Request, Reply>(&Request::Pause).unwrap()
        });
        // The question that went unanswered above may arrive first, now that somebody listens.
        loop {
            let (to, request) = wait_for(|| hub.receive::<Request>());
            let request = request.unwrap();
            hub.answer(to, &Reply::Done);
            if request == Request::Pause {
                break;
            }
        }
        assert_eq!(asking.join().unwrap(), Reply::Done);
    }
}
