//! Contact with other robots without a hub: radio range, exchange of genes, and texts between controllers. The module
//! is a state machine. The shell transports the messages.

mod exchange;
mod gate;
mod post;
mod range;

pub use exchange::{ANSWER_WITHIN, ASK_INTERVAL, ASKED_AT_ONCE};
pub use gate::{PeerInput, open};
pub use post::{MAX_RATE, SayError, WAITING};
pub use range::{HEARD, REMEMBERED};

use exchange::{Exchange, Refusal};
use post::{TextChannel, TextRejection};
use range::Range;
use xpuck_evolve::Migrant;
use xpuck_experiment::Plan;
use xpuck_wire::log::Line;
use xpuck_wire::message::Neighbour;
use xpuck_wire::peer::{PeerMessage, RunName};
use xpuck_wire::peers_report::PeersReport;

/// Maximum number of messages handled in a batch, before the clock is read again.
pub const MESSAGES_AT_ONCE: usize = 32;
/// Maximum number of outgoing messages that wait for the shell. Further messages are dropped.
const OUTBOX: usize = 64;
/// Interval of reports to the hub while no generation completes, in arena time (s).
const REPORT_EVERY: f64 = 2.0;

/// State of a robot's contact with other robots.
#[derive(Clone, Debug)]
pub struct Peers {
    range: Range,
    exchange: Option<Exchange>,
    post: TextChannel,
    outbox: Vec<(u16, PeerMessage)>,
    report: PeersReport,
    reported: f64,
    lines: Vec<Line>,
    /// Number of the last question before the current exchange began. The numbers of questions continue across runs.
    number: u64,
}

impl Peers {
    /// Creates the state at power-up for the robot of island `me` in a swarm of `robots` robots. `session` is a random
    /// number.
    pub fn new(me: u16, robots: u16, session: u64) -> Peers {
        Peers {
            range: Range::new(me, robots),
            exchange: None,
            post: TextChannel::new(session),
            outbox: Vec::new(),
            report: PeersReport::default(),
            reported: 0.0,
            lines: Vec::new(),
            number: session >> 1,
        }
    }

    /// Starts the exchange of genes in this run. `None` ends the exchange.
    pub fn enter(&mut self, run: Option<(RunName, &Plan)>) {
        if run.map(|(name, _)| name) == self.exchange.as_ref().map(Exchange::run) {
            return;
        }
        self.number = self.exchange.as_ref().map_or(self.number, Exchange::number);
        self.exchange = run.map(|(name, plan)| Exchange::new(name, plan, self.number));
        (self.report.generation, self.report.from) = (0, Vec::new());
    }

    /// Returns whether genes are exchanged with other robots in the current run.
    pub fn exchanges(&self) -> bool {
        self.exchange.is_some()
    }

    /// Records the robots that were heard by range and bearing at the arena time `now` (s).
    pub fn sense(&mut self, now: f64, neighbours: &[Neighbour]) {
        self.range.hear(now, neighbours);
    }

    /// Returns the islands of the robots in range at `now` (s).
    pub fn in_range(&self, now: f64) -> Vec<u16> {
        self.range.islands(now)
    }

    /// Handles the passage of time up to `now` (s). Must be called at every control update.
    pub fn on_time(&mut self, now: f64) {
        let Some(exchange) = &mut self.exchange else { return };
        let questions = exchange.questions(now, &self.range.islands(now));
        self.report.asked += questions.len() as u64;
        questions.into_iter().for_each(|(to, question)| self.send(to, question));
    }

