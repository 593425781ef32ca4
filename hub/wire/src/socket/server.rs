//! The ends that bind: the hub's for robots and for operators, and a geneserver's.

use super::{Keys, REFUSED_AT_ONCE, Readable, SocketError, Sockets, monitor};
use crate::codec::{self, CodecError};
use crate::guard::{Domain, Guard, Peer};
use crate::keyring::Role;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Messages that may wait for each worker of a geneserver, each way.
const WORKER_QUEUE: i32 = 64;
/// Workers that may be waiting to be let in at once.
const WORKER_BACKLOG: i32 = 1000;

/// How long answers may still leave when the hub ends, ms.
const LAST_WORDS_MS: i32 = 500;

impl Sockets {
    /// Puts the keys into a socket that is about to bind; nothing without keys.
    pub(crate) fn serve(&self, socket: &zmq::Socket, domain: Domain) -> zmq::Result<()> {
        let Keys::Server(secret, guard) = &self.keys else { return Ok(()) };
        socket.set_curve_server(true)?;
        socket.set_curve_secretkey(secret.curve())?;
        socket.set_zap_domain(domain.name())?;
        guard.monitor(&self.context, socket, domain)
    }

    fn access(&self, domain: Domain) -> Option<Access> {
        self.guard().map(|guard| Access { guard: guard.clone(), domain })
    }

    /// The hub's end of the robots' link.
    pub fn robots_hub(&self, endpoint: &str) -> Result<Router, SocketError> {
        let mut ends = None;
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            // Without keys, a robot that restarts takes its identity over from its dead self. With keys nobody can take
            // over anything: a robot is known by its key alone.
            s.set_router_handover(self.is_plain())?;
            self.serve(s, Domain::Robots)?;
            if self.is_plain() {
                ends = Some(monitor::start(&self.context, s, &[zmq::SocketEvent::DISCONNECTED])?);
            }
            s.bind(endpoint)
        })?;
        Ok(Router { ends, ..Router::new(socket, self.access(Domain::Robots)) })
    }

    /// A geneserver's end of its workers' link. Port `*` takes a free one: see [`Router::endpoint`].
    pub fn geneserver(&self, endpoint: &str) -> Result<Router, SocketError> {
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            s.set_router_handover(true)?;
            // A worker waits for each answer, so hardly more than one message waits for it.
            s.set_sndhwm(WORKER_QUEUE)?;
            s.set_rcvhwm(WORKER_QUEUE)?;
            s.set_backlog(WORKER_BACKLOG)?;
            self.serve(s, Domain::Workers)?;
            s.bind(endpoint)
        })?;
        Ok(Router::new(socket, self.access(Domain::Workers)))
    }

    /// The hub's end of the operators' link.
    pub fn operators_hub(&self, endpoint: &str) -> Result<OperatorsHub, SocketError> {
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            self.serve(s, Domain::Operators)?;
            // The answer to a request to shut down still leaves.
            s.set_linger(LAST_WORDS_MS)?;
            s.bind(endpoint)
        })?;
        Ok(OperatorsHub { socket, access: self.access(Domain::Operators) })
    }
}

/// Where a socket listens; empty if it does not.
fn endpoint(socket: &zmq::Socket) -> String {
    socket.get_last_endpoint().ok().and_then(Result::ok).unwrap_or_default()
}

/// Who may speak on a server's socket.
struct Access {
    guard: Arc<Guard>,
    domain: Domain,
}

/// The parts of the next message: its way back and its body.
fn receive_parts(socket: &zmq::Socket) -> Option<(Vec<Vec<u8>>, zmq::Message)> {
    let mut last = socket.recv_msg(zmq::DONTWAIT).ok()?;
    let mut parts = Vec::new();
    while last.get_more() {
        parts.push(last.to_vec());
        last = socket.recv_msg(zmq::DONTWAIT).ok()?;
    }
    Some((parts, last))
}

/// The end of a link that many connect to: the hub's end of the robots' link, and a geneserver's.
pub struct Router {
    socket: zmq::Socket,
    access: Option<Access>,
    /// Where each robot was heard last, by the name of its key.
    routes: RefCell<BTreeMap<String, Vec<u8>>>,
    /// Tells of connections that end; with keys the guard hears of them.
    ends: Option<zmq::Socket>,
    ended: Cell<u64>,
}

