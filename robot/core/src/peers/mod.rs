//! Other robots, as this one deals with them without a hub: who is in range, genes that are asked for and given, and words
//! between controllers. A plain state machine; the shell carries the messages.

mod exchange;
mod gate;
mod post;
mod range;

pub use exchange::{ANSWER_WITHIN, ASK_EVERY, ASKED_AT_ONCE};
pub use gate::{Heard, open};
pub use post::{A_SECOND, SayError, WAITING};
pub use range::{HEARD, REMEMBERED};

use exchange::{Exchange, Refusal};
use post::{Post, Unheard};
use range::Range;
use xpuck_evolve::Migrant;
use xpuck_experiment::Plan;
use xpuck_wire::log::Line;
use xpuck_wire::message::Neighbour;
use xpuck_wire::peer::{PeerMessage, RunName};
use xpuck_wire::peers_report::PeersReport;

/// Others' messages handled between two looks at the clock.
pub const MESSAGES_AT_ONCE: usize = 32;
/// Messages to others that wait for the shell at most; more are dropped.
const OUTBOX: usize = 64;
/// How things stand is told so often without a generation, s of arena time.
const REPORT_EVERY: f64 = 2.0;

/// What a robot knows of the others.
#[derive(Clone, Debug)]
pub struct Peers {
    range: Range,
    exchange: Option<Exchange>,
    post: Post,
    outbox: Vec<(u16, PeerMessage)>,
    report: PeersReport,
    reported: f64,
    lines: Vec<Line>,
    /// Where questions of the next run count from.
    number: u64,
}

impl Peers {
    /// The robot of this island, one of so many, has been switched on; `session` is random.
    pub fn new(me: u16, robots: u16, session: u64) -> Peers {
        Peers {
            range: Range::new(me, robots),
            exchange: None,
            post: Post::new(session),
            outbox: Vec::new(),
            report: PeersReport::default(),
            reported: 0.0,
            lines: Vec::new(),
            number: session >> 1,
        }
    }

    /// Genes are exchanged in this run from now on, or in none.
    pub fn enter(&mut self, run: Option<(RunName, &Plan)>) {
        if run.map(|(name, _)| name) == self.exchange.as_ref().map(Exchange::run) {
            return;
        }
        self.number = self.exchange.as_ref().map_or(self.number, Exchange::number);
        self.exchange = run.map(|(name, plan)| Exchange::new(name, plan, self.number));
        (self.report.generation, self.report.from) = (0, Vec::new());
    }

    /// True if genes are exchanged with others in the present run.
    pub fn exchanges(&self) -> bool {
        self.exchange.is_some()
    }

    /// Range and bearing tells whom the robot hears at `now`, s of arena time, as everywhere.
    pub fn sense(&mut self, now: f64, neighbours: &[Neighbour]) {
        self.range.hear(now, neighbours);
    }

    /// The robots in range, by their islands.
    pub fn in_range(&self, now: f64) -> Vec<u16> {
        self.range.islands(now)
    }

    /// What time brings; to be called at every control update.
    pub fn on_time(&mut self, now: f64) {
        let Some(exchange) = &mut self.exchange else { return };
        let questions = exchange.questions(now, &self.range.islands(now));
        self.report.asked += questions.len() as u64;
        questions.into_iter().for_each(|(to, question)| self.send(to, question));
    }

    /// Another robot's message, which passed the gate, from the island whose key it came with.
    pub fn on_message(&mut self, now: f64, from: u16, heard: Heard) {
        let refused = &mut self.report.refused;
        // Who asks need not be in range: radio reaches where the one who asks hears, and that one decides.
        if !matches!(heard, Heard::Ask { .. }) && !self.range.holds(now, from) {
            refused.out_of_range += 1;
            return;
        }
        match heard {
            Heard::Ask { number, run, after } => {
                let Some(exchange) = &mut self.exchange else { return refused.other_run += 1 };
                match exchange.answer(now, from, (number, run, after)) {
                    Ok(answer) => self.send(from, answer),
                    Err(why) => self.count(why),
                }
            }
            Heard::Genes { number, run, generation, migrants, refused: (count, why) } => {
                let Some(exchange) = &mut self.exchange else { return refused.other_run += 1 };
                let sound = migrants.len() as u64;
                match exchange.take(now, from, (number, run, generation), migrants) {
                    Ok(_) => {
                        self.report.answered += 1;
                        self.report.genes += sound;
                        self.refuse_genes(from, count, why);
                    }
                    Err(why) => self.count(why),
                }
            }
            Heard::Say { session, count, bytes } => match self.post.take(now, from, (session, count), bytes) {
                Ok(()) => {}
                Err(Unheard::Again) => refused.unasked += 1,
                Err(Unheard::TooMany) => refused.too_many += 1,
            },
            Heard::Nothing(why) => {
                refused.unreadable += 1;
                let count = refused.unreadable;
                self.note(count, || format!("a message of robot {from} is refused: {why}"));
            }
        }
    }