    /// Handles a validated message from another robot. `from` is the island to which the sender's key belongs.
    pub fn on_message(&mut self, now: f64, from: u16, heard: PeerInput) {
        let refused = &mut self.report.refused;
        // A question is answered even if its sender is out of range. The asking robot has already checked that this
        // robot is in its range.
        if !matches!(heard, PeerInput::Ask { .. }) && !self.range.holds(now, from) {
            refused.out_of_range += 1;
            return;
        }
        match heard {
            PeerInput::Ask { number, run, after } => {
                let Some(exchange) = &mut self.exchange else { return refused.other_run += 1 };
                match exchange.answer(now, from, (number, run, after)) {
                    Ok(answer) => self.send(from, answer),
                    Err(why) => self.count(why),
                }
            }
            PeerInput::Genes { number, run, generation, migrants, refused: (count, why) } => {
                let Some(exchange) = &mut self.exchange else { return refused.other_run += 1 };
                let sound = migrants.len() as u64;
                match exchange.on_answer(now, from, (number, run, generation), migrants) {
                    Ok(_) => {
                        self.report.answered += 1;
                        self.report.genes += sound;
                        self.refuse_genes(from, count, why);
                    }
                    Err(why) => self.count(why),
                }
            }
            PeerInput::Say { session, count, bytes } => match self.post.receive(now, from, (session, count), bytes) {
                Ok(()) => {}
                Err(TextRejection::Again) => refused.unasked += 1,
                Err(TextRejection::TooMany) => refused.too_many += 1,
            },
            PeerInput::Nothing(why) => {
                refused.unreadable += 1;
                let count = refused.unreadable;
                self.note(count, || format!("a message from robot {from} was rejected: {why}"));
            }
        }
    }

    fn count(&mut self, why: Refusal) {
        let refused = &mut self.report.refused;
        *match why {
            Refusal::OtherRun => &mut refused.other_run,
            Refusal::Unsolicited => &mut refused.unasked,
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
            self.lines.push(Line::warn(format!("genes from robot {from} were rejected: {why} ({so_far} so far)")));
        }
    }

    /// Logs only occurrences whose number `count` is a power of ten (1, 10, 100, ...), so that no peer can fill the
    /// log.
    fn note(&mut self, count: u64, text: impl FnOnce() -> String) {
        if count > 0 && 10u64.pow(count.ilog10()) == count {
            self.lines.push(Line::warn(format!("{} ({count} so far)", text())));
        }
    }

    /// Records messages that the shell rejected. `keys` is the number of connections and messages with invalid keys
    /// since the start. `no_room` is the number of messages that were dropped since the last call.
    pub fn refused_outside(&mut self, keys: u64, no_room: u64) {
        let more = keys > self.report.refused.keys;
        self.report.refused.keys = keys;
        self.report.refused.too_many += no_room;
        if more {
            self.note(keys, || "a peer claims to be a robot, but its key is not enrolled or was revoked".into());
        }
    }

    /// Records that this robot's island completed a generation and offers `emigrant`. Returns the immigrants in the
    /// order of their fitness, with the fittest one first. Returns no immigrants in a run without exchange between
    /// robots.
    pub fn generation_done(&mut self, generation: u32, emigrant: &Migrant) -> Vec<Migrant> {
        let Some(exchange) = &mut self.exchange else { return Vec::new() };
        let (from, migrants) = exchange.generation_done(generation, emigrant).into_iter().unzip();
        (self.report.generation, self.report.from) = (generation, from);
        migrants
    }

    /// Sends a text to the controller of the robot `to`, which must be in range. The text may get lost, as with radio.
    ///
    /// # Errors
    /// Returns an error if the text is too long, the rate is too high, or the robot is not in range.
    pub fn say(&mut self, now: f64, to: u16, bytes: &[u8]) -> Result<(), SayError> {
        if !self.range.holds(now, to) {
            return Err(SayError::OutOfRange(to));
        }
        let message = self.post.say(now, bytes)?;
        self.send(to, message);
        Ok(())
    }

    /// Takes the next text for this robot's controller. Returns the sender's island and the text.
    pub fn heard(&mut self) -> Option<(u16, Vec<u8>)> {
        self.post.heard()
    }

    fn send(&mut self, to: u16, message: PeerMessage) {
        if self.outbox.len() < OUTBOX {
            self.outbox.push((to, message));
        }
    }

    /// Takes the messages to send, each with its destination island.
    pub fn take_messages(&mut self) -> Vec<(u16, PeerMessage)> {
        std::mem::take(&mut self.outbox)
    }

    /// Takes the lines for the log.
    pub fn take_lines(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }

    /// Returns the report of the current state.
    pub fn report(&self, now: f64) -> PeersReport {
        let in_range = self.range.islands(now).len() as u16;
        PeersReport { in_range, by: self.range.by(now), ..self.report.clone() }
    }

    /// Returns the report of the current state if a report is due.
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
