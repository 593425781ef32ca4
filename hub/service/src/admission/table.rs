//! Table of a port's connections. It contains only data, no sockets.
//!
//! When a stage is full, the table evicts a connection of the peer with the most connections in that stage. No single
//! peer can therefore exclude the others. If several peers have the most connections, all of their connections are
//! candidates. Before a connection is established, the table evicts the oldest candidate, so that a genuine peer
//! completes the handshake before others displace it. For established connections the port's policy decides
//! ([`EvictionPolicy`]).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stage of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The peer has not sent any bytes.
    Silent,
    /// The peer has sent the first bytes of the port's protocol.
    Greeting,
    /// The peer has sent all data that requires no proof.
    Handshake,
    /// The peer has given the required proof.
    Established,
}

/// Policy for the eviction of an established connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvictionPolicy {
    /// Evicts the newest connection, so that a working connection is not closed for a new one. Suitable for peers
    /// that may listen for a long time without sending.
    Newest,
    /// Evicts the connection that has been silent for the longest time. Suitable for peers that send continuously, or
    /// that send one request and disconnect. A silent connection of such a peer is dead or only occupies a slot.
    Silent,
}

/// Time of a connection's last received bytes (ms since the start of the port), shared with the reader of the
/// connection.
pub(super) type LastHeard = Arc<AtomicU64>;

/// Limits of a port: maximum number of connections in each stage, eviction policy, and maximum number of bytes per
/// peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum number of silent connections.
    pub silent: usize,
    /// Maximum number of connections in the greeting.
    pub greeting: usize,
    /// Maximum number of connections in the handshake.
    pub handshake: usize,
    /// Maximum number of established connections.
    pub established: usize,
    /// Eviction policy for established connections.
    pub full: EvictionPolicy,
    /// Maximum number of bytes that an established peer may send before it has to reconnect. It limits the
    /// subscriptions of a peer, all of which libzmq stores.
    pub said: usize,
}

impl Bounds {
    /// Returns the bounds of a port without a handshake. `requests` limits concurrent requests, and `watchers` limits
    /// open event streams.
    pub fn of_pages(requests: usize, watchers: usize) -> Bounds {
        Bounds {
            silent: requests,
            greeting: 0,
            handshake: 0,
            established: watchers,
            full: EvictionPolicy::Newest,
            said: usize::MAX,
        }
    }
}

/// Connections of one stage, by peer. Each new connection gets a higher id, so the lowest id of a peer is the id of its
/// oldest connection.
#[derive(Debug, Default)]
struct StageSlots {
    peers: BTreeMap<IpAddr, BTreeSet<u64>>,
    /// Number of connections of all peers.
    count: usize,
}

/// Connections of a port.
#[derive(Debug)]
pub(super) struct Table {
    bounds: Bounds,
    connections: BTreeMap<u64, (IpAddr, Stage, LastHeard)>,
    rooms: [StageSlots; 4],
    next: u64,
    evicted: u64,
}

impl StageSlots {
    fn insert(&mut self, peer: IpAddr, id: u64) {
        self.peers.entry(peer).or_default().insert(id);
        self.count += 1;
    }

    fn remove(&mut self, peer: IpAddr, id: u64) {
        let Some(theirs) = self.peers.get_mut(&peer) else { return };
        self.count -= usize::from(theirs.remove(&id));
        if theirs.is_empty() {
            self.peers.remove(&peer);
        }
    }
}

impl Table {
    pub fn new(bounds: Bounds) -> Table {
        Table { bounds, connections: BTreeMap::new(), rooms: Default::default(), next: 0, evicted: 0 }
    }

    /// Adds a connection. Returns its id, and the id of the connection that was evicted, if any. The reader of the
    /// connection keeps `heard` up to date.
    pub fn enter(&mut self, peer: IpAddr, heard: LastHeard) -> (u64, Option<u64>) {
        let (id, peer) = (self.next, network(peer));
        self.next += 1;
        self.connections.insert(id, (peer, Stage::Silent, heard));
        self.rooms[Stage::Silent as usize].insert(peer, id);
        (id, self.make_room(Stage::Silent))
    }

    /// Moves a connection to a later stage. Returns the id of the connection that was evicted, if any; it may be the
    /// moved connection.
    pub fn advance(&mut self, id: u64, stage: Stage) -> Option<u64> {
        let (peer, before, _) = self.connections.get_mut(&id)?;
        self.rooms[*before as usize].remove(*peer, id);
        self.rooms[stage as usize].insert(*peer, id);
        *before = stage;
        self.make_room(stage)
    }

    /// Removes a connection that has ended.
    pub fn leave(&mut self, id: u64) {
        if let Some((peer, stage, _)) = self.connections.remove(&id) {
            self.rooms[stage as usize].remove(peer, id);
        }
    }

    /// Returns the number of connections in a stage.
    pub fn count(&self, stage: Stage) -> usize {
        self.rooms[stage as usize].count
    }

    /// Returns the number of connections evicted so far.
    pub fn evicted(&self) -> u64 {
        self.evicted
    }

    /// Returns the connection of a stage for which `first` is greatest. Only connections of the peers with the most
    /// connections in the stage are considered.
    fn most<K: Ord>(&self, stage: Stage, first: impl Fn(u64) -> K) -> Option<u64> {
        let peers = &self.rooms[stage as usize].peers;
        let most = peers.values().map(BTreeSet::len).max()?;
        let heaviest = peers.values().filter(|theirs| theirs.len() == most);
        heaviest.flatten().copied().max_by_key(|id| first(*id))
    }

