//! Server sockets, to which clients connect: the hub's sockets for robots and operators, and a geneserver's socket.

use super::{Keys, NAME_ENDS, REFUSED_AT_ONCE, Readable, SocketError, Sockets};
use crate::codec::{self, CodecError, Message};
use crate::guard::{AccessControl, Domain, Peer};
use crate::keyring::Role;
use crate::monitor;
use crate::signals::{receive_parts, send_parts};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Length of a geneserver's queue for each worker, in each direction (messages).
const WORKER_QUEUE: i32 = 64;
/// Maximum number of workers' connections waiting for acceptance.
const WORKER_BACKLOG: i32 = 1000;

impl Sockets {
    /// Sets the server's key on a socket before it is bound. Returns the access control, or `None` without keys.
    pub(super) fn encrypt(&self, socket: &zmq::Socket) -> zmq::Result<Option<&Arc<AccessControl>>> {
        let Keys::Server(secret, guard) = &self.keys else { return Ok(None) };
        socket.set_curve_server(true)?;
        socket.set_curve_secretkey(secret.curve())?;
        Ok(Some(guard))
    }

    /// Sets the server's key on a socket, and restricts access to the peers that the access control admits to this
    /// domain. Has no effect without keys.
    pub(crate) fn serve(&self, socket: &zmq::Socket, domain: Domain) -> zmq::Result<()> {
        let Some(guard) = self.encrypt(socket)? else { return Ok(()) };
        socket.set_zap_domain(domain.name())?;
        guard.monitor(&self.context, socket, domain)
    }

    pub(super) fn access(&self, domain: Domain) -> Option<Access> {
        self.guard().map(|guard| Access { guard: guard.clone(), domain })
    }

    /// Opens the hub's socket for robots.
    pub fn robots_hub(&self, endpoint: &str) -> Result<Router, SocketError> {
        let mut ends = None;
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            // Without keys, a new connection of a robot with the same identity replaces the old connection. With keys,
            // this is not needed, because the key identifies a robot.
            s.set_router_handover(self.is_plain())?;
            self.serve(s, Domain::Robots)?;
            if self.is_plain() {
                ends = Some(monitor::start(&self.context, s, &[zmq::SocketEvent::DISCONNECTED])?);
            }
            s.bind(endpoint)
        })?;
        Ok(Router { ends, peers_are_robots: true, ..Router::new(socket, self.access(Domain::Robots)) })
    }

    /// Opens a geneserver's socket for workers. With the port `*`, the system chooses a free port, which is part of
    /// [`Router::endpoint`].
    pub fn geneserver(&self, endpoint: &str) -> Result<Router, SocketError> {
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            s.set_router_handover(true)?;
            // A short queue is enough: a worker waits for each reply, so more than one message is rarely queued.
            s.set_sndhwm(WORKER_QUEUE)?;
            s.set_rcvhwm(WORKER_QUEUE)?;
            s.set_backlog(WORKER_BACKLOG)?;
            self.serve(s, Domain::Workers)?;
            s.bind(endpoint)
        })?;
        Ok(Router::new(socket, self.access(Domain::Workers)))
    }

    /// Opens the hub's socket for operators.
    pub fn operators_hub(&self, endpoint: &str) -> Result<OperatorsHub, SocketError> {
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            self.serve(s, Domain::Operators)?;
            s.bind(endpoint)
        })?;
        Ok(OperatorsHub { socket, access: self.access(Domain::Operators) })
    }
}

/// Returns the endpoint of a socket; empty if the socket is not bound.
fn endpoint(socket: &zmq::Socket) -> String {
    socket.get_last_endpoint().ok().and_then(Result::ok).unwrap_or_default()
}

/// Access control of a server's socket, with the socket's domain.
pub(super) struct Access {
    guard: Arc<AccessControl>,
    domain: Domain,
}

/// Returns the return path and the body of the next message; `None` if no message waits.
fn receive_with_return_path(socket: &zmq::Socket) -> Option<(Vec<Vec<u8>>, zmq::Message)> {
    let mut parts = receive_parts(socket)?;
    let body = parts.pop()?;
    Some((parts.iter().map(|part| part.to_vec()).collect(), body))
}

/// Name and connection of a message's sender.
pub struct Sender {
    /// Id of a robot, or identity that a worker chose.
    pub name: String,
    route: Vec<u8>,
}