    fn count(&mut self, why: Refusal) {
        let refused = &mut self.report.refused;
        *match why {
            Refusal::OtherRun => &mut refused.other_run,
            Refusal::Unasked => &mut refused.unasked,
            Refusal::TooSoon => &mut refused.too_many,
        } += 1;
    }

    fn refuse_genes(&mut self, from: u16, count: u32, why: Option<String>) {
        let Some(why) = why else { return };
        let before = self.report.refused.genes;
        self.report.refused.genes += u64::from(count);
        let first = before == 0 || before.ilog10() < self.report.refused.genes.ilog10();
        if first {
            let so_far = self.report.refused.genes;
            self.lines.push(Line::warn(format!("genes of robot {from} are refused: {why} ({so_far} so far)")));
        }
    }

    /// A line for the 1st, 10th, 100th time and so on, so that nobody can fill a log.
    fn note(&mut self, count: u64, text: impl FnOnce() -> String) {
        if count > 0 && 10u64.pow(count.ilog10()) == count {
            self.lines.push(Line::warn(format!("{} ({count} so far)", text())));
        }
    }

    /// What the shell refused: connections and messages by their keys, and messages that found no room; counts since its
    /// start.
    pub fn refused_outside(&mut self, keys: u64, no_room: u64) {
        let more = keys > self.report.refused.keys;
        self.report.refused.keys = keys;
        self.report.refused.too_many += no_room;
        if more {
            self.note(keys, || "somebody whose key is not enrolled, or revoked, speaks as a robot".into());
        }
    }

    /// The own island has done a generation and offers this individual; gives who immigrates, the fittest first. There is
    /// no exchange in a run without it.
    pub fn generation_done(&mut self, generation: u32, emigrant: &Migrant) -> Vec<Migrant> {
        let Some(exchange) = &mut self.exchange else { return Vec::new() };
        let (from, migrants) = exchange.generation_done(generation, emigrant).into_iter().unzip();
        (self.report.generation, self.report.from) = (generation, from);
        migrants
    }

    /// Says something to the controller of a robot in range. What is said may get lost, as in the air.
    ///
    /// # Errors
    /// The words are too long or too many, or that robot is not in range.
    pub fn say(&mut self, now: f64, to: u16, bytes: &[u8]) -> Result<(), SayError> {
        if !self.range.holds(now, to) {
            return Err(SayError::OutOfRange(to));
        }
        let message = self.post.say(now, bytes)?;
        self.send(to, message);
        Ok(())
    }

    /// The next words that a robot in range said to this one's controller: its island, and what.
    pub fn heard(&mut self) -> Option<(u16, Vec<u8>)> {
        self.post.heard()
    }

    fn send(&mut self, to: u16, message: PeerMessage) {
        if self.outbox.len() < OUTBOX {
            self.outbox.push((to, message));
        }
    }

    /// What is to be sent to others, each with the island that it is for.
    pub fn take_messages(&mut self) -> Vec<(u16, PeerMessage)> {
        std::mem::take(&mut self.outbox)
    }

    /// Lines for the log.
    pub fn take_lines(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }

    /// How things stand.
    pub fn report(&self, now: f64) -> PeersReport {
        let in_range = self.range.islands(now).len() as u16;
        PeersReport { in_range, by: self.range.by(now), ..self.report.clone() }
    }

    /// How things stand, if that is due.
    pub fn report_due(&mut self, now: f64) -> Option<PeersReport> {
        if self.exchange.is_none() || now - self.reported < REPORT_EVERY {
            return None;
        }
        self.reported = now;
        Some(self.report(now))
    }
}

#[cfg(test)]
mod tests;
