//! The table of a port's connections: plain data, no sockets.
//!
//! When a stage is full, the peer address with the most connections in it gives one up. Of those that have proved nothing it
//! is the oldest: whoever means it gets through the handshake before others push it out. Of the established it is the
//! newest: one that works is not closed for one more. So one address cannot keep the others out.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv6Addr};

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It has said nothing.
    Silent,
    /// It has begun to speak the port's protocol.
    Greeting,
    /// It has said all that can be said before a proof is asked for.
    Handshake,
    /// It has proved what the port asks for.
    Established,
}

/// Most connections in each stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// That have said nothing.
    pub silent: usize,
    /// That have begun to greet.
    pub greeting: usize,
    /// In the handshake.
    pub handshake: usize,
    /// Established.
    pub established: usize,
}

/// The connections of one stage, by peer. The numbers rise: a peer's oldest has its lowest.
#[derive(Debug, Default)]
struct Room {
    peers: BTreeMap<IpAddr, BTreeSet<u64>>,
    count: usize,
}

/// The connections of a port.
#[derive(Debug)]
pub(super) struct Table {
    bounds: Bounds,
    connections: BTreeMap<u64, (IpAddr, Stage)>,
    rooms: [Room; 4],
    next: u64,
    evicted: u64,
}

impl Room {
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

    /// The connections of the peer that has the most.
    fn heaviest(&self) -> Option<&BTreeSet<u64>> {
        self.peers.values().max_by_key(|theirs| theirs.len())
    }
}

impl Table {
    pub fn new(bounds: Bounds) -> Table {
        Table { bounds, connections: BTreeMap::new(), rooms: Default::default(), next: 0, evicted: 0 }
    }

    /// A new connection's number, and the number of the one that has to make room.
    pub fn enter(&mut self, peer: IpAddr) -> (u64, Option<u64>) {
        let (id, peer) = (self.next, network(peer));
        self.next += 1;
        self.connections.insert(id, (peer, Stage::Silent));
        self.rooms[Stage::Silent as usize].insert(peer, id);
        (id, self.make_room(Stage::Silent))
    }

    /// A connection has come further: the number of the one that has to make room, which may be itself.
    pub fn advance(&mut self, id: u64, stage: Stage) -> Option<u64> {
        let (peer, before) = self.connections.get_mut(&id)?;
        self.rooms[*before as usize].remove(*peer, id);
        self.rooms[stage as usize].insert(*peer, id);
        *before = stage;
        self.make_room(stage)
    }

    /// A connection has ended.
    pub fn leave(&mut self, id: u64) {
        if let Some((peer, stage)) = self.connections.remove(&id) {
            self.rooms[stage as usize].remove(peer, id);
        }
    }

    /// Connections in a stage.
    pub fn count(&self, stage: Stage) -> usize {
        self.rooms[stage as usize].count
    }

    /// Connections that had to make room so far.
    pub fn evicted(&self) -> u64 {
        self.evicted
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
        let theirs = self.rooms[stage as usize].heaviest()?;
        let id = *if stage == Stage::Established { theirs.last() } else { theirs.first() }?;
        self.leave(id);
        self.evicted += 1;
        Some(id)
    }
}

/// What counts as one peer: an IPv4 address, or an IPv6 network of 64 bits, which is what one host may choose from.
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
        Table::new(Bounds { silent: 4, greeting: 4, handshake: 3, established: 3 })
    }

    fn ip(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[test]
    fn the_oldest_silent_one_of_the_heaviest_peer_makes_room() {
        let mut table = table();
        let (friend, _) = table.enter(ip(1));
        let strangers: Vec<_> = (0..3).map(|_| table.enter(ip(2))).collect();
        assert!(strangers.iter().all(|(_, evicted)| evicted.is_none()));
        for n in 0..1000 {
            let (_, evicted) = table.enter(ip(2));
            assert!(evicted.is_some_and(|id| id != friend), "stranger {n}");
        }
        assert_eq!((table.count(Stage::Silent), table.evicted()), (4, 1000));
        assert_eq!(table.enter(ip(2)).1, Some(strangers[0].0 + 1000), "the oldest that is left");
        assert_eq!(table.advance(friend, Stage::Handshake), None);
    }

    #[test]
    fn an_established_connection_is_not_closed_for_one_more_of_its_own_peer() {
        let mut table = table();
        let mut establish = |peer| {
            let (id, _) = table.enter(peer);
            table.advance(id, Stage::Handshake);
            (id, table.advance(id, Stage::Established))
        };
        let first: Vec<_> = (0..3).map(|_| establish(ip(1)).0).collect();
        let (fourth, refused) = establish(ip(1));
        assert_eq!(refused, Some(fourth));
        // Another peer gets in at the cost of the one with the most.
        assert_eq!(establish(ip(2)).1, Some(first[2]));
        assert_eq!(establish(ip(3)).1, Some(first[1]));
    }

    #[test]
    fn who_leaves_or_is_gone_counts_no_more() {
        let mut table = table();
        let (id, _) = table.enter(ip(1));
        table.advance(id, Stage::Established);
        table.leave(id);
        table.leave(id);
        assert_eq!(table.advance(id, Stage::Handshake), None);
        assert!(table.rooms.iter().all(|room| room.count == 0 && room.peers.is_empty()));
    }

    #[test]
    fn a_network_of_ipv6_is_one_peer() {
        let six = |text: &str| network(text.parse().unwrap());
        assert_eq!(six("2001:db8::1"), six("2001:db8::ffff"));
        assert_ne!(six("2001:db8::1"), six("2001:db8:0:1::1"));
        assert_eq!(six("::ffff:10.0.0.1"), ip(1));
        assert_ne!(ip(1), network(ip(2)));
    }
}