    fn heard(&self, id: u64) -> u64 {
        self.connections.get(&id).map_or(0, |(_, _, heard)| heard.load(Ordering::Relaxed))
    }

    fn make_room(&mut self, stage: Stage) -> Option<u64> {
        let bound = match stage {
            Stage::Silent => self.bounds.silent,
            Stage::Greeting => self.bounds.greeting,
            Stage::Handshake => self.bounds.handshake,
            Stage::Established => self.bounds.established,
        };
        if self.count(stage) <= bound {
            return None;
        }
        let id = match (stage, self.bounds.full) {
            (Stage::Established, EvictionPolicy::Newest) => self.most(stage, |id| id),
            (Stage::Established, EvictionPolicy::Silent) => self.most(stage, |id| Reverse(self.heard(id))),
            _ => self.most(stage, Reverse),
        }?;
        self.leave(id);
        self.evicted += 1;
        Some(id)
    }
}

/// Returns the address that represents a peer. All IPv6 addresses with the same first 64 bits count as one peer,
/// because a single host can use all of them.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() >> 64 << 64)),
        four => four,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::new(Bounds {
            silent: 4,
            greeting: 4,
            handshake: 3,
            established: 3,
            full: EvictionPolicy::Newest,
            said: usize::MAX,
        })
    }

    fn ip(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[test]
    fn oldest_silent_connection_of_heaviest_peer_is_evicted() {
        let mut table = table();
        let (friend, _) = table.enter(ip(1), LastHeard::default());
        let strangers: Vec<_> = (0..3).map(|_| table.enter(ip(2), LastHeard::default())).collect();
        assert!(strangers.iter().all(|(_, evicted)| evicted.is_none()));
        for n in 0..1000 {
            let (_, evicted) = table.enter(ip(2), LastHeard::default());
            assert!(evicted.is_some_and(|id| id != friend), "stranger {n}");
        }
        assert_eq!((table.count(Stage::Silent), table.evicted()), (4, 1000));
        assert_eq!(table.enter(ip(2), LastHeard::default()).1, Some(strangers[0].0 + 1000), "the oldest that is left");
        assert_eq!(table.advance(friend, Stage::Handshake), None);
    }

    #[test]
    fn peer_does_not_evict_its_own_established_connection() {
        let mut table = table();
        let mut establish = |peer| {
            let (id, _) = table.enter(peer, LastHeard::default());
            table.advance(id, Stage::Handshake);
            (id, table.advance(id, Stage::Established))
        };
        let first: Vec<_> = (0..3).map(|_| establish(ip(1)).0).collect();
        let (fourth, refused) = establish(ip(1));
        assert_eq!(refused, Some(fourth));
        // Peers 2 and 3 are admitted. The peer with the most connections loses its newest ones.
        assert_eq!(establish(ip(2)).1, Some(first[2]));
        assert_eq!(establish(ip(3)).1, Some(first[1]));
    }

    /// Checks a full stage in which each peer has one connection. A new connection evicts the oldest one and is itself
    /// accepted, regardless of its address.
    #[test]
    fn among_peers_with_one_connection_each_the_oldest_makes_room() {
        for newcomer in [ip(0), ip(9)] {
            let mut table = table();
            let crowd: Vec<_> = (1..=4).map(|last| table.enter(ip(last), LastHeard::default()).0).collect();
            let (id, evicted) = table.enter(newcomer, LastHeard::default());
            assert_eq!(evicted, Some(crowd[0]));
            assert_eq!(table.advance(id, Stage::Greeting), None);
        }
    }

    #[test]
    fn connection_silent_longest_is_evicted_in_silent_mode() {
        let mut table = Table::new(Bounds { full: EvictionPolicy::Silent, ..table().bounds });
        let clocks = [5, 1, 9, 7].map(|heard| LastHeard::new(AtomicU64::new(heard)));
        let ids = clocks.each_ref().map(|clock| table.enter(ip(1), clock.clone()).0);
        let evicted = ids.map(|id| table.advance(id, Stage::Established));
        assert_eq!(evicted, [None, None, None, Some(ids[1])]);
        clocks[2].store(6, Ordering::Relaxed);
        clocks[0].store(10, Ordering::Relaxed);
        let (id, _) = table.enter(ip(1), LastHeard::new(AtomicU64::new(11)));
        assert_eq!(table.advance(id, Stage::Established), Some(ids[2]));
    }

    #[test]
    fn left_or_evicted_connections_are_not_counted() {
        let mut table = table();
        let (id, _) = table.enter(ip(1), LastHeard::default());
        table.advance(id, Stage::Established);
        table.leave(id);
        table.leave(id);
        assert_eq!(table.advance(id, Stage::Handshake), None);
        assert!(table.rooms.iter().all(|room| room.count == 0 && room.peers.is_empty()));
    }

    #[test]
    fn ipv6_network_counts_as_one_peer() {
        let six = |text: &str| network(text.parse().unwrap());
        assert_eq!(six("2001:db8::1"), six("2001:db8::ffff"));
        assert_ne!(six("2001:db8::1"), six("2001:db8:0:1::1"));
        assert_eq!(six("::ffff:10.0.0.1"), ip(1));
        assert_ne!(ip(1), network(ip(2)));
    }
}
