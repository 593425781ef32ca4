//! Geneserver for workers: replies to the workers' messages, state of the islands, and status. The module is a state
//! machine without sockets or files.

use super::{Gate, to_emigrants};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use xpuck_evolve::Migrant;
use xpuck_evolve::geneserver::{Geneserver, Heterogeneity, MAX_ISLANDS, Offer, UPSTREAM};
use xpuck_wire::log::Line;
use xpuck_wire::message::{ToWorker, WorkerMessage};

/// State of an island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IslandState {
    /// Last reported generation.
    pub generation: u32,
    /// Whether all generations of the island are finished.
    pub done: bool,
}

/// Status of the geneserver, printed as one line of its report.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Status {
    /// Number of islands that have joined or sent a message.
    pub islands: usize,
    /// Number of islands whose generations are all finished.
    pub done: usize,
    /// Number of emigrants that the geneserver has accepted.
    pub exchanges: u64,
    /// Number of rejected messages and genes.
    pub refused: u64,
    /// Diversity of the islands.
    #[serde(flatten)]
    pub heterogeneity: Heterogeneity,
}

/// State that a geneserver saves so that its successor can continue after a restart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedState {
    islands: BTreeMap<u16, IslandState>,
    /// Stored emigrants, grouped by island, the oldest first.
    emigrants: Vec<Offer>,
}

/// Handler of the workers' messages, with the state of their islands.
pub struct Broker {
    server: Geneserver,
    gate: Gate,
    islands: BTreeMap<u16, IslandState>,
    /// Permitted island numbers.
    numbers: RangeInclusive<u16>,
    exchanges: u64,
    notes: Vec<Line>,
}

impl Broker {
    /// Creates a broker without islands.
    pub fn new(server: Geneserver, gate: Gate) -> Broker {
        let numbers = 0..=UPSTREAM - 1;
        Broker { server, gate, islands: BTreeMap::new(), numbers, exchanges: 0, notes: Vec::new() }
    }

    /// Restricts the broker to the given island numbers. A number is part of the gene identifiers of its island, so
    /// it must be unique among all islands below one geneserver.
    pub fn of_numbers(self, numbers: RangeInclusive<u16>) -> Broker {
        Broker { numbers, ..self }
    }

    /// Returns the generation and the migrant to send in exchange number `beat` (from 0) with the geneserver above.
    /// Returns `None` as long as no island has sent an emigrant.
    pub fn offer_above(&self, beat: u32) -> Option<(u32, Migrant)> {
        let offer = self.server.upstream_offer(beat)?;
        Some((beat.saturating_mul(self.server.every()), offer.migrant()))
    }

    /// Replaces the migrants of the geneserver above. Each new migrant must have passed a [`Gate`].
    pub fn receive_above(&mut self, migrants: &[Migrant]) {
        self.server.set_upstream(migrants);
    }

    /// Handles a message of a worker, and returns the reply.
    pub fn on_message(&mut self, message: WorkerMessage) -> ToWorker {
        let (WorkerMessage::Join { island, generation }
        | WorkerMessage::Emigrant { island, generation, .. }
        | WorkerMessage::Done { island, generation }) = message;
        if !self.numbers.contains(&island) {
            let (first, last) = (self.numbers.start(), self.numbers.end());
            return self.refuse(
                island,
                format!("the number of an island must be {first} to {last}; choose one with --island"),
            );
        }
        if !self.server.has_room(island) || !self.has_standing(island) {
            let why = format!("{} islands are connected, which is the maximum", MAX_ISLANDS);
            return self.refuse(island, why);
        }
        let noted = ToWorker::Noted { island, generation };
        match message {
            WorkerMessage::Join { .. } => {
                let back = if self.islands.contains_key(&island) { "is back" } else { "joins" };
                self.notes.push(Line::info(format!("island {island} {back} at generation {generation}")));
                self.islands.insert(island, IslandState { generation, done: false });
                noted
            }
            WorkerMessage::Done { .. } => {
                let before = self.islands.insert(island, IslandState { generation, done: true });
                if before.is_none_or(|b| !b.done) {
                    self.notes.push(Line::info(format!("island {island} is done after {generation} generations")));
                }
                noted
            }
            WorkerMessage::Emigrant { gene, .. } => match self.gate.admit(&name(island), &gene) {
                Ok(migrant) => {
                    self.exchanges += 1;
                    self.islands.insert(island, IslandState { generation, done: false });
                    let immigrants = to_emigrants(self.server.exchange(island, generation, migrant));
                    ToWorker::Immigrants { island, generation, immigrants }
                }
                Err(error) => {
                    self.note_refusal(&name(island), &error.to_string());
                    ToWorker::Refused { island, why: error.to_string() }
                }
            },
        }
    }

    /// Returns whether an island is known, or whether the table of islands has room for it.
    fn has_standing(&self, island: u16) -> bool {
        self.islands.len() < MAX_ISLANDS || self.islands.contains_key(&island)
    }

    /// Handles bytes that are not a valid message, and returns the reply. `sender` is the name of the peer, and `why`
    /// is the decoding error.
    pub fn on_garbage(&mut self, sender: &str, why: String) -> ToWorker {
        self.gate.count(sender);
        self.note_refusal(sender, &why);
        ToWorker::Refused { island: 0, why }
    }

    fn refuse(&mut self, island: u16, why: String) -> ToWorker {
        self.gate.count(&name(island));
        self.note_refusal(&name(island), &why);
        ToWorker::Refused { island, why }
    }

    /// Logs the 1st, 10th, 100th (and so on) refusal of a sender, so that no sender can fill the log.
    fn note_refusal(&mut self, sender: &str, why: &str) {
        let count = self.gate.refused_of(sender);
        if count > 0 && 10u64.pow(count.ilog10()) == count {
            self.notes.push(Line::warn(format!("{sender}: refused: {why} ({count} so far)")));
        }
    }

    /// Returns the log lines that were added since the last call.
    pub fn take_notes(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.notes)
    }

    /// Returns the number of islands whose generations are all finished.
    pub fn done(&self) -> usize {
        self.islands.values().filter(|s| s.done).count()
    }

    /// Returns the status of the geneserver.
    pub fn status(&self) -> Status {
        Status {
            islands: self.islands.len(),
            done: self.done(),
            exchanges: self.exchanges,
            refused: self.gate.refused(),
            heterogeneity: self.server.heterogeneity(),
        }
    }

    /// Returns the state to save. The call is fast, because trees are shared and not copied.
    pub fn memory(&self) -> SavedState {
        SavedState { islands: self.islands.clone(), emigrants: self.server.emigrants().cloned().collect() }
    }

    /// Restores the state that an earlier server saved. Emigrants are checked again, and the gate drops those that
    /// are not allowed.
    pub fn recall(&mut self, memory: SavedState) {
        self.islands = memory.islands;
        for emigrant in memory.emigrants {
            if self.gate.allows(&emigrant.migrant()) {
                self.server.keep(emigrant);
            }
        }
    }
}

fn name(island: u16) -> String {
    format!("island {island}")
}