/// Server socket with many peers: the hub's socket for robots, a robot's socket for other robots, or a geneserver's
/// socket.
pub struct Router {
    socket: zmq::Socket,
    access: Option<Access>,
    /// Whether the peers are robots; otherwise they are workers.
    peers_are_robots: bool,
    /// Routing identity of each peer's connection, by the peer's name. A peer whose identity equals its name may have
    /// no entry.
    routes: RefCell<BTreeMap<String, Vec<u8>>>,
    /// Monitor of closed connections; `None` with keys, because the access control then counts closed connections.
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
        Router { socket, access, peers_are_robots: false, routes: RefCell::default(), ends: None, ended: Cell::new(0) }
    }

    /// Creates a robot's socket, to which other robots connect.
    pub(super) fn for_peers(socket: zmq::Socket, access: Option<Access>) -> Router {
        Router { peers_are_robots: true, ..Router::new(socket, access) }
    }

    /// Returns the number of closed robot connections so far. A connection closes if a robot stops, loses its network,
    /// or sends invalid ZeroMQ data or a message longer than libzmq accepts.
    pub fn ended(&self) -> u64 {
        if let Some(access) = &self.access {
            return access.guard.ended();
        }
        let events = || self.ends.as_ref().and_then(monitor::next);
        self.ended.set(self.ended.get() + std::iter::from_fn(events).take(REFUSED_AT_ONCE).count() as u64);
        self.ended.get()
    }

    /// Returns the endpoint of the socket, with the port that the system chose.
    pub fn endpoint(&self) -> String {
        endpoint(&self.socket)
    }

    /// Returns the next message of an authorised peer and the peer's name, or `None` if no such message waits. Messages
    /// of other peers are dropped and counted. From now on, messages to this peer use the connection of this message.
    pub fn receive<T: Message>(&self) -> Option<(String, Result<T, CodecError>)> {
        let (sender, message) = self.receive_from()?;
        let name = sender.name.clone();
        self.set_route(sender);
        Some((name, message))
    }

    /// Sets the connection for messages to the sender's name.
    pub fn set_route(&self, sender: Sender) {
        if sender.name.as_bytes() != sender.route {
            self.routes.borrow_mut().insert(sender.name, sender.route);
        }
    }

    /// Whether messages to the sender's name use the sender's connection.
    pub fn is_routed_by(&self, sender: &Sender) -> bool {
        self.routes.borrow().get(&sender.name).map_or(sender.name.as_bytes(), Vec::as_slice) == sender.route
    }

    /// Returns the next message of an authorised peer as [`Router::receive`] does, but does not change the connection
    /// for messages to this peer.
    pub fn receive_from<T: Message>(&self) -> Option<(Sender, Result<T, CodecError>)> {
        for _ in 0..REFUSED_AT_ONCE {
            let (parts, mut body) = receive_with_return_path(&self.socket)?;
            let Some(route) = parts.into_iter().next() else { continue };
            if let Some(sender) = self.sender(route, &mut body) {
                return Some((sender, codec::decode(&body)));
            }
        }
        None
    }

    /// Returns the sender of a message; `None` if the sender is rejected. With keys, the name of a robot is the name of
    /// its connection's key. A robot may also choose a routing identity. Identities that ZeroMQ assigns begin with byte
    /// 0, but chosen identities do not. A message with a chosen identity that differs from the name is rejected.
    fn sender(&self, route: Vec<u8>, body: &mut zmq::Message) -> Option<Sender> {
        let mut name = String::from_utf8_lossy(&route).into_owned();
        if let Some(access) = &self.access {
            let peer = access.guard.sender(access.domain, body)?;
            if self.peers_are_robots {
                if route.first() != Some(&0) && name != peer.name {
                    access.guard.count_wrong_name();
                    return None;
                }
                name = peer.name;
            }
        } else if self.peers_are_robots {
            name.truncate(name.find(NAME_ENDS).unwrap_or(name.len()));
        }
        Some(Sender { name, route })
    }

    /// Sends the message, or drops it if the peer is not connected or the peer's queue is full. Returns true if the
    /// message was queued for sending.
    pub fn send<T: Message>(&self, id: &str, message: &T) -> bool {
        let routes = self.routes.borrow();
        let route = routes.get(id).map_or(id.as_bytes(), Vec::as_slice);
        let parts: [&[u8]; 2] = [route, &codec::encode(message)];
        send_parts(&self.socket, &parts).is_ok()
    }
}

/// Hub's socket for operators.
pub struct OperatorsHub {
    socket: zmq::Socket,
    access: Option<Access>,
}

impl Readable for OperatorsHub {
    fn socket(&self) -> &zmq::Socket {
        &self.socket
    }
}

/// Sender of a request, and the return path for the reply.
pub struct ReturnAddress {
    parts: Vec<Vec<u8>>,
    /// Sender of the request; in `dev_mode`, an operator with an empty name.
    pub peer: Peer,
}

impl OperatorsHub {
    /// Returns the endpoint of the socket, with the port chosen by the system.
    pub fn endpoint(&self) -> String {
        endpoint(&self.socket)
    }

    /// Returns the next request of an authorised peer, or `None` if no such request waits. Requests of other peers are
    /// dropped and counted.
    pub fn receive<T: Message>(&self) -> Option<(ReturnAddress, Result<T, CodecError>)> {
        for _ in 0..REFUSED_AT_ONCE {
            let (parts, mut body) = receive_with_return_path(&self.socket)?;
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

    /// Sends the reply to a request.
    pub fn answer<T: Message>(&self, to: ReturnAddress, reply: &T) {
        let mut parts = to.parts;
        parts.push(codec::encode(reply));
        // Errors are ignored: a reply to an operator that has disconnected is dropped.
        let _ = send_parts(&self.socket, &parts);
    }
}
