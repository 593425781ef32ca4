//! Link from an island to its geneserver, which may be temporarily unavailable.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xpuck_evolve::{Migrant, PrimitiveSet};
use xpuck_hub_core::geneserver::Gate;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Emigrant, ToWorker, WorkerMessage};
use xpuck_wire::socket::{Dealer, SocketError, Sockets, wait};

/// Maximum wait for the immigrants that answer an emigrant. If they do not arrive in time, [`Link::exchange`] no longer
/// waits for answers until the server answers again.
const ANSWER: Duration = Duration::from_secs(1);
/// Time limit for the server's first answer, when the island joins.
const GREETING: Duration = Duration::from_secs(1);
/// Interval of reading the address file while the server is unavailable.
const LOOK: Duration = Duration::from_secs(1);
/// Maximum length of the address file (bytes).
const MAX_ADDRESS: u64 = 1024;
/// Interval between two attempts to send a message or to read its answer (ms).
const RETRY_MS: i64 = 20;

/// Returns the address in a file written by a geneserver; `None` if the file is unreadable or empty.
pub fn address_in(file: &Path) -> Option<String> {
    let text = xpuck_wire::file::text(file, MAX_ADDRESS).ok()?;
    Some(text.trim().to_string()).filter(|address| !address.is_empty())
}

/// Link that exchanges the genes of one island with a geneserver.
pub struct Link {
    // This field comes first, so that the socket is dropped before the ZeroMQ context that created it.
    dealer: Dealer,
    _sockets: Sockets,
    endpoint: String,
    /// File with the server's address, and the time at which the link last read the file. `None`: no such file was
    /// added.
    file: Option<(PathBuf, Instant)>,
    island: u16,
    gate: Gate,
    /// Whether the server has ever answered.
    met: bool,
    /// Whether the server did not answer the last request in time.
    away: bool,
    /// Last reason for which the server rejected the island or its gene. `None`: the server has accepted the island
    /// since then.
    refused: Option<String>,
    notes: Vec<Line>,
}

impl Link {
    /// Opens a link that connects by itself as soon as the server is reachable.
    ///
    /// # Errors
    /// The endpoint is invalid.
    pub fn open(
        sockets: Sockets,
        endpoint: &str,
        island: u16,
        primitive_set: PrimitiveSet,
    ) -> Result<Link, SocketError> {
        let dealer = sockets.worker(endpoint, &format!("island-{island}-{}", std::process::id()))?;
        let gate = Gate::new(primitive_set);
        let notes = Vec::new();
        let (endpoint, file) = (endpoint.into(), None);
        Ok(Link {
            dealer,
            _sockets: sockets,
            endpoint,
            file,
            island,
            gate,
            met: false,
            away: false,
            refused: None,
            notes,
        })
    }

    /// Adds a file with the server's address. The link reads it again while the server is unavailable, because the
    /// server may have moved to another machine.
    pub fn with_address_file(mut self, file: PathBuf) -> Link {
        self.file = Some((file, Instant::now()));
        self
    }

    /// Reconnects if the file has a new address.
    fn follow(&mut self) {
        let Some((file, looked)) = self.file.as_mut().filter(|(_, looked)| looked.elapsed() >= LOOK) else { return };
        *looked = Instant::now();
        let Some(address) = address_in(file).filter(|address| *address != self.endpoint) else { return };
        if self.dealer.switch_server(&address) {
            self.notes.push(Line::info(format!("the geneserver has moved to {address}")));
            self.endpoint = address;
        }
    }

    /// Announces the island to the server. Returns whether the server answered within `GREETING`.
    pub fn join(&mut self, generation: u32) -> bool {
        self.send_until_acked(WorkerMessage::Join { island: self.island, generation }, GREETING)
    }

    /// Reports that the island has finished its generations. Returns whether the server acknowledged it within
    /// `patience`.
    pub fn done(&mut self, generation: u32, patience: Duration) -> bool {
        self.send_until_acked(WorkerMessage::Done { island: self.island, generation }, patience)
    }

    fn send_until_acked(&mut self, message: WorkerMessage, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut sent = false;
        while Instant::now() < deadline {
            let before = self.notes.len();
            self.follow();
            // After a switch to a new address, the message has to be sent again, because the old server may not have
            // received it.
            sent &= self.notes.len() == before;
            sent = sent || self.dealer.send(&message);
            wait(&[&self.dealer], RETRY_MS);
            if let Some(answer) = self.receive() {
                self.on_answer();
                match answer {
                    ToWorker::Noted { .. } => {
                        self.refused = None;
                        return true;
                    }
                    ToWorker::Refused { why, .. } => {
                        self.is_refused(why);
                        return false;
                    }
                    ToWorker::Immigrants { .. } => {}
                }
            }
        }
        self.on_timeout();
        false
    }