impl Readable for Router {
    fn socket(&self) -> &zmq::Socket {
        &self.socket
    }
}

impl Router {
    fn new(socket: zmq::Socket, access: Option<Access>) -> Router {
        Router { socket, access, routes: RefCell::default(), ends: None, ended: Cell::new(0) }
    }

    /// Connections of robots that ended so far: a robot stopped or was cut off, or what it sent was no ZeroMQ, or far too
    /// long.
    pub fn ended(&self) -> u64 {
        if let Some(access) = &self.access {
            return access.guard.ended();
        }
        let events = || self.ends.as_ref().and_then(monitor::next);
        self.ended.set(self.ended.get() + std::iter::from_fn(events).take(REFUSED_AT_ONCE).count() as u64);
        self.ended.get()
    }

    /// Where it listens, with the port that it took.
    pub fn endpoint(&self) -> String {
        endpoint(&self.socket)
    }

    /// The next message of somebody who may speak, and who that is, or `None` if none waits. Others are counted.
    pub fn receive<T: DeserializeOwned>(&self) -> Option<(String, Result<T, CodecError>)> {
        for _ in 0..REFUSED_AT_ONCE {
            let (parts, mut body) = receive_parts(&self.socket)?;
            let Some(route) = parts.into_iter().next() else { continue };
            if let Some(id) = self.sender(route, &mut body) {
                return Some((id, codec::decode(&body)));
            }
        }
        None
    }

    /// Who sent a message: with keys, the name that goes with the connection's key. ZeroMQ's routing identity is what
    /// the peer chose (the first byte of those that ZeroMQ itself made is 0), so another name there is an impostor's.
    fn sender(&self, route: Vec<u8>, body: &mut zmq::Message) -> Option<String> {
        let named = String::from_utf8_lossy(&route).into_owned();
        let Some(access) = &self.access else { return Some(named) };
        let peer = access.guard.sender(access.domain, body)?;
        if access.domain == Domain::Workers {
            return Some(named);
        }
        if route.first() != Some(&0) && named != peer.name {
            access.guard.count_wrong_name();
            return None;
        }
        self.routes.borrow_mut().insert(peer.name.clone(), route);
        Some(peer.name)
    }

    /// Sends, or drops the message if the peer is not there or its queue is full; true if sent.
    pub fn send<T: Serialize>(&self, id: &str, message: &T) -> bool {
        let routes = self.routes.borrow();
        let route = routes.get(id).map_or(id.as_bytes(), Vec::as_slice);
        let parts: [&[u8]; 2] = [route, &codec::encode(message)];
        self.socket.send_multipart(parts, zmq::DONTWAIT).is_ok()
    }
}

/// The hub's end of the operators' link.
pub struct OperatorsHub {
    socket: zmq::Socket,
    access: Option<Access>,
}

impl Readable for OperatorsHub {
    fn socket(&self) -> &zmq::Socket {
        &self.socket
    }
}

/// Who asked, and where to send the answer.
pub struct ReturnAddress {
    parts: Vec<Vec<u8>>,
    /// Who asked; in `dev_mode` an operator without a name.
    pub peer: Peer,
}

impl OperatorsHub {
    /// Where it listens, with the port that it took.
    pub fn endpoint(&self) -> String {
        endpoint(&self.socket)
    }

    /// The next request of somebody who may ask, or `None` if none waits. Others are counted.
    pub fn receive<T: DeserializeOwned>(&self) -> Option<(ReturnAddress, Result<T, CodecError>)> {
        for _ in 0..REFUSED_AT_ONCE {
            let (parts, mut body) = receive_parts(&self.socket)?;
            let peer = match &self.access {
                Some(access) => access.guard.sender(access.domain, &mut body),
                None => Some(Peer { name: String::new(), role: Role::Operator }),
            };
            if let Some(peer) = peer {
                return Some((ReturnAddress { parts, peer }, codec::decode(&body)));
            }
        }
        None
    }

    /// Answers a request.
    pub fn answer<T: Serialize>(&self, to: ReturnAddress, reply: &T) {
        let mut parts = to.parts;
        parts.push(codec::encode(reply));
        // An operator who left gets no answer; nothing is lost by that.
        let _ = self.socket.send_multipart(parts, zmq::DONTWAIT);
    }
}
