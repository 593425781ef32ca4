//! An island's end of the link to a geneserver, which may be away at any time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xpuck_evolve::{Migrant, PrimitiveSet};
use xpuck_hub_core::geneserver::Gate;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Emigrant, ToWorker, WorkerMessage};
use xpuck_wire::socket::{Dealer, SocketError, Sockets, wait};

/// How long a finished generation waits for the others' genes. Once an answer did not come, nobody waits again until
/// the server is heard.
const ANSWER: Duration = Duration::from_secs(1);
/// How long a start waits for the server.
const GREETING: Duration = Duration::from_secs(1);
/// Time between two looks into the file that has the server's address, while it is away.
const LOOK: Duration = Duration::from_secs(1);
/// Longest address, bytes.
const MAX_ADDRESS: u64 = 1024;
/// Time between two tries to reach a server that is not connected.
const RETRY_MS: i64 = 20;

/// The address in a file that a geneserver wrote, if there is one.
pub fn address_in(file: &Path) -> Option<String> {
    let text = xpuck_wire::file::text(file, MAX_ADDRESS).ok()?;
    Some(text.trim().to_string()).filter(|address| !address.is_empty())
}

/// Exchanges one island's genes.
pub struct Link {
    // Sockets go before the context that made them.
    dealer: Dealer,
    _sockets: Sockets,
    endpoint: String,
    /// Where the server writes its address, and when that was last looked at.
    file: Option<(PathBuf, Instant)>,
    island: u16,
    gate: Gate,
    /// The server answered at some time.
    met: bool,
    /// The server did not answer lately.
    away: bool,
    /// Why the server refused the island or its gene the last time, until it takes one again.
    refused: Option<String>,
    notes: Vec<Line>,
}

impl Link {
    /// A link that connects by itself, now or whenever the server is there.
    ///
    /// # Errors
    /// If the endpoint is none.
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

    /// Looks into this file for the server's address whenever the server is away: it may have moved to another machine.
    pub fn with_address_file(mut self, file: PathBuf) -> Link {
        self.file = Some((file, Instant::now()));
        self
    }

    /// Goes to where the server says that it is now.
    fn follow(&mut self) {
        let Some((file, looked)) = self.file.as_mut().filter(|(_, looked)| looked.elapsed() >= LOOK) else { return };
        *looked = Instant::now();
        let Some(address) = address_in(file).filter(|address| *address != self.endpoint) else { return };
        if self.dealer.move_to(&address) {
            self.notes.push(Line::info(format!("the geneserver has moved to {address}")));
            self.endpoint = address;
        }
    }

    /// Greets the server; true if it answered within a second.
    pub fn join(&mut self, generation: u32) -> bool {
        self.tell(WorkerMessage::Join { island: self.island, generation }, GREETING)
    }

    /// Says that the island's generations are done; true if the server took note of it within `patience`.
    pub fn done(&mut self, generation: u32, patience: Duration) -> bool {
        self.tell(WorkerMessage::Done { island: self.island, generation }, patience)
    }

    fn tell(&mut self, message: WorkerMessage, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut sent = false;
        while Instant::now() < deadline {
            let before = self.notes.len();
            self.follow();
            // What went to the old address is lost.
            sent &= self.notes.len() == before;
            sent = sent || self.dealer.send(&message);
            wait(&[&self.dealer], RETRY_MS);
            if let Some(answer) = self.receive() {
                self.heard();
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
        self.missed();
        false
    }

    /// True if the server answered at some time since the link was made.
    pub fn met(&self) -> bool {
        self.met
    }

    /// Offers an emigrant and returns who came: the answer, or an earlier one that was late, or nobody.
    pub fn exchange(&mut self, generation: u32, emigrant: &Migrant) -> Vec<Migrant> {
        let mut arrived = Vec::new();
        if self.away {
            self.follow();
        }
        while let Some(late) = self.receive() {
            self.heard();
            self.take(late, &mut arrived);
        }
        let gene = Emigrant::of(emigrant.values());
        let sent = self.dealer.send(&WorkerMessage::Emigrant { island: self.island, generation, gene });
        let deadline = Instant::now() + ANSWER;
        while sent && !self.away && Instant::now() < deadline {
            wait(&[&self.dealer], RETRY_MS);
            if let Some(answer) = self.receive() {
                let last = matches!(answer, ToWorker::Immigrants { generation: g, .. } if g == generation)
                    || matches!(answer, ToWorker::Refused { .. });
                self.take(answer, &mut arrived);
                if last {
                    return arrived;
                }
            }
        }
        self.missed();
        arrived
    }

    /// Offers an emigrant and does not wait.
    pub fn post(&mut self, generation: u32, emigrant: &Migrant) {
        let gene = Emigrant::of(emigrant.values());
        self.dealer.send(&WorkerMessage::Emigrant { island: self.island, generation, gene });
    }

    /// Who came since the last call, for an answer to [`Link::post`]; none if there was no answer.
    pub fn arrived(&mut self) -> Option<Vec<Migrant>> {
        let mut arrived = None;
        while let Some(answer) = self.receive() {
            self.heard();
            let is_answer = matches!(answer, ToWorker::Immigrants { .. });
            let mut these = Vec::new();
            self.take(answer, &mut these);
            arrived = if is_answer { Some(these) } else { arrived };
        }
        arrived
    }

    /// Says that the server gave no answer for too long.
    pub fn give_up(&mut self) {
        self.missed();
    }

    /// The next answer that can be read; those that cannot are counted and noted.
    fn receive(&mut self) -> Option<ToWorker> {
        loop {
            match self.dealer.receive::<ToWorker>()? {
                Ok(answer) => return Some(answer),
                Err(error) => self.refuse(&error.to_string()),
            }
        }
    }

    /// Takes immigrants in place of those that came before; only genes in order get that far.
    fn take(&mut self, answer: ToWorker, arrived: &mut Vec<Migrant>) {
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

    /// Notes a refusal, the same one once.
    fn is_refused(&mut self, why: String) {
        if self.refused.as_ref() != Some(&why) {
            self.notes.push(Line::warn(format!("the geneserver refuses this island: {why}")));
            self.refused = Some(why);
        }
    }

    /// Why the server refused the island, if it did and has not taken it since.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Greets the server and does not wait.
    pub fn greet(&mut self) {
        self.dealer.send(&WorkerMessage::Join { island: self.island, generation: 0 });
    }

    fn refuse(&mut self, why: &str) {
        self.gate.count(&self.endpoint);
        self.note_refusal(why);
    }

    fn note_refusal(&mut self, why: &str) {
        let count = self.gate.refused();
        let text = format!("from the geneserver at {}: refused: {why} ({count} so far)", self.endpoint);
        self.notes.push(Line::warn(text));
    }

    fn heard(&mut self) {
        if self.away {
            self.notes.push(Line::info(format!("the geneserver at {} is there", self.endpoint)));
        }
        (self.met, self.away) = (true, false);
    }

    fn missed(&mut self) {
        if !self.away {
            let hint = if self.met { "" } else { " (is it there, and is its key the same?)" };
            let text = format!("no answer from the geneserver at {}: going on without immigrants{hint}", self.endpoint);
            self.notes.push(Line::warn(text));
        }
        self.away = true;
    }

    /// What happened since the last call, for a log.
    pub fn take_notes(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.notes)
    }
}
