//! Geneserver: mediates migration between islands (thesis 8.3.1).
//!
//! [`Geneserver`] stores the most recent emigrants of each island, and replies to an island with emigrants of other
//! islands. It is a state machine without sockets or messages.

mod offer;
mod ranking;
mod sources;

pub use offer::Offer;
pub use ranking::Copies;

use crate::individual::Migrant;
use crate::migration::{Migration, Policy};
use ranking::{Rank, Ranking};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use xpuck_kernels::random::{Draws, Stream};

/// Maximum number of islands. Emigrants of further islands are not stored.
pub const MAX_ISLANDS: usize = 10_000;
/// Sender number of genes from a geneserver above. No island has this number.
pub const UPSTREAM: u16 = u16::MAX;

/// Store of the islands' most recent emigrants, which also selects the immigrants of each island.
///
/// It stores at most [`MAX_ISLANDS`] times `migration.keep` trees, each with at most 2048 nodes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Plain", from = "Plain")]
pub struct Geneserver {
    migration: Migration,
    copies: Copies,
    seed: u64,
    /// Numbers of the known islands, in ascending order.
    islands: Vec<u16>,
    /// Emigrants of each island, the most recent last.
    recent: Vec<VecDeque<Arc<Offer>>>,
    /// Rankings of the emigrants, by epoch. Each epoch has its own ranking, because fit emigrants of an earlier epoch
    /// would otherwise dominate the population after a fresh start.
    rankings: BTreeMap<u32, Ranking>,
    places: sources::Places,
    /// Number of stored emigrants that were not born on the island that sent them.
    foreign: usize,
}

/// Diversity of the islands, measured by their recent emigrants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Heterogeneity {
    /// Number of stored emigrants.
    pub emigrants: usize,
    /// Number of distinct trees divided by the number of emigrants (0 to 1).
    pub distinct: f64,
    /// Share of emigrants that were not born on the island that sent them (0 to 1).
    pub foreign: f64,
}

impl Geneserver {
    /// Creates a server without islands. The migration must have passed [`Migration::check`]. The seed determines the
    /// random numbers of the migration policy `random`.
    pub fn new(migration: Migration, copies: Copies, seed: u64) -> Geneserver {
        let places = (0..).zip(migration.places_m.iter().copied()).collect();
        Geneserver {
            migration,
            copies,
            seed,
            islands: Vec::new(),
            recent: Vec::new(),
            rankings: BTreeMap::new(),
            places,
            foreign: 0,
        }
    }

    /// Sets the position of an island (m). The migration policy `near` selects neighbours by their positions.
    pub fn place(&mut self, island: u16, at: [f32; 2]) {
        if self.places.len() < MAX_ISLANDS || self.places.contains_key(&island) {
            self.places.insert(island, at);
        }
    }

    /// Stores the emigrant of an island, and returns the immigrants for this island. In generations without an
    /// exchange, or if the maximum number of islands is reached, the list is empty and the emigrant is not stored.
    pub fn exchange(&mut self, island: u16, generation: u32, migrant: Migrant) -> Vec<&Offer> {
        let epoch = migrant.epoch;
        if !self.migration.due(generation) || !self.keep(Offer::new(island, generation, &migrant)) {
            return Vec::new();
        }
        self.immigrants(island, generation, epoch)
    }

    /// Returns whether an island is known or would be accepted.
    pub fn has_room(&self, island: u16) -> bool {
        island == UPSTREAM || self.islands.len() < MAX_ISLANDS || self.islands.binary_search(&island).is_ok()
    }

    /// Replaces all migrants of the geneserver above by at most `migration.keep` new ones. To the local islands, that
    /// geneserver appears as one more island.
    pub fn set_upstream(&mut self, migrants: &[Migrant]) {
        if let Ok(index) = self.islands.binary_search(&UPSTREAM) {
            let gone: Vec<Arc<Offer>> = self.recent[index].drain(..).collect();
            gone.iter().for_each(|e| self.forget(e));
        }
        // Each migrant gets a different generation. Otherwise a migrant would replace the previous one, because a
        // sender has at most one emigrant per generation.
        for (generation, migrant) in (0..).zip(migrants.iter().take(self.migration.keep)) {
            self.keep(Offer::new(UPSTREAM, generation, migrant));
        }
    }

    /// Returns the local islands' emigrant for exchange number `beat` with the geneserver above, or `None` without
    /// emigrants. Every even exchange sends the fittest emigrant, so that it arrives without delay. The odd exchanges
    /// send the next fittest emigrants in turn, so that the geneserver above receives `migration.keep` different ones.
    pub fn upstream_offer(&self, beat: u32) -> Option<&Offer> {
        let ranking = self.rankings.values().next_back()?;
        let best = ranking.best(UPSTREAM, Copies::Once, self.migration.keep);
        let others = (best.len().max(2) - 1) as u32;
        let place = if beat.is_multiple_of(2) { 0 } else { 1 + beat / 2 % others };
        best.get(place as usize).or(best.first()).copied()
    }

