//! The exchange of genes with other robots in one run: whom to ask and when, which answers count, what is kept, and who
//! immigrates. Nobody waits for anybody: an island takes what has come by the end of its generation.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xpuck_evolve::{Id, Migrant, SampleOwner};
use xpuck_experiment::Plan;
use xpuck_wire::Migration;
use xpuck_wire::message::Emigrant;
use xpuck_wire::peer::{MAX_GENE_BYTES, PeerMessage, RunName};

/// A robot in range is asked so often, s of arena time.
pub const ASK_EVERY: f64 = 1.0;
/// Robots asked in one control update at most; the others' turn is in the next ones.
pub const ASKED_AT_ONCE: usize = 4;
/// An answer counts for so long after its question, s of arena time.
pub const ANSWER_WITHIN: f64 = 3.0;
/// A robot is answered no more often than this, s of arena time.
const ANSWER_EVERY: f64 = 0.25;

/// An emigrant, as its island offered it.
#[derive(Clone, Debug, PartialEq)]
struct Offer {
    /// The generation that it led.
    generation: u32,
    migrant: Migrant,
}

/// What is known of another robot's island.
#[derive(Clone, Debug, Default)]
struct Other {
    /// When it was asked last, s, and by which question, if its answer is still waited for.
    asked: Option<f64>,
    open: Option<u64>,
    /// When it was answered last, s.
    answered: Option<f64>,
    /// Its recent emigrants, the oldest first.
    recent: VecDeque<Offer>,
}

impl Other {
    /// The newest generation that is known.
    fn newest(&self) -> u32 {
        self.recent.back().map_or(0, |offer| offer.generation)
    }
}

/// Why a message changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is about another run.
    OtherRun,
    /// Nobody asked, or too long ago.
    Unasked,
    /// It comes too soon after the last one.
    TooSoon,
}

/// One run's exchange.
#[derive(Clone, Debug)]
pub struct Exchange {
    run: RunName,
    migration: Migration,
    /// Where samples belong to genotypes, of equal trees one is given.
    once: bool,
    /// The own island's recent emigrants, the oldest first, and the generations that it has done.
    own: VecDeque<Offer>,
    generation: u32,
    others: BTreeMap<u16, Other>,
    /// The number of the last question, and the island that was asked last.
    number: u64,
    last: u16,
}

impl Exchange {
    /// The exchange of a run that has just begun; `number` is where its questions count from.
    pub fn new(run: RunName, plan: &Plan, number: u64) -> Exchange {
        Exchange {
            run,
            migration: plan.migration.clone(),
            once: plan.settings.algorithm.sample_owner() == SampleOwner::Genotype,
            own: VecDeque::new(),
            generation: 0,
            others: BTreeMap::new(),
            number,
            last: 0,
        }
    }

    /// Which run it is of.
    pub fn run(&self) -> RunName {
        self.run
    }

    /// Number of the last question.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The questions that are due at `now`, s, to robots in range: each is asked once in a while, and none twice before the
    /// others had their turn.
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
            if other.asked.is_some_and(|at| now - at < ASK_EVERY) {
                continue;
            }
            self.number += 1;
            (other.asked, other.open, self.last) = (Some(now), Some(self.number), island);
            let after = other.newest();
            questions.push((island, PeerMessage::Ask { number: self.number, run: self.run, after }));
        }
        questions
    }

    /// Answers another robot's question at `now`, s.
    ///
    /// # Errors
    /// It is about another run, or comes too soon.
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
        // The newest first, as they matter most; an island that began again is behind what the other knows of it.
        let wanted = |offer: &&Offer| offer.generation > after || self.generation < after;
        for offer in self.own.iter().rev().filter(wanted) {
            let gene = Emigrant::of(offer.migrant.values());
            let Some(rest) = left.checked_sub(gene.tree.len()) else { break };
            left = rest;
            genes.push((offer.generation, gene));
        }
        genes.reverse();
        Ok(PeerMessage::Genes { number, run, generation: self.generation, genes })
    }

    /// Takes another robot's answer at `now`, s; true if it brought something.
    ///
    /// # Errors
    /// It is about another run, or nobody waits for it.
    pub fn take(
        &mut self,
        now: f64,
        from: u16,
        (number, run, generation): (u64, RunName, u32),
        migrants: Vec<(u32, Migrant)>,
    ) -> Result<bool, Refusal> {
        if run != self.run {
            return Err(Refusal::OtherRun);
        }
        let other = self.others.get_mut(&from).filter(|other| other.open == Some(number)).ok_or(Refusal::Unasked)?;
        if other.asked.is_none_or(|at| now - at > ANSWER_WITHIN) {
            return Err(Refusal::Unasked);
        }
        other.open = None;
        if generation < other.newest() {
            // The island began again, and its former self is no more.
            other.recent.clear();
        }
        let news = migrants.into_iter().filter(|(at, _)| *at <= generation);
        let mut brought = false;
        for (generation, migrant) in news {
            brought = true;
            keep(&mut other.recent, Offer { generation, migrant }, self.migration.keep, self.once);
        }
        Ok(brought)
    }

    /// The own island has done a generation and offers this individual; gives who immigrates, the fittest first, each with
    /// the island that sent it.
    pub fn generation_done(&mut self, generation: u32, emigrant: &Migrant) -> Vec<(u16, Migrant)> {
        if !self.migration.due(generation) {
            return Vec::new();
        }
        if generation <= self.generation {
            // It began again.
            self.own.clear();
        }
        self.generation = generation;
        let offer = Offer { generation, migrant: emigrant.clone() };
        keep(&mut self.own, offer, self.migration.keep, self.once);
        let all = self.others.iter().flat_map(|(from, other)| other.recent.iter().map(|offer| (*from, offer)));
        // Those of another epoch would take a fresh start over at once.
        let mut found: Vec<(u16, &Offer)> = all.filter(|(_, offer)| offer.migrant.epoch == emigrant.epoch).collect();
        found.sort_by(|a, b| by_rank(*a, *b));
        let mut seen = BTreeSet::new();
        found.retain(|(_, offer)| !self.once || seen.insert(offer.migrant.tree.key()));
        found.truncate(self.migration.receive);
        found.into_iter().map(|(from, offer)| (from, offer.migrant.clone())).collect()
    }
}

/// Keeps an offer as the most recent of its island, of at most `most`. It replaces one of the same generation and, where
/// equal trees are given once, its older self with fewer samples.
fn keep(recent: &mut VecDeque<Offer>, offer: Offer, most: usize, once: bool) {
    recent.retain(|e| e.generation != offer.generation && !(once && e.migrant.id == offer.migrant.id));
    if recent.len() >= most {
        recent.pop_front();
    }
    recent.push_back(offer);
}

/// The fitter first, then the longer known, then by name, as the geneserver ranks.
fn by_rank(a: (u16, &Offer), b: (u16, &Offer)) -> Ordering {
    let fitness = |offer: &Offer| offer.migrant.samples.mean();
    let names = |(from, offer): (u16, &Offer)| -> (Id, u16, u32) { (offer.migrant.id, from, offer.generation) };
    let known = |offer: &Offer| offer.migrant.samples.n();
    fitness(b.1).total_cmp(&fitness(a.1)).then(known(b.1).cmp(&known(a.1))).then(names(a).cmp(&names(b)))
}
