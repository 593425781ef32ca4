//! Admission control: limits the number of connections of a port, and selects a connection to close if there are too
//! many.
//!
//! A process has a limited number of file descriptors. Silent connections must not use up the descriptors that the
//! record, the key folder and STOP need. They must not exclude robots or operators that connect later either.
//! Therefore every port accepts its connections through this module.
//!
//! A connection passes through up to four stages. It is [`Stage::Silent`] until its first bytes arrive. It is in
//! [`Stage::Greeting`] until the peer has sent all data that needs no proof. It is in [`Stage::Handshake`] until the
//! peer has given the proof that the port requires. After that it is [`Stage::Established`]. The number of
//! connections in each stage is limited (`table`), and the sum of all limits stays below the descriptor limit
//! ([`descriptors`]). [`relay`] implements these stages in front of a ZeroMQ socket, which receives a connection when
//! its handshake starts.

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

/// Maximum number of connections that the kernel queues until they are accepted. It is so large that a burst of
/// connections does not cause packet loss for other peers.
pub const BACKLOG: u32 = 4096;
/// Pause after an error in accepting a connection.
const AGAIN: Duration = Duration::from_millis(20);

/// Connection counters of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of open connections that are not established.
    pub pending: usize,
    /// Number of established connections.
    pub established: usize,
    /// Number of connections closed so far to make room for others.
    pub evicted: u64,
    /// Number of connections so far whose peer had no valid key.
    pub turned_away: u64,
    /// Last connection whose peer had no valid key: the peer's address, and the configuration error on the peer's
    /// side.
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
    /// Returns a description of the error on the peer's side, with the remedy.
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
    /// Senders by connection id. Dropping the sender of a connection ends the connection.
    running: BTreeMap<u64, oneshot::Sender<()>>,
}

/// Slot of a connection in the port's table. Dropping the ticket frees the slot.
pub struct Ticket {
    id: u64,
    heard: LastHeard,
    admission: Arc<Admission>,
}

/// Signal that a connection has to end to make room for another.
pub struct Eviction(oneshot::Receiver<()>);

impl Eviction {
    /// Waits until the connection has to make room for another.
    pub async fn wait(self) {
        // The sender never sends a value. The receiver ends when the sender is dropped.
        let _ = self.0.await;
    }

    /// Waits for `work`, and returns its result and `self`. Returns `None` if the connection has to make room first.
    pub async fn or<T>(mut self, work: impl Future<Output = T>) -> Option<(Eviction, T)> {
        tokio::select! {
            _ = &mut self.0 => None,
            result = work => Some((self, result)),
        }
    }
}

impl Admission {
    /// Creates the table of a port that has no connections yet.
    pub fn new(bounds: Bounds) -> Arc<Admission> {
        let inside =
            Inside { table: Table::new(bounds), turned_away: 0, last_turned_away: None, running: BTreeMap::new() };
        Arc::new(Admission { inside: Mutex::new(inside), began: Instant::now() })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next connection, and registers it. Errors in accepting a connection are retried.
    pub async fn accept(self: &Arc<Admission>, listener: &TcpListener) -> (TcpStream, Ticket, Eviction) {
        loop {
            // An error means that the connection broke immediately, or that the process has no free descriptor. Both
            // are transient.
            if let Ok((connection, peer)) = listener.accept().await {
                let (ticket, eviction) = self.enter(peer.ip());
                return (connection, ticket, eviction);
            }
            sleep(AGAIN).await;
        }
    }

    /// Registers an accepted connection as silent. If there are too many silent connections, one of them is evicted.
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

    /// Returns the current counters.
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
    /// Records that the peer at this address has no valid key, for the given reason.
    fn rejected(&self, peer: IpAddr, mistake: KeyError) {
        let mut inside = self.admission.inside();
        inside.turned_away += 1;
        inside.last_turned_away = Some((peer, mistake));
    }

    /// Records the current time as the time of the peer's last bytes.
    pub fn heard(&self) {
        self.heard.store(self.admission.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Moves the connection to a later stage. If that stage is full, one connection is evicted. Returns false if the
    /// evicted connection is this one. The caller then has to end it.
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
