//! The geneserver: mediates migration between islands (thesis 8.3.1). Plain state machines; they know no sockets.
//!
//! [`Geneserver`] keeps each island's most recent emigrants and answers with others'. [`Gate`] checks what comes from
//! outside before it gets there. [`Broker`] answers workers' messages with both; `xpuck-hub-service` has its shell.

mod broker;
mod gate;
mod offer;
mod ranking;
mod sources;

pub use broker::{Broker, Memory, Standing, Status};
pub use gate::{Gate, to_emigrants};
pub use offer::Offer;
pub use ranking::Copies;

use ranking::{Rank, Ranking};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use xpuck_evolve::Migrant;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_wire::{Migration, Policy};

/// Most islands; the emigrants of further ones are not kept.
pub const MAX_ISLANDS: usize = 10_000;
/// The sender under which genes are kept that came from a geneserver above; no island has this number.
pub const ABOVE: u16 = u16::MAX;

/// The islands' most recent emigrants, and who gets which.
///
/// It holds at most [`MAX_ISLANDS`] times `migration.keep` trees of at most 2048 nodes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Plain", from = "Plain")]
pub struct Geneserver {
    migration: Migration,
    copies: Copies,
    seed: u64,
    /// Numbers of the islands heard from, ascending.
    islands: Vec<u16>,
    /// Of each of them its emigrants, the most recent last.
    recent: Vec<VecDeque<Arc<Offer>>>,
    /// The emigrants of each epoch: those of another would take a fresh start over at once.
    rankings: BTreeMap<u32, Ranking>,
    places: sources::Places,
    /// Emigrants born elsewhere than on the island that sent them.
    foreign: usize,
}

/// How different the islands are, by their recent emigrants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Heterogeneity {
    /// Recent emigrants.
    pub emigrants: usize,
    /// Different trees as a share of them: 1 if all differ.
    pub distinct: f64,
    /// The share that was born elsewhere than on the island that sent them.
    pub foreign: f64,
}

impl Geneserver {
    /// A server with nobody yet. The migration must have passed [`Migration::check`]; the seed fixes what the policy
    /// `random` draws.
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

    /// Says where an island is, m; with the policy `near` that decides who its neighbours are.
    pub fn place(&mut self, island: u16, at: [f32; 2]) {
        if self.places.len() < MAX_ISLANDS || self.places.contains_key(&island) {
            self.places.insert(island, at);
        }
    }

    /// Takes an island's emigrant and answers with its immigrants: none between exchanges, and none once there are
    /// [`MAX_ISLANDS`] others.
    pub fn exchange(&mut self, island: u16, generation: u32, migrant: Migrant) -> Vec<&Offer> {
        let epoch = migrant.epoch;
        if !self.migration.due(generation) || !self.keep(Offer::new(island, generation, &migrant)) {
            return Vec::new();
        }
        self.immigrants(island, generation, epoch)
    }

    /// True if an island is known or would be let in.
    pub fn has_room(&self, island: u16) -> bool {
        island == ABOVE || self.islands.len() < MAX_ISLANDS || self.islands.binary_search(&island).is_ok()
    }

    /// Takes what a geneserver above gave, at most `migration.keep`, in place of what it gave before. To the islands here it
    /// is one island more.
    pub fn receive_above(&mut self, migrants: &[Migrant]) {
        if let Ok(index) = self.islands.binary_search(&ABOVE) {
            let gone: Vec<Arc<Offer>> = self.recent[index].drain(..).collect();
            gone.iter().for_each(|e| self.forget(e));
        }
        // Each has a generation of its own, as one sender's of the same generation replace one another.
        for (generation, migrant) in (0..).zip(migrants.iter().take(self.migration.keep)) {
            self.keep(Offer::new(ABOVE, generation, migrant));
        }
    }

    /// What this server offers the one above at its `beat`: of its own islands' the fittest at every second one, and between
    /// them the next ones by turns, so that the best is never late and the one above gets to know `migration.keep`.
    pub fn for_above(&self, beat: u32) -> Option<&Offer> {
        let ranking = self.rankings.values().next_back()?;
        let best = ranking.best(ABOVE, Copies::Once, self.migration.keep);
        let others = (best.len().max(2) - 1) as u32;
        let place = if beat.is_multiple_of(2) { 0 } else { 1 + beat / 2 % others };
        best.get(place as usize).or(best.first()).copied()
    }

    /// Generations between exchanges.
    pub fn every(&self) -> u32 {
        self.migration.every
    }

    /// Keeps an emigrant; false if there is no room for its island. One that was sent before in the same generation
    /// is replaced; where equal trees are sent once, so is an older self with fewer samples.
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

    /// Whom an island that is known gets, fittest first.
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
        found.sort_by_cached_key(|e| Rank::of(e));
        let mut seen = BTreeSet::new();
        found.retain(|e| self.copies == Copies::Each || seen.insert(&e.tree));
        found.truncate(receive);
        found
    }

    /// The islands' recent emigrants: island by island, the oldest first. Given to [`Geneserver::keep`] in this order
    /// they make an equal server.
    pub fn emigrants(&self) -> impl Iterator<Item = &Offer> {
        self.recent.iter().flatten().map(Arc::as_ref)
    }

    /// How different the islands are.
    pub fn heterogeneity(&self) -> Heterogeneity {
        let emigrants: usize = self.rankings.values().map(Ranking::len).sum();
        let trees: usize = self.rankings.values().map(Ranking::trees).sum();
        let share = |part: usize| part as f64 / emigrants.max(1) as f64;
        Heterogeneity { emigrants, distinct: share(trees), foreign: share(self.foreign) }
    }

    /// Number of islands heard from; a geneserver above counts as one.
    pub fn islands(&self) -> usize {
        self.islands.len()
    }
}

/// What is written of a server; the rankings follow from it.
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
