//! Admission control: limits the connections of a port, and selects one to close when there are too many.
//!
//! A process has a limited number of file descriptors. Silent connections must not exhaust the descriptors that the
//! record, the key folder and STOP need, and must not exclude robots or operators that connect later. Therefore every
//! port accepts its connections through this module. A connection is [`Stage::Silent`] until its first bytes, in
//! [`Stage::Greeting`] until it has sent all data that needs no proof, in [`Stage::Handshake`] until it has given the
//! proof that the port requires, and then [`Stage::Established`]. Each stage is bounded (`table`), and the sum of all
//! bounds stays below the descriptor limit ([`descriptors`]). [`relay`] runs these stages in front of a ZeroMQ socket,
//! which receives a connection when its handshake starts.

pub mod descriptors;
pub mod endpoint;
mod greeting;
mod handshake;
pub mod relay;
mod table;
pub mod watchers;

pub use greeting::Greeting;
pub use table::{Bounds, EvictionPolicy, Stage};

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use table::{LastHeard, Table};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// Maximum number of connections that the kernel queues until they are accepted; large enough that a burst of
/// connections does not cause packet loss for others.
pub const BACKLOG: u32 = 4096;
/// Pause after a failed accept.
const AGAIN: Duration = Duration::from_millis(20);

/// Connection counters of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of connections without a proof.
    pub pending: usize,
    /// Number of established connections.
    pub established: usize,
    /// Number of connections closed so far to make room for others.
    pub evicted: u64,
    /// Number of connections so far without a valid key.
    pub turned_away: u64,
    /// Last connection without a valid key: its address, and the configuration error on the peer's side.
    pub last_turned_away: Option<(IpAddr, KeyError)>,
}

/// Reason why a peer has no valid key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// The peer has no key.
    NoKey,
    /// The peer uses another hub's public key, so that its first message cannot be decrypted.
    OtherHub,
    /// The peer's key is not enrolled, or was revoked.
    NotEnrolled,
}

impl KeyError {
    /// Description of the error on the peer's side, with the remedy.
    pub fn words(self) -> &'static str {
        match self {
            KeyError::NoKey => "it has no key; start it with its key file",
            KeyError::OtherHub => "its hub.pub is outdated or from another hub; copy this hub's hub.pub to it",
            KeyError::NotEnrolled => "its key is not enrolled here; enrol its .pub file with `xpuck keys enrol`",
        }
    }
}

/// Connections of one port.
pub struct Admission {
    inside: Mutex<Inside>,
    began: Instant,
}

struct Inside {
    table: Table,
    turned_away: u64,
    last_turned_away: Option<(IpAddr, KeyError)>,
    /// Dropping a sender makes its connection end.
    running: BTreeMap<u64, oneshot::Sender<()>>,
}

/// Slot of a connection; freed on drop.
pub struct Ticket {
    id: u64,
    heard: LastHeard,
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

    /// Waits for `work`; returns its result and `self`, or `None` if the connection has to make room first.
    pub async fn or<T>(mut self, work: impl Future<Output = T>) -> Option<(Eviction, T)> {
        tokio::select! {
            _ = &mut self.0 => None,
            result = work => Some((self, result)),
        }
    }
}

impl Admission {
    /// Creates a port without connections.
    pub fn new(bounds: Bounds) -> Arc<Admission> {
        let inside =
            Inside { table: Table::new(bounds), turned_away: 0, last_turned_away: None, running: BTreeMap::new() };
        Arc::new(Admission { inside: Mutex::new(inside), began: Instant::now() })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts and registers the next connection.
    pub async fn accept(self: &Arc<Admission>, listener: &TcpListener) -> (TcpStream, Ticket, Eviction) {
        loop {
            // The error is that of a connection that broke at once, or of a process without free descriptors; both
            // are transient.
            if let Ok((connection, peer)) = listener.accept().await {
                let (ticket, eviction) = self.enter(peer.ip());
                return (connection, ticket, eviction);
            }
            sleep(AGAIN).await;
        }
    }

    /// Registers an accepted, still silent connection.
    fn enter(self: &Arc<Admission>, peer: IpAddr) -> (Ticket, Eviction) {
        let (sender, receiver) = oneshot::channel();
        let mut inside = self.inside();
        let heard = LastHeard::default();
        let (id, evicted) = inside.table.enter(peer, heard.clone());
        inside.running.insert(id, sender);
        if let Some(evicted) = evicted {
            inside.running.remove(&evicted);
        }
        (Ticket { id, heard, admission: self.clone() }, Eviction(receiver))
    }

    /// Current counters.
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
    /// Records that the peer gave no valid key.
    fn rejected(&self, peer: IpAddr, mistake: KeyError) {
        let mut inside = self.admission.inside();
        inside.turned_away += 1;
        inside.last_turned_away = Some((peer, mistake));
    }

    /// Records that the peer has sent bytes.
    pub fn heard(&self) {
        self.heard.store(self.admission.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Moves the connection to a further stage, which may evict another connection. Returns false if this connection
    /// has to end.
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
