//! The ends that bind: the hub's for robots and for operators, and a geneserver's.

use super::{Keys, NAME_ENDS, REFUSED_AT_ONCE, Readable, SocketError, Sockets};
use crate::codec::{self, CodecError, Message};
use crate::guard::{Domain, Guard, Peer};
use crate::keyring::Role;
use crate::monitor;
use crate::signals::{receive_parts, send_parts};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Messages that may wait for each worker of a geneserver, each way.
const WORKER_QUEUE: i32 = 64;
/// Workers that may be waiting to be let in at once.
const WORKER_BACKLOG: i32 = 1000;

impl Sockets {
    /// Puts the server's key into a socket that is about to bind, and gives the guard; nothing without keys.
    pub(super) fn encrypt(&self, socket: &zmq::Socket) -> zmq::Result<Option<&Arc<Guard>>> {
        let Keys::Server(secret, guard) = &self.keys else { return Ok(None) };
        socket.set_curve_server(true)?;
        socket.set_curve_secretkey(secret.curve())?;
        Ok(Some(guard))
    }

    /// The same, and lets in whom the guard knows for this domain.
    pub(crate) fn serve(&self, socket: &zmq::Socket, domain: Domain) -> zmq::Result<()> {
        let Some(guard) = self.encrypt(socket)? else { return Ok(()) };
        socket.set_zap_domain(domain.name())?;
        guard.monitor(&self.context, socket, domain)
    }

    pub(super) fn access(&self, domain: Domain) -> Option<Access> {
        self.guard().map(|guard| Access { guard: guard.clone(), domain })
    }

    /// The hub's end of the robots' link.
    pub fn robots_hub(&self, endpoint: &str) -> Result<Router, SocketError> {
        let mut ends = None;
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            // Without keys, a robot that connects again takes its identity over from its dead connection. With keys nobody
            // can take over anything: a robot is known by its key alone.
            s.set_router_handover(self.is_plain())?;
            self.serve(s, Domain::Robots)?;
            if self.is_plain() {
                ends = Some(monitor::start(&self.context, s, &[zmq::SocketEvent::DISCONNECTED])?);
            }
            s.bind(endpoint)
        })?;
        Ok(Router { ends, of_robots: true, ..Router::new(socket, self.access(Domain::Robots)) })
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
pub(super) struct Access {
    guard: Arc<Guard>,
    domain: Domain,
}

/// The next message: its way back and its body.
fn receive_with_way(socket: &zmq::Socket) -> Option<(Vec<Vec<u8>>, zmq::Message)> {
    let mut parts = receive_parts(socket)?;
    let body = parts.pop()?;
    Some((parts.iter().map(|part| part.to_vec()).collect(), body))
}

/// Who sent a message, and the connection that it came by.
pub struct Sender {
    /// Its name: a robot's id, or what a worker calls itself.
    pub name: String,
    route: Vec<u8>,
}

/// The end of a link that many connect to: the hub's end of the robots' link, and a geneserver's.
pub struct Router {
    socket: zmq::Socket,
    access: Option<Access>,
    /// Its peers are robots.
    of_robots: bool,
    /// The connection of each peer, by its name.
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
        Router { socket, access, of_robots: false, routes: RefCell::default(), ends: None, ended: Cell::new(0) }
    }

    /// A robot's end, to which other robots come.
    pub(super) fn of_peers(socket: zmq::Socket, access: Option<Access>) -> Router {
        Router { of_robots: true, ..Router::new(socket, access) }
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

    /// The next message of somebody who may speak, and who that is, or `None` if none waits. Others are counted. What is
    /// sent to that name takes the way that this message came.
    pub fn receive<T: Message>(&self) -> Option<(String, Result<T, CodecError>)> {
        let (sender, message) = self.receive_from()?;
        let name = sender.name.clone();
        self.answer_by(sender);
        Some((name, message))
    }

    /// Sends to this name by this connection from now on.
    pub fn answer_by(&self, sender: Sender) {
        if sender.name.as_bytes() != sender.route {
            self.routes.borrow_mut().insert(sender.name, sender.route);
        }
    }

    /// True if what is sent to this name goes by this connection.
    pub fn answers_by(&self, sender: &Sender) -> bool {
        self.routes.borrow().get(&sender.name).map_or(sender.name.as_bytes(), Vec::as_slice) == sender.route
    }

    /// As [`Router::receive`], but what is sent to that name goes where it went before.
    pub fn receive_from<T: Message>(&self) -> Option<(Sender, Result<T, CodecError>)> {
        for _ in 0..REFUSED_AT_ONCE {
            let (parts, mut body) = receive_with_way(&self.socket)?;
            let Some(route) = parts.into_iter().next() else { continue };
            if let Some(sender) = self.sender(route, &mut body) {
                return Some((sender, codec::decode(&body)));
            }
        }
        None
    }

    /// Who sent a message: with keys, the name that goes with the connection's key. ZeroMQ's routing identity is what
    /// the peer chose (the first byte of those that ZeroMQ itself made is 0), so another name there is an impostor's.
    fn sender(&self, route: Vec<u8>, body: &mut zmq::Message) -> Option<Sender> {
        let mut name = String::from_utf8_lossy(&route).into_owned();
        if let Some(access) = &self.access {
            let peer = access.guard.sender(access.domain, body)?;
            if self.of_robots {
                if route.first() != Some(&0) && name != peer.name {
                    access.guard.count_wrong_name();
                    return None;
                }
                name = peer.name;
            }
        } else if self.of_robots {
            name.truncate(name.find(NAME_ENDS).unwrap_or(name.len()));
        }
        Some(Sender { name, route })
    }

    /// Sends, or drops the message if the peer is not there or its queue is full; true if sent.
    pub fn send<T: Message>(&self, id: &str, message: &T) -> bool {
        let routes = self.routes.borrow();
        let route = routes.get(id).map_or(id.as_bytes(), Vec::as_slice);
        let parts: [&[u8]; 2] = [route, &codec::encode(message)];
        send_parts(&self.socket, &parts).is_ok()
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
    pub fn receive<T: Message>(&self) -> Option<(ReturnAddress, Result<T, CodecError>)> {
        for _ in 0..REFUSED_AT_ONCE {
            let (parts, mut body) = receive_with_way(&self.socket)?;
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
    pub fn answer<T: Message>(&self, to: ReturnAddress, reply: &T) {
        let mut parts = to.parts;
        parts.push(codec::encode(reply));
        // An operator who left gets no answer; nothing is lost by that.
        let _ = send_parts(&self.socket, &parts);
    }
}
