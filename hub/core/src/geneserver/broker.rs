//! What a geneserver for workers answers, who they are, and how things stand. A plain state machine.

use super::{Gate, Geneserver, Heterogeneity, Offer, to_emigrants};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use xpuck_evolve::Migrant;
use xpuck_wire::log::Line;
use xpuck_wire::message::{ToWorker, WorkerMessage};

/// Where an island stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// The last generation that it told.
    pub generation: u32,
    /// All its generations are done.
    pub done: bool,
}

/// How things stand: a line of the server's report.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Status {
    /// Islands that joined or sent something.
    pub islands: usize,
    /// Islands whose generations are all done.
    pub done: usize,
    /// Emigrants answered.
    pub exchanges: u64,
    /// Messages and genes refused.
    pub refused: u64,
    /// How different the islands are.
    #[serde(flatten)]
    pub heterogeneity: Heterogeneity,
}

/// What a server has to remember when it ends, to be the same after its next start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    islands: BTreeMap<u16, Standing>,
    /// Island by island, the oldest first.
    emigrants: Vec<Offer>,
}

/// Answers workers.
pub struct Broker {
    server: Geneserver,
    gate: Gate,
    islands: BTreeMap<u16, Standing>,
    /// Numbers that islands here may have.
    numbers: RangeInclusive<u16>,
    exchanges: u64,
    notes: Vec<Line>,
}

impl Broker {
    /// A broker that nobody has come to yet.
    pub fn new(server: Geneserver, gate: Gate) -> Broker {
        let numbers = 0..=super::ABOVE - 1;
        Broker { server, gate, islands: BTreeMap::new(), numbers, exchanges: 0, notes: Vec::new() }
    }

    /// The same for islands of these numbers only: below one geneserver they must differ, as genes are named by them.
    pub fn of_numbers(self, numbers: RangeInclusive<u16>) -> Broker {
        Broker { numbers, ..self }
    }

    /// What the geneserver above is offered at a `beat`, with the generation to say; none as long as there is nothing.
    pub fn offer_above(&self, beat: u32) -> Option<(u32, Migrant)> {
        let offer = self.server.for_above(beat)?;
        Some((beat.saturating_mul(self.server.every()), offer.migrant()))
    }

    /// Takes what the geneserver above answered; all of it must have passed a gate.
    pub fn receive_above(&mut self, migrants: &[Migrant]) {
        self.server.receive_above(migrants);
    }

    /// Answers a message.
    pub fn on_message(&mut self, message: WorkerMessage) -> ToWorker {
        let (WorkerMessage::Join { island, generation }
        | WorkerMessage::Emigrant { island, generation, .. }
        | WorkerMessage::Done { island, generation }) = message;
        if !self.numbers.contains(&island) {
            let (first, last) = (self.numbers.start(), self.numbers.end());
            return self
                .refuse(island, format!("islands here have the numbers {first} to {last}; choose one with --island"));
        }
        if !self.server.has_room(island) || !self.has_standing(island) {
            let why = format!("there are {} islands already, and no more are held", super::MAX_ISLANDS);
            return self.refuse(island, why);
        }
        let noted = ToWorker::Noted { island, generation };
        match message {
            WorkerMessage::Join { .. } => {
                let back = if self.islands.contains_key(&island) { "is back" } else { "joins" };
                self.notes.push(Line::info(format!("island {island} {back} at generation {generation}")));
                self.islands.insert(island, Standing { generation, done: false });
                noted
            }
            WorkerMessage::Done { .. } => {
                let before = self.islands.insert(island, Standing { generation, done: true });
                if before.is_none_or(|b| !b.done) {
                    self.notes.push(Line::info(format!("island {island} is done after {generation} generations")));
                }
                noted
            }
            WorkerMessage::Emigrant { gene, .. } => match self.gate.admit(&name(island), &gene) {
                Ok(migrant) => {
                    self.exchanges += 1;
                    self.islands.insert(island, Standing { generation, done: false });
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

    /// True if an island is known or the table has room for it.
    fn has_standing(&self, island: u16) -> bool {
        self.islands.len() < super::MAX_ISLANDS || self.islands.contains_key(&island)
    }

    /// Answers bytes that are no message; `sender` is the peer's name.
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

    /// Notes the 1st, 10th, 100th refusal and so on of a sender, so that none can fill a log.
    fn note_refusal(&mut self, sender: &str, why: &str) {
        let count = self.gate.refused_of(sender);
        if count > 0 && 10u64.pow(count.ilog10()) == count {
            self.notes.push(Line::warn(format!("{sender}: refused: {why} ({count} so far)")));
        }
    }

    /// What happened since the last call, for a log.
    pub fn take_notes(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.notes)
    }

    /// Islands whose generations are all done.
    pub fn done(&self) -> usize {
        self.islands.values().filter(|s| s.done).count()
    }

    /// How things stand.
    pub fn status(&self) -> Status {
        Status {
            islands: self.islands.len(),
            done: self.done(),
            exchanges: self.exchanges,
            refused: self.gate.refused(),
            heterogeneity: self.server.heterogeneity(),
        }
    }

    /// What is to be remembered. Trees are shared, not copied: this is cheap.
    pub fn memory(&self) -> Memory {
        Memory { islands: self.islands.clone(), emigrants: self.server.emigrants().cloned().collect() }
    }

    /// Takes over what an earlier server remembered; all of it passes the gate again.
    pub fn recall(&mut self, memory: Memory) {
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
