//! The geneserver: mediates migration between islands (thesis 8.3.1). A plain state machine; it knows no sockets.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xpuck_evolve::{Form, Migrant};

/// Most recent individuals kept of each island, unless told otherwise.
const KEEP: usize = 8;
/// Most islands; further ones are refused.
pub const MAX_ISLANDS: usize = 10_000;

/// The islands' most recent emigrants, and who gets which.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Geneserver {
    form: Form,
    reply: usize,
    keep: usize,
    recent: BTreeMap<u16, VecDeque<Migrant>>,
}

impl Geneserver {
    /// A server that answers with up to `reply` individuals, fully connected.
    pub fn new(form: Form, reply: usize) -> Geneserver {
        Geneserver { form, reply, keep: KEEP, recent: BTreeMap::new() }
    }

    /// The same server, keeping the `keep` most recent individuals of each island.
    pub fn keeping(self, keep: usize) -> Geneserver {
        Geneserver { keep, ..self }
    }

    /// Takes an island's emigrant and answers with the fittest of the others' recent ones.
    pub fn exchange(&mut self, island: u16, migrant: Migrant) -> Vec<Migrant> {
        let epoch = migrant.epoch;
        if self.recent.len() < MAX_ISLANDS || self.recent.contains_key(&island) {
            let list = self.recent.entry(island).or_default();
            if self.form == Form::Honest {
                // A tree sent again brings newer samples: it takes the place of its older self.
                list.retain(|m| m.id != migrant.id);
            }
            list.push_back(migrant);
            while list.len() > self.keep {
                list.pop_front();
            }
        }
        self.fittest_except(island, epoch)
    }

    fn fittest_except(&self, island: u16, epoch: u32) -> Vec<Migrant> {
        let others = self.recent.iter().filter(|(i, _)| **i != island).flat_map(|(_, list)| list);
        // Those of another epoch would take a fresh start over at once.
        let mut ranked: Vec<&Migrant> = others.filter(|m| m.epoch == epoch).collect();
        ranked.sort_by(|a, b| {
            let fitness = b.samples.mean().total_cmp(&a.samples.mean());
            fitness.then(b.samples.n().cmp(&a.samples.n())).then(a.id.cmp(&b.id))
        });
        if self.form == Form::Honest {
            let mut seen = BTreeSet::new();
            ranked.retain(|m| seen.insert(m.tree.key()));
        }
        ranked.into_iter().take(self.reply).cloned().collect()
    }

    /// Number of islands heard from.
    pub fn islands(&self) -> usize {
        self.recent.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_evolve::{Id, Samples};
    use xpuck_kernels::tree::{Kind, Tree};

    fn migrant(island: u16, number: u32, fitness: f64, turn: f32) -> Migrant {
        let mut samples = Samples::default();
        samples.add(0, fitness);
        Migrant { id: Id { island, number }, tree: Tree::leaf(Kind::Movcv, &[2.0, turn]), samples, epoch: 0 }
    }

    #[test]
    fn the_originator_gets_only_others_and_the_fittest_first() {
        let mut server = Geneserver::new(Form::Honest, 8);
        assert!(server.exchange(1, migrant(1, 0, 0.9, 1.0)).is_empty());
        server.exchange(2, migrant(2, 0, 0.2, 2.0));
        let reply = server.exchange(3, migrant(3, 0, 0.5, 3.0));
        assert_eq!(reply.iter().map(|m| m.id.island).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn eight_are_kept_of_an_island_and_eight_are_sent() {
        let mut server = Geneserver::new(Form::Honest, 8);
        for i in 0..20 {
            server.exchange(1, migrant(1, i, 1.0 - f64::from(i) * 0.01, i as f32));
        }
        let reply = server.exchange(2, migrant(2, 0, 0.0, 99.0));
        assert_eq!(reply.len(), 8);
        assert_eq!(reply[0].id.number, 12, "older ones are gone, however fit");
    }

    #[test]
    fn equal_trees_are_sent_once_unless_as_published() {
        for (form, expected) in [(Form::Honest, 1), (Form::AsPublished, 2)] {
            let mut server = Geneserver::new(form, 8);
            server.exchange(1, migrant(1, 0, 0.3, 5.0));
            server.exchange(2, migrant(2, 0, 0.4, 5.0));
            assert_eq!(server.exchange(3, migrant(3, 0, 0.0, 6.0)).len(), expected);
        }
    }
}