    /// Returns whether the server has ever answered on this link.
    pub fn met(&self) -> bool {
        self.met
    }

    /// Offers an emigrant and waits for the answer. Returns the immigrants of this answer, or of a late answer to an
    /// earlier offer. The result is empty if no answer arrived in time.
    pub fn exchange(&mut self, generation: u32, emigrant: &Migrant) -> Vec<Migrant> {
        let mut arrived = Vec::new();
        if self.away {
            self.follow();
        }
        while let Some(late) = self.receive() {
            self.on_answer();
            self.apply_answer(late, &mut arrived);
        }
        let gene = Emigrant::from_values(emigrant.values());
        let sent = self.dealer.send(&WorkerMessage::Emigrant { island: self.island, generation, gene });
        let deadline = Instant::now() + ANSWER;
        while sent && !self.away && Instant::now() < deadline {
            wait(&[&self.dealer], RETRY_MS);
            if let Some(answer) = self.receive() {
                let last = matches!(answer, ToWorker::Immigrants { generation: g, .. } if g == generation)
                    || matches!(answer, ToWorker::Refused { .. });
                self.apply_answer(answer, &mut arrived);
                if last {
                    return arrived;
                }
            }
        }
        self.on_timeout();
        arrived
    }

    /// Offers an emigrant without waiting for the answer.
    pub fn send_emigrant(&mut self, generation: u32, emigrant: &Migrant) {
        let gene = Emigrant::from_values(emigrant.values());
        self.dealer.send(&WorkerMessage::Emigrant { island: self.island, generation, gene });
    }

    /// Returns the immigrants received since the last call in answer to [`Link::send_emigrant`]; `None` if no answer
    /// arrived.
    pub fn arrived(&mut self) -> Option<Vec<Migrant>> {
        let mut arrived = None;
        while let Some(answer) = self.receive() {
            self.on_answer();
            let is_answer = matches!(answer, ToWorker::Immigrants { .. });
            let mut these = Vec::new();
            self.apply_answer(answer, &mut these);
            arrived = if is_answer { Some(these) } else { arrived };
        }
        arrived
    }

    /// Records that the server's answer is overdue.
    pub fn on_overdue(&mut self) {
        self.on_timeout();
    }

    /// Returns the next valid answer, if one has arrived. Invalid answers are counted and logged.
    fn receive(&mut self) -> Option<ToWorker> {
        loop {
            match self.dealer.receive::<ToWorker>()? {
                Ok(answer) => return Some(answer),
                Err(error) => self.refuse(&error.to_string()),
            }
        }
    }

    /// Processes an answer. The valid immigrants in the answer replace earlier immigrants in `arrived`. Invalid genes
    /// are rejected.
    fn apply_answer(&mut self, answer: ToWorker, arrived: &mut Vec<Migrant>) {
        match answer {
            ToWorker::Immigrants { immigrants, .. } => {
                self.refused = None;
                arrived.clear();
                for gene in immigrants {
                    match self.gate.admit(&self.endpoint, &gene) {
                        Ok(migrant) => arrived.push(migrant),
                        Err(error) => self.note_refusal(&error.to_string()),
                    }
                }
            }
            ToWorker::Refused { why, .. } => self.is_refused(why),
            ToWorker::Noted { .. } => {}
        }
    }

    /// Logs the reason of a rejection, unless it equals the previous one.
    fn is_refused(&mut self, why: String) {
        if self.refused.as_ref() != Some(&why) {
            self.notes.push(Line::warn(format!("the geneserver rejects this island: {why}")));
            self.refused = Some(why);
        }
    }

    /// Returns the reason for which the server rejects the island; `None` while the server accepts the island.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Announces the island without waiting for the answer.
    pub fn greet(&mut self) {
        self.dealer.send(&WorkerMessage::Join { island: self.island, generation: 0 });
    }

    fn refuse(&mut self, why: &str) {
        self.gate.count(&self.endpoint);
        self.note_refusal(why);
    }

    fn note_refusal(&mut self, why: &str) {
        let count = self.gate.refused();
        let text = format!("message from the geneserver at {} rejected: {why} ({count} so far)", self.endpoint);
        self.notes.push(Line::warn(text));
    }

    fn on_answer(&mut self) {
        if self.away {
            self.notes.push(Line::info(format!("the geneserver at {} is connected", self.endpoint)));
        }
        (self.met, self.away) = (true, false);
    }

    fn on_timeout(&mut self) {
        if !self.away {
            let hint = if self.met { "" } else { " (check that it runs and has the same key)" };
            let text =
                format!("no answer from the geneserver at {}; continuing without immigrants{hint}", self.endpoint);
            self.notes.push(Line::warn(text));
        }
        self.away = true;
    }

    /// Returns the log lines collected since the last call.
    pub fn take_notes(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.notes)
    }
}
