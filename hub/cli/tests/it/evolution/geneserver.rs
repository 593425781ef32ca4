//! Decisions of the geneserver. Tests the distribution of genes under each policy, and whether the incremental ranking
//! equals a full ranking.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xpuck_evolve::geneserver::{Copies, Geneserver, MAX_ISLANDS, Offer};
use xpuck_evolve::{Id, Migrant, Migration, Policy, Samples};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Kind, Tree};

fn migrant(island: u16, number: u32, fitness: f64, turn: f32) -> Migrant {
    let mut samples = Samples::default();
    samples.add(0, fitness);
    Migrant { id: Id { island, number }, tree: Tree::leaf(Kind::Movcv, &[2.0, turn]), samples, epoch: 0 }
}

fn server(migration: Migration) -> Geneserver {
    migration.check().unwrap();
    Geneserver::new(migration, Copies::Once, 1)
}

fn with_policy(policy: Policy) -> Migration {
    Migration { policy, ..Migration::default() }
}

/// Sends an emigrant with a low fitness from `island` to the server, which sends immigrants in exchange. Returns the
/// immigrants' islands of origin.
fn received(server: &mut Geneserver, island: u16, generation: u32) -> Vec<u16> {
    let own = migrant(island, 1_000_000 + generation, -1.0, 1e6);
    server.exchange(island, generation, own).iter().map(|m| m.id.island).collect()
}

/// Returns a server that has one emigrant from each of six islands. The fitness rises with the island's number.
fn six(migration: Migration) -> Geneserver {
    let mut server = server(migration);
    for island in 1..=6 {
        server.exchange(island, 1, migrant(island, 0, f64::from(island) / 10.0, f32::from(island)));
    }
    server
}

#[test]
fn originator_gets_only_foreign_genes_fittest_first() {
    assert_eq!(received(&mut six(with_policy(Policy::Full)), 5, 2), [6, 4, 3, 2, 1]);
    let mut alone = server(with_policy(Policy::Full));
    assert!(alone.exchange(1, 1, migrant(1, 0, 0.9, 1.0)).is_empty());
}

#[test]
fn eight_are_kept_of_an_island_and_eight_are_sent() {
    let mut server = server(with_policy(Policy::Full));
    for i in 0..20 {
        server.exchange(1, i + 1, migrant(1, i, 1.0 - f64::from(i) * 0.01, i as f32));
    }
    let reply = server.exchange(2, 1, migrant(2, 0, 0.0, 99.0));
    assert_eq!(reply.iter().map(|m| m.id.number).collect::<Vec<_>>(), [12, 13, 14, 15, 16, 17, 18, 19]);
}

#[test]
fn equal_trees_are_sent_once_unless_each_copy_counts() {
    for (copies, expected) in [(Copies::Once, vec![2]), (Copies::Each, vec![2, 1])] {
        let mut server = Geneserver::new(with_policy(Policy::Full), copies, 1);
        server.exchange(1, 1, migrant(1, 0, 0.3, 5.0));
        server.exchange(2, 1, migrant(2, 0, 0.4, 5.0));
        assert_eq!(received(&mut server, 3, 1), expected);
    }
}

#[test]
fn resent_emigrant_replaces_and_is_not_duplicated() {
    for copies in [Copies::Once, Copies::Each] {
        let mut server = Geneserver::new(with_policy(Policy::Full), copies, 1);
        for again in 0..5 {
            server.exchange(1, 1, migrant(1, 7, 0.3, 5.0));
            server.exchange(1, 2, migrant(1, 8 + again, 0.4, 6.0));
        }
        assert_eq!(server.heterogeneity().emigrants, 2);
        let reply = server.exchange(2, 1, migrant(2, 0, 0.0, 99.0));
        assert_eq!(reply.iter().map(|m| m.id.number).collect::<Vec<_>>(), [12, 7], "the last of each generation");
    }
}

