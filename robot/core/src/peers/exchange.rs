//! Exchange of genes with other robots in one run: schedules questions, validates answers, stores genes and selects
//! immigrants. The exchange never blocks: an island uses the genes that have arrived by the end of its generation.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xpuck_evolve::{Id, Migrant, SampleOwner};
use xpuck_experiment::Plan;
use xpuck_wire::Migration;
use xpuck_wire::message::Emigrant;
use xpuck_wire::peer::{MAX_GENE_BYTES, PeerMessage, RunName};

/// Interval between questions to a robot in range, in arena time (s).
pub const ASK_INTERVAL: f64 = 1.0;
/// Maximum number of questions per control update; other robots follow in the next updates.
pub const ASKED_AT_ONCE: usize = 4;
/// Validity of an answer after its question, in arena time (s).
pub const ANSWER_WITHIN: f64 = 3.0;
/// Minimum interval between answers to a robot, in arena time (s).
const ANSWER_EVERY: f64 = 0.25;

/// An emigrant as its island offered it.
#[derive(Clone, Debug, PartialEq)]
struct Offer {
    /// Generation whose fittest individual the emigrant was.
    generation: u32,
    migrant: Migrant,
}

/// Data about another robot's island.
#[derive(Clone, Debug, Default)]
struct Other {
    /// Time of the last question (s), and number of the question if its answer is pending.
    asked: Option<f64>,
    open: Option<u64>,
    /// Time of the last answer to this robot (s).
    answered: Option<f64>,
    /// Recent emigrants of the other island, the oldest first.
    recent: VecDeque<Offer>,
}

impl Other {
    /// The newest known generation.
    fn newest(&self) -> u32 {
        self.recent.back().map_or(0, |offer| offer.generation)
    }
}

/// Reason why a message is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The message belongs to another run.
    OtherRun,
    /// There is no question for this answer, or the answer is too late.
    Unsolicited,
    /// The message follows the previous one too soon.
    TooSoon,
}

/// Exchange of one run.
#[derive(Clone, Debug)]
pub struct Exchange {
    run: RunName,
    migration: Migration,
    /// Whether only one of several equal trees immigrates, because samples belong to genotypes.
    unique: bool,
    /// Recent emigrants of this robot's island, the oldest first, and its number of completed generations.
    own: VecDeque<Offer>,
    generation: u32,
    others: BTreeMap<u16, Other>,
    /// Number of the last question, and the island that was asked last.
    number: u64,
    last: u16,
}

impl Exchange {
    /// Creates the exchange of a new run; question numbers start after `number`.
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

    /// Run of the exchange.
    pub fn run(&self) -> RunName {
        self.run
    }

    /// Number of the last question.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Questions due at `now` (s) to robots in range. Each robot is asked at intervals, in rotation.
    pub fn questions(&mut self, now: f64, in_range: &[u16]) -> Vec<(u16, PeerMessage)> {
        if self.migration.policy == xpuck_wire::Policy::None || self.migration.receive == 0 {
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

    /// Answers another robot's question at `now` (s).
    ///
    /// # Errors
    /// The question belongs to another run, or comes too soon.
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
        // The newest emigrants come first, because they matter most. After a restart of this island, all its
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

    /// Handles another robot's answer at `now` (s); returns whether it contained genes.
    ///
    /// # Errors
    /// The answer belongs to another run, or has no pending question.
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
            // The other island was restarted; its earlier emigrants are dropped.
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

    /// Records that this robot's island completed a generation and offers `emigrant`; returns the immigrants, the
    /// fittest first, each with the island that sent it.
    pub fn generation_done(&mut self, generation: u32, emigrant: &Migrant) -> Vec<(u16, Migrant)> {
        if !self.migration.due(generation) {
            return Vec::new();
        }
        if generation <= self.generation {
            // This robot's island was restarted.
            self.own.clear();
        }
        self.generation = generation;
        let offer = Offer { generation, migrant: emigrant.clone() };
        store(&mut self.own, offer, self.migration.keep, self.unique);
        let all = self.others.iter().flat_map(|(from, other)| other.recent.iter().map(|offer| (*from, offer)));
        // Migrants of another epoch would dominate a restarted population at once.
        let mut found: Vec<(u16, &Offer)> = all.filter(|(_, offer)| offer.migrant.epoch == emigrant.epoch).collect();
        found.sort_by(|a, b| by_rank(*a, *b));
        let mut seen = BTreeSet::new();
        found.retain(|(_, offer)| !self.unique || seen.insert(offer.migrant.tree.key()));
        found.truncate(self.migration.receive);
        found.into_iter().map(|(from, offer)| (from, offer.migrant.clone())).collect()
    }
}

/// Adds an offer to the recent offers of its island; keeps at most `most`. The offer replaces an offer of the same
/// generation and, if `once` is set, an earlier offer of the same individual.
fn store(recent: &mut VecDeque<Offer>, offer: Offer, most: usize, once: bool) {
    recent.retain(|e| e.generation != offer.generation && !(once && e.migrant.id == offer.migrant.id));
    if recent.len() >= most {
        recent.pop_front();
    }
    recent.push_back(offer);
}

/// Orders by fitness, then number of samples, both descending, then by ids, as the geneserver does.
fn by_rank(a: (u16, &Offer), b: (u16, &Offer)) -> Ordering {
    let fitness = |offer: &Offer| offer.migrant.samples.mean();
    let names = |(from, offer): (u16, &Offer)| -> (Id, u16, u32) { (offer.migrant.id, from, offer.generation) };
    let known = |offer: &Offer| offer.migrant.samples.n();
    fitness(b.1).total_cmp(&fitness(a.1)).then(known(b.1).cmp(&known(a.1))).then(names(a).cmp(&names(b)))
}
