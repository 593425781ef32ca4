//! Admission control: how many connections a port holds, and which makes room when there are too many.
//!
//! A process has so many file descriptors and no more. Strangers who connect and say nothing must neither take those that
//! the record, the folder of keys and STOP need, nor keep out a robot or an operator who comes later. So every port is
//! accepted here: a connection is [`Stage::Silent`] until it says something, in [`Stage::Greeting`] until it has said all
//! that needs no proof, in [`Stage::Handshake`] until it has proved what the port asks for, and [`Stage::Established`] after
//! that. Each stage is bounded (`table`), and the bounds of all ports together stay below the descriptor limit
//! ([`descriptors`]). [`relay`] does this in front of a ZeroMQ socket, which meets a connection in its handshake.

pub mod descriptors;
pub mod endpoint;
mod greeting;
mod handshake;
pub mod relay;
mod table;
pub mod watchers;

pub use greeting::Greeting;
pub use table::{Bounds, Full, Stage};

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use table::{Heard, Table};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// Connections that the kernel may hold until they are accepted: a burst of strangers does not make others' first packets
/// be lost.
pub const BACKLOG: u32 = 4096;
/// A connection cannot be accepted: the next try follows after this.
const AGAIN: Duration = Duration::from_millis(20);

/// How many connections a port has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections that have proved nothing yet.
    pub pending: usize,
    /// Established ones.
    pub established: usize,
    /// Connections closed so far to make room for others.
    pub evicted: u64,
    /// Connections that did not prove a key so far.
    pub turned_away: u64,
    /// The last of them: from where, and what its side has to mend.
    pub last_turned_away: Option<(IpAddr, Mistake)>,
}

/// Why a peer proves no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// It speaks without one.
    NoKey,
    /// It takes another hub's public key for ours: what it says first cannot be read.
    OtherHub,
    /// Nobody enrolled its key, or somebody revoked it.
    NotEnrolled,
}

impl Mistake {
    /// What is wrong on its side, and the remedy.
    pub fn words(self) -> &'static str {
        match self {
            Mistake::NoKey => "it has no key: start it with its key file",
            Mistake::OtherHub => {
                "its hub.pub is of another hub, or of keys before new ones were made: copy this hub's hub.pub to it"
            }
            Mistake::NotEnrolled => "its key is not enrolled here: `xpuck keys enrol` its .pub",
        }
    }
}

/// The connections of one port.
pub struct Admission {
    inside: Mutex<Inside>,
    began: Instant,
}

struct Inside {
    table: Table,
    turned_away: u64,
    last_turned_away: Option<(IpAddr, Mistake)>,
    /// Dropping a sender tells its connection to end.
    running: BTreeMap<u64, oneshot::Sender<()>>,
}

/// A connection's place, given back when this is dropped.
pub struct Ticket {
    id: u64,
    heard: Heard,
    admission: Arc<Admission>,
}

/// Resolves when a connection has to make room for another.
pub struct Eviction(oneshot::Receiver<()>);

impl Eviction {
    /// Waits until the connection has to end.
    pub async fn wait(self) {
        // The sender never sends: it is dropped.
        let _ = self.0.await;
    }

    /// What `work` gives, and this for later; none if the connection has to make room before.
    pub async fn or<T>(mut self, work: impl Future<Output = T>) -> Option<(Eviction, T)> {
        tokio::select! {
            _ = &mut self.0 => None,
            result = work => Some((self, result)),
        }
    }
}

impl Admission {
    /// A port without connections.
    pub fn new(bounds: Bounds) -> Arc<Admission> {
        let inside =
            Inside { table: Table::new(bounds), turned_away: 0, last_turned_away: None, running: BTreeMap::new() };
        Arc::new(Admission { inside: Mutex::new(inside), began: Instant::now() })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts the next connection, and takes it in.
    pub async fn accept(self: &Arc<Admission>, listener: &TcpListener) -> (TcpStream, Ticket, Eviction) {
        loop {
            // An error here is that of a connection which broke again, or of a process without descriptors; both pass.
            if let Ok((connection, peer)) = listener.accept().await {
                let (ticket, eviction) = self.enter(peer.ip());
                return (connection, ticket, eviction);
            }
            sleep(AGAIN).await;
        }
    }

    /// Takes in a connection that was just accepted, which has said nothing yet.
    fn enter(self: &Arc<Admission>, peer: IpAddr) -> (Ticket, Eviction) {
        let (sender, receiver) = oneshot::channel();
        let mut inside = self.inside();
        let heard = Heard::default();
        let (id, evicted) = inside.table.enter(peer, heard.clone());
        inside.running.insert(id, sender);
        if let Some(evicted) = evicted {
            inside.running.remove(&evicted);
        }
        (Ticket { id, heard, admission: self.clone() }, Eviction(receiver))
    }

    /// How many connections there are.
    pub fn counts(&self) -> Counts {
        let inside = self.inside();
        let table = &inside.table;
        Counts {
            turned_away: inside.turned_away,
            last_turned_away: inside.last_turned_away,
            pending: [Stage::Silent, Stage::Greeting, Stage::Handshake].map(|stage| table.count(stage)).iter().sum(),
            established: table.count(Stage::Established),
            evicted: table.evicted(),
        }
    }
}

impl Ticket {
    /// The peer has proved no key.
    fn turned_away(&self, peer: IpAddr, mistake: Mistake) {
        let mut inside = self.admission.inside();
        inside.turned_away += 1;
        inside.last_turned_away = Some((peer, mistake));
    }

    /// The peer has said something.
    pub fn heard(&self) {
        self.heard.store(self.admission.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// The connection has come further, for which another may have to make room. False if it is this one that has to end.
    pub fn advance(&self, stage: Stage) -> bool {
        let mut inside = self.admission.inside();
        match inside.table.advance(self.id, stage) {
            Some(evicted) if evicted == self.id => false,
            Some(evicted) => {
                inside.running.remove(&evicted);
                true
            }
            None => true,
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut inside = self.admission.inside();
        inside.table.leave(self.id);
        inside.running.remove(&self.id);
    }
}