#[test]
fn each_policy_selects_its_own_neighbours() {
    assert_eq!(received(&mut six(with_policy(Policy::Ring)), 1, 2), [6, 2], "both sides, and the ring is closed");
    assert!(received(&mut six(with_policy(Policy::None)), 1, 2).is_empty());
    let near = Migration { places_m: (0..8).map(|i| [0.1 * i as f32, 0.0]).collect(), ..with_policy(Policy::Near) };
    let within = Migration { range_m: Some(0.25), neighbours: 8, ..near.clone() };
    assert_eq!(received(&mut six(near.clone()), 3, 2), [4, 2]);
    assert_eq!(received(&mut six(within), 3, 2), [5, 4, 2, 1]);
    let mut moved = six(near);
    moved.place(3, [0.45, 0.0]);
    assert_eq!(received(&mut moved, 3, 2), [5, 4], "poses from the hub move an island");
    let nowhere = Migration { range_m: Some(1.0), ..with_policy(Policy::Near) };
    assert!(received(&mut six(nowhere), 3, 2).is_empty(), "nobody has a place");
}

#[test]
fn random_partners_change_and_follow_from_the_seed() {
    let run = |seed| {
        let mut server = Geneserver::new(with_policy(Policy::Random), Copies::Once, seed);
        for island in 1..=6 {
            server.exchange(island, 1, migrant(island, 0, f64::from(island) / 10.0, f32::from(island)));
        }
        (2..30).map(|generation| received(&mut server, 3, generation)).collect::<Vec<_>>()
    };
    let first = run(1);
    assert!(first.iter().all(|partners| partners.len() == 2 && !partners.contains(&3)), "{first:?}");
    assert!(first.iter().collect::<BTreeSet<_>>().len() > 4, "they change: {first:?}");
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
}

#[test]
fn exchanges_happen_only_every_nth_generation() {
    let mut server = six(Migration { every: 1, ..with_policy(Policy::Full) });
    assert_eq!(received(&mut server, 1, 1).len(), 5);
    let mut rare = self::server(Migration { every: 3, receive: 2, ..with_policy(Policy::Full) });
    for island in 1..=6 {
        assert!(rare.exchange(island, 2, migrant(island, 0, 0.1, f32::from(island))).is_empty());
    }
    assert_eq!(rare.islands(), 0, "what is sent between exchanges is not kept");
    for island in 1..=6 {
        rare.exchange(island, 3, migrant(island, 0, f64::from(island), f32::from(island)));
    }
    assert_eq!(received(&mut rare, 6, 6), [5, 4]);
}

#[test]
fn heterogeneity_counts_different_trees_and_strangers() {
    let mut server = server(with_policy(Policy::Full));
    assert_eq!(server.heterogeneity().emigrants, 0);
    server.exchange(1, 1, migrant(1, 0, 0.3, 5.0));
    server.exchange(2, 1, migrant(1, 0, 0.3, 5.0));
    server.exchange(3, 1, migrant(3, 0, 0.3, 6.0));
    server.exchange(4, 1, migrant(4, 0, 0.3, 7.0));
    let heterogeneity = server.heterogeneity();
    assert_eq!((heterogeneity.distinct, heterogeneity.foreign), (0.75, 0.25));
    server.exchange(2, 1, migrant(2, 0, 0.3, 8.0));
    assert_eq!((server.heterogeneity().distinct, server.heterogeneity().foreign), (1.0, 0.0));
}

#[test]
fn there_is_room_for_ten_thousand_islands_and_no_more() {
    let mut server = server(Migration { keep: 1, ..with_policy(Policy::Full) });
    for island in 0..MAX_ISLANDS as u16 {
        assert!(server.keep(Offer::new(island, 1, &migrant(island, 0, 0.1, 0.0))));
    }
    assert!(!server.has_room(20_000) && server.has_room(0));
    assert!(server.exchange(20_000, 1, migrant(20_000, 0, 0.9, 1.0)).is_empty());
    assert_eq!((server.islands(), server.heterogeneity().emigrants), (MAX_ISLANDS, MAX_ISLANDS));
}

/// Reference implementation of the ranking: it ranks all emigrants of other islands at every exchange.
#[derive(Default)]
struct Plain {
    recent: BTreeMap<u16, VecDeque<(u32, Migrant)>>,
}

