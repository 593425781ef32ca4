//! Exchange of genes with other robots in one run. It schedules questions, validates answers, stores genes and selects
//! immigrants. The exchange never blocks: an island uses the genes that have arrived by the end of its generation.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xpuck_evolve::{Id, Migrant, Migration, SampleOwner};
use xpuck_experiment::Plan;
use xpuck_wire::message::Emigrant;
use xpuck_wire::peer::{MAX_GENE_BYTES, PeerMessage, RunName};

/// Interval between two questions to the same robot in range, in arena time (s).
pub const ASK_INTERVAL: f64 = 1.0;
/// Maximum number of questions per control update. The remaining robots are asked in the next updates.
pub const ASKED_AT_ONCE: usize = 4;
/// Maximum time between a question and a valid answer, in arena time (s).
pub const ANSWER_WITHIN: f64 = 3.0;
/// Minimum interval between two answers to the same robot, in arena time (s).
const ANSWER_EVERY: f64 = 0.25;

/// Emigrant as offered by its island.
#[derive(Clone, Debug, PartialEq)]
struct Offer {
    /// Generation in which the island offered the emigrant.
    generation: u32,
    migrant: Migrant,
}

/// Known data about another robot's island.
#[derive(Clone, Debug, Default)]
struct Other {
    /// Time of the last question (s), and number of this question; the number is `None` if no answer is pending.
    asked: Option<f64>,
    open: Option<u64>,
    /// Time of the last answer to this robot (s).
    answered: Option<f64>,
    /// Recent emigrants of the other island, with the oldest one first.
    recent: VecDeque<Offer>,
}

impl Other {
    /// Returns the newest generation of which an emigrant is known; 0 if no emigrant is known.
    fn newest(&self) -> u32 {
        self.recent.back().map_or(0, |offer| offer.generation)
    }
}

/// Reason for the rejection of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The message belongs to another run.
    OtherRun,
    /// The answer has no pending question, or is too late.
    Unsolicited,
    /// The question follows the previous question of the same robot too soon.
    TooSoon,
}

/// Exchange of genes in one run.
#[derive(Clone, Debug)]
pub struct Exchange {
    run: RunName,
    migration: Migration,
    /// Whether only one of several equal trees may immigrate, because the algorithm keeps its samples per genotype.
    unique: bool,
    /// Recent emigrants of this robot's island, with the oldest one first, and the last generation with an emigrant.
    own: VecDeque<Offer>,
    generation: u32,
    others: BTreeMap<u16, Other>,
    /// Number of the last question, and the island to which it was sent.
    number: u64,
    last: u16,
}

impl Exchange {
    /// Creates the exchange of a new run. The first question has the number after `number`.
    pub fn new(run: RunName, plan: &Plan, number: u64) -> Exchange {
        Exchange {
            run,
            migration: plan.migration.clone(),
            unique: plan.settings.algorithm.sample_owner() == SampleOwner::Genotype,
            own: VecDeque::new(),
            generation: 0,
            others: BTreeMap::new(),
            number,
            last: 0,
        }
    }

    /// Returns the run of the exchange.
    pub fn run(&self) -> RunName {
        self.run
    }

    /// Returns the number of the last question.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the questions that are due at `now` (s), each with the island of the asked robot. Robots in range are
    /// asked in rotation, at the interval [`ASK_INTERVAL`].
    pub fn questions(&mut self, now: f64, in_range: &[u16]) -> Vec<(u16, PeerMessage)> {
        if self.migration.policy == xpuck_evolve::Policy::None || self.migration.receive == 0 {
            return Vec::new();
        }
        let (before, after): (Vec<u16>, Vec<u16>) = in_range.iter().partition(|island| **island <= self.last);
        let mut questions = Vec::new();
        for island in after.into_iter().chain(before) {
            if questions.len() == ASKED_AT_ONCE {
                break;
            }
            let other = self.others.entry(island).or_default();
            if other.asked.is_some_and(|at| now - at < ASK_INTERVAL) {
                continue;
            }
            self.number += 1;
            (other.asked, other.open, self.last) = (Some(now), Some(self.number), island);
            let after = other.newest();
            questions.push((island, PeerMessage::Ask { number: self.number, run: self.run, after }));
        }
        questions
    }