    /// Returns the number of generations between two exchanges.
    pub fn every(&self) -> u32 {
        self.migration.every
    }

    /// Stores an emigrant, and returns `false` if there is no room for its island. The new emigrant replaces an
    /// earlier emigrant with the same sender and generation. With [`Copies::Once`] it also replaces an earlier
    /// emigrant with the same sender and identifier.
    pub fn keep(&mut self, emigrant: Offer) -> bool {
        if !self.has_room(emigrant.sender) {
            return false;
        }
        let index = self.islands.binary_search(&emigrant.sender).unwrap_or_else(|index| {
            self.islands.insert(index, emigrant.sender);
            self.recent.insert(index, VecDeque::new());
            index
        });
        let once = self.copies == Copies::Once;
        let replaced = |e: &Offer| e.generation == emigrant.generation || (once && e.id == emigrant.id);
        let list = &mut self.recent[index];
        let mut gone: Vec<Arc<Offer>> = list.iter().filter(|e| replaced(e)).cloned().collect();
        list.retain(|e| !replaced(e));
        gone.extend((list.len() == self.migration.keep).then(|| list.pop_front()).flatten());
        gone.iter().for_each(|e| self.forget(e));
        self.foreign += usize::from(emigrant.is_foreign());
        let emigrant = Arc::new(emigrant);
        self.rankings.entry(emigrant.epoch).or_default().insert(emigrant.clone());
        self.recent[index].push_back(emigrant);
        true
    }

    fn forget(&mut self, emigrant: &Offer) {
        self.foreign -= usize::from(emigrant.is_foreign());
        if let Some(ranking) = self.rankings.get_mut(&emigrant.epoch) {
            ranking.remove(emigrant);
            if ranking.is_empty() {
                self.rankings.remove(&emigrant.epoch);
            }
        }
    }

    /// Returns the immigrants for a known island, the fittest first.
    fn immigrants(&self, island: u16, generation: u32, epoch: u32) -> Vec<&Offer> {
        let Migration { policy, receive, neighbours, range_m, .. } = self.migration;
        let Ok(index) = self.islands.binary_search(&island) else { return Vec::new() };
        let sources = match policy {
            Policy::None => return Vec::new(),
            Policy::Full => {
                let ranking = self.rankings.get(&epoch);
                return ranking.map_or(Vec::new(), |r| r.best(island, self.copies, receive));
            }
            Policy::Ring => sources::ring(&self.islands, index, neighbours),
            Policy::Near => sources::near(&self.places, island, range_m, neighbours),
            Policy::Random => {
                let mut draws = Draws::new(self.seed, u32::from(island), 0, generation, Stream::Migration);
                sources::random(&self.islands, index, neighbours, &mut draws)
            }
        };
        let known = sources.iter().filter_map(|source| self.islands.binary_search(source).ok());
        let mut found: Vec<&Offer> =
            known.flat_map(|i| &self.recent[i]).map(Arc::as_ref).filter(|e| e.epoch == epoch).collect();
        found.sort_by_cached_key(|e| Rank::from_offer(e));
        let mut seen = BTreeSet::new();
        found.retain(|e| self.copies == Copies::Each || seen.insert(&e.tree));
        found.truncate(receive);
        found
    }

    /// Returns the stored emigrants, grouped by island, the oldest first. Calls of [`Geneserver::keep`] in this order
    /// recreate an equal server.
    pub fn emigrants(&self) -> impl Iterator<Item = &Offer> {
        self.recent.iter().flatten().map(Arc::as_ref)
    }

    /// Returns the diversity of the islands.
    pub fn heterogeneity(&self) -> Heterogeneity {
        let emigrants: usize = self.rankings.values().map(Ranking::len).sum();
        let trees: usize = self.rankings.values().map(Ranking::trees).sum();
        let share = |part: usize| part as f64 / emigrants.max(1) as f64;
        Heterogeneity { emigrants, distinct: share(trees), foreign: share(self.foreign) }
    }

    /// Returns the number of known islands. A geneserver above counts as one island.
    pub fn islands(&self) -> usize {
        self.islands.len()
    }
}

/// Serialised form of a server. The rankings are not contained, because they are derived from the emigrants.
#[derive(Serialize, Deserialize)]
struct Plain {
    migration: Migration,
    copies: Copies,
    seed: u64,
    places: sources::Places,
    emigrants: Vec<Offer>,
}

impl From<Geneserver> for Plain {
    fn from(server: Geneserver) -> Plain {
        let emigrants = server.emigrants().cloned().collect();
        let Geneserver { migration, copies, seed, places, .. } = server;
        Plain { migration, copies, seed, places, emigrants }
    }
}

impl From<Plain> for Geneserver {
    fn from(plain: Plain) -> Geneserver {
        let mut server = Geneserver::new(plain.migration, plain.copies, plain.seed);
        server.places = plain.places;
        for emigrant in plain.emigrants {
            server.keep(emigrant);
        }
        server
    }
}