impl Plain {
    fn exchange(&mut self, copies: Copies, island: u16, generation: u32, migrant: &Migrant) -> Vec<Migrant> {
        let list = self.recent.entry(island).or_default();
        list.retain(|(g, m)| *g != generation && (copies == Copies::Each || m.id != migrant.id));
        list.push_back((generation, migrant.clone()));
        if list.len() > 8 {
            list.pop_front();
        }
        let others = self.recent.iter().filter(|(i, _)| **i != island);
        let mut all: Vec<(u16, u32, &Migrant)> =
            others.flat_map(|(i, list)| list.iter().map(|(g, m)| (*i, *g, m))).collect();
        all.retain(|(_, _, m)| m.epoch == migrant.epoch);
        all.sort_by(|a, b| {
            let fitness = b.2.samples.mean().total_cmp(&a.2.samples.mean());
            let known = fitness.then(b.2.samples.n().cmp(&a.2.samples.n()));
            known.then((a.2.id, a.0, a.1).cmp(&(b.2.id, b.0, b.1)))
        });
        let mut seen = BTreeSet::new();
        all.retain(|(_, _, m)| copies == Copies::Each || seen.insert(m.tree.key()));
        all.into_iter().take(8).map(|(_, _, m)| m.clone()).collect()
    }
}

#[test]
fn incremental_ranking_equals_full_ranking() {
    for copies in [Copies::Once, Copies::Each] {
        let mut server = Geneserver::new(with_policy(Policy::Full), copies, 1);
        let mut plain = Plain::default();
        let mut draws = Draws::new(7, 0, 0, 0, Stream::Device);
        for step in 0..4000 {
            // The values come from small ranges, so that equal fitness, equal trees and repeated emigrants are
            // frequent.
            let island = draws.below(12) as u16;
            let mut sent = migrant(draws.below(12) as u16, draws.below(30), f64::from(draws.below(6)), 0.0);
            sent.tree = Tree::leaf(Kind::Movcv, &[2.0, draws.below(25) as f32]);
            sent.epoch = draws.below(8) / 7;
            (0..draws.below(3)).for_each(|_| sent.samples.add(1, f64::from(draws.below(6))));
            let generation = draws.below(40);
            let expected = plain.exchange(copies, island, generation, &sent);
            let got: Vec<Migrant> = server.exchange(island, generation, sent).into_iter().map(Offer::migrant).collect();
            assert_eq!(got, expected, "step {step}, {copies:?}");
        }
        let all: Vec<Migrant> = plain.recent.values().flatten().map(|(_, m)| m.clone()).collect();
        let trees: BTreeSet<(u32, Vec<u8>)> = all.iter().map(|m| (m.epoch, m.tree.key())).collect();
        let heterogeneity = server.heterogeneity();
        assert_eq!(heterogeneity.emigrants, all.len());
        assert_eq!(heterogeneity.distinct, trees.len() as f64 / all.len() as f64);
        // A server that was serialised and deserialised gives the same replies.
        let bytes = postcard::to_stdvec(&server).unwrap();
        let mut second: Geneserver = postcard::from_bytes(&bytes).unwrap();
        for island in 0..12 {
            let sent = migrant(island, 99, 0.5, 99.0);
            assert_eq!(server.exchange(island, 99, sent.clone()), second.exchange(island, 99, sent));
        }
    }
}

#[test]
fn upper_server_gets_best_emigrants_first() {
    let mut server = six(with_policy(Policy::Full));
    let offered = |server: &Geneserver| (0..6).map(|b| server.upstream_offer(b).unwrap().id.island).collect::<Vec<_>>();
    assert_eq!(offered(&server), [6, 5, 6, 4, 6, 3], "the fittest at every second beat");
    assert!(self::server(with_policy(Policy::Full)).upstream_offer(0).is_none());
    let gave = |from: u32| (from..from + 20).map(|i| migrant(100, i, 0.9, 200.0 + i as f32)).collect::<Vec<_>>();
    server.set_upstream(&gave(0));
    server.set_upstream(&gave(50));
    assert_eq!(server.heterogeneity().emigrants, 6 + 8, "what it gave before is gone, and no more than `keep` is kept");
    assert_eq!(received(&mut server, 5, 2), [100; 8]);
    assert_eq!(offered(&server), [6, 5, 6, 4, 6, 3], "what came from there does not go back");
    server.set_upstream(&[]);
    assert_eq!(received(&mut server, 5, 3), [6, 4, 3, 2, 1]);
}