    /// Returns the answer to another robot's question at `now` (s).
    ///
    /// # Errors
    /// Returns the reason for the rejection: the question belongs to another run, or follows the previous question too
    /// soon.
    pub fn answer(
        &mut self,
        now: f64,
        from: u16,
        (number, run, after): (u64, RunName, u32),
    ) -> Result<PeerMessage, Refusal> {
        if run != self.run {
            return Err(Refusal::OtherRun);
        }
        let other = self.others.entry(from).or_default();
        if other.answered.is_some_and(|at| now - at < ANSWER_EVERY) {
            return Err(Refusal::TooSoon);
        }
        other.answered = Some(now);
        let mut left = MAX_GENE_BYTES;
        let mut genes = Vec::new();
        // The newest emigrants are added first, because they have priority if the message becomes full. If this
        // island's generation is lower than the generation in the question, the island has restarted, and all its
        // emigrants are sent.
        let wanted = |offer: &&Offer| offer.generation > after || self.generation < after;
        for offer in self.own.iter().rev().filter(wanted) {
            let gene = Emigrant::from_values(offer.migrant.values());
            let Some(rest) = left.checked_sub(gene.tree.len()) else { break };
            left = rest;
            genes.push((offer.generation, gene));
        }
        genes.reverse();
        Ok(PeerMessage::Genes { number, run, generation: self.generation, genes })
    }

    /// Handles another robot's answer at `now` (s). Returns whether the answer contained genes.
    ///
    /// # Errors
    /// Returns the reason for the rejection: the answer belongs to another run, has no pending question, or is too
    /// late.
    pub fn on_answer(
        &mut self,
        now: f64,
        from: u16,
        (number, run, generation): (u64, RunName, u32),
        migrants: Vec<(u32, Migrant)>,
    ) -> Result<bool, Refusal> {
        if run != self.run {
            return Err(Refusal::OtherRun);
        }
        let other =
            self.others.get_mut(&from).filter(|other| other.open == Some(number)).ok_or(Refusal::Unsolicited)?;
        if other.asked.is_none_or(|at| now - at > ANSWER_WITHIN) {
            return Err(Refusal::Unsolicited);
        }
        other.open = None;
        if generation < other.newest() {
            // The other island was restarted, so its earlier emigrants are dropped.
            other.recent.clear();
        }
        let news = migrants.into_iter().filter(|(at, _)| *at <= generation);
        let mut brought = false;
        for (generation, migrant) in news {
            brought = true;
            store(&mut other.recent, Offer { generation, migrant }, self.migration.keep, self.unique);
        }
        Ok(brought)
    }

    /// Records that this robot's island completed a generation and offers `emigrant`. Returns the immigrants in the
    /// order of their fitness, with the fittest one first. The number before each immigrant is the island that sent
    /// it. Returns no immigrants if no exchange is due after this generation.
    pub fn generation_done(&mut self, generation: u32, emigrant: &Migrant) -> Vec<(u16, Migrant)> {
        if !self.migration.due(generation) {
            return Vec::new();
        }
        if generation <= self.generation {
            // This robot's island was restarted, so its earlier emigrants are dropped.
            self.own.clear();
        }
        self.generation = generation;
        let offer = Offer { generation, migrant: emigrant.clone() };
        store(&mut self.own, offer, self.migration.keep, self.unique);
        let all = self.others.iter().flat_map(|(from, other)| other.recent.iter().map(|offer| (*from, offer)));
        // Migrants of another epoch are excluded, because they would dominate a restarted population at once.
        let mut found: Vec<(u16, &Offer)> = all.filter(|(_, offer)| offer.migrant.epoch == emigrant.epoch).collect();
        found.sort_by(|a, b| by_rank(*a, *b));
        let mut seen = BTreeSet::new();
        found.retain(|(_, offer)| !self.unique || seen.insert(offer.migrant.tree.key()));
        found.truncate(self.migration.receive);
        found.into_iter().map(|(from, offer)| (from, offer.migrant.clone())).collect()
    }
}

/// Adds an offer to the recent offers of an island, and keeps at most `most` offers. The new offer replaces an offer
/// of the same generation. If `once` is set, the new offer also replaces an earlier offer of the same individual.
fn store(recent: &mut VecDeque<Offer>, offer: Offer, most: usize, once: bool) {
    recent.retain(|e| e.generation != offer.generation && !(once && e.migrant.id == offer.migrant.id));
    if recent.len() >= most {
        recent.pop_front();
    }
    recent.push_back(offer);
}

/// Orders offers by fitness and then by number of samples, both descending, and then by ids. The geneserver uses the
/// same order.
fn by_rank(a: (u16, &Offer), b: (u16, &Offer)) -> Ordering {
    let fitness = |offer: &Offer| offer.migrant.samples.mean();
    let names = |(from, offer): (u16, &Offer)| -> (Id, u16, u32) { (offer.migrant.id, from, offer.generation) };
    let known = |offer: &Offer| offer.migrant.samples.n();
    fitness(b.1).total_cmp(&fitness(a.1)).then(known(b.1).cmp(&known(a.1))).then(names(a).cmp(&names(b)))
}
