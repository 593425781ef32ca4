//! Reads a record chunk by chunk, even if it is damaged. Returns each valid chunk once, and measures the damage.

use super::channels::{ChannelMap, Channels};
use super::chunk::{Fields, MAGIC, bounds, kind, messages};
use super::foreign;
use super::framing::{self, End, MAX_BETWEEN, Summary};
use super::scan::{Scanner, Source, Whole};
use std::collections::BTreeSet;
use std::io::Result;

/// Damage of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Damage {
    /// Number of places with invalid bytes.
    pub places: u64,
    /// Total number of invalid bytes.
    pub bytes: u64,
    /// Offset of the first invalid byte in the file (bytes).
    pub first: u64,
    /// Duration without messages at the damaged places, summed over all places (s of arena time).
    pub seconds: f64,
    /// Whether data before the first message may be lost.
    pub start: bool,
    /// Time of the last message if data after it is lost (s of arena time).
    pub end: Option<f64>,
    /// Number of bytes in duplicate chunks.
    pub copies: u64,
    /// Number of messages of unknown channels.
    pub unknown: u64,
}

impl Damage {
    /// Returns a description of the damage; `None` if there is none.
    pub fn words(&self) -> Option<String> {
        let mut words = Vec::new();
        if self.places > 0 {
            let places = if self.places == 1 { "place" } else { "places" };
            let (n, first, bytes) = (self.places, self.first, self.bytes);
            words.push(format!("{bytes} bytes are damaged in {n} {places}, starting at byte {first}"));
        }
        if self.start {
            words.push("data before the first message may be lost".into());
        }
        if self.seconds > 0.0 {
            words.push(format!("at most {:.1} s of arena time are missing in the damaged part", self.seconds));
        }
        if let Some(time) = self.end {
            words.push(format!("data after {time:.1} s are lost"));
        }
        if self.copies > 0 {
            words.push(format!("{} bytes are duplicates", self.copies));
        }
        if self.unknown > 0 {
            words.push(format!("{} messages belong to unknown channels", self.unknown));
        }
        (!words.is_empty()).then(|| words.join("; "))
    }
}

/// Chunk with the channels of its messages.
pub(crate) struct Chunk {
    /// Offset of the chunk in the file (bytes).
    pub from: u64,
    /// Records of the chunk.
    pub records: Vec<u8>,
    /// Channels of the messages by number.
    pub meanings: ChannelMap,
}

/// Reader of a record.
pub(crate) struct Reader<S> {
    scanner: Scanner<S>,
    channels: Channels,
    summary: Option<Summary>,
    /// Last chunk that was read. Its message index follows it.
    last: Option<Chunk>,
    /// Offset of the end of the last chunk (bytes).
    at: u64,
    /// Identifiers of all chunks that have been read, to detect duplicates.
    seen: BTreeSet<Mark>,
    /// Latest message time (ns), and the sequence number of the last message. `None` before the first message.
    latest: Option<(u64, u32)>,
    /// Begin and end offsets of records that users or other programs added (bytes).
    pub added: Vec<(u64, u64)>,
    /// Damage of the part that has been read.
    pub damage: Damage,
    /// State of the record's end. It is `Damaged` until the end is reached.
    pub end: End,
}

impl<S: Source> Reader<S> {
    /// Starts reading at the beginning of the record.
    ///
    /// # Errors
    /// If the source cannot be read.
    pub fn new(source: S) -> Result<Reader<S>> {
        let scanner = Scanner::new(source)?;
        let summary = Summary::read(&scanner)?;
        let mut channels = Channels::default();
        if let Some(summary) = &summary {
            channels.learn(&summary.records);
        }
        let (last, seen, latest, added, damage, end) = Default::default();
        Ok(Reader { scanner, channels, summary, last, at: 0, seen, latest, added, damage, end })
    }

    /// Starts reading at offset `at`, which must be the end of a chunk.
    ///
    /// # Errors
    /// If the source cannot be read.
    pub fn behind(source: S, at: u64) -> Result<Reader<S>> {
        Ok(Reader { at, ..Reader::new(source)? })
    }

    /// Returns the profile and the library of the header. `None` if the header is invalid.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn header(&self) -> Result<Option<(String, String)>> {
        let record = self.scanner.record(MAGIC.len() as u64, |kind| kind == kind::HEADER)?;
        Ok(record.and_then(|(_, body, _)| foreign::header(&body)))
    }

    /// Number of bytes read so far.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Returns the next valid chunk that is not a duplicate. `None` at the end of the record.
    ///
    /// # Errors
    /// If the source cannot be read.
    pub fn next_chunk(&mut self) -> Result<Option<&Chunk>> {
        loop {
            let Some(whole) = self.scanner.next(self.at)? else {
                self.between(self.scanner.length, None)?;
                self.at = self.scanner.length;
                return Ok(None);
            };
            let new = self.seen.insert(mark(&whole.records));
            self.between(whole.from, Some(&whole))?;
            self.at = whole.to;
            let Whole { from, to, records, .. } = whole;
            let meanings = self.channels.of_chunk(&records);
            self.last = Some(Chunk { from, records, meanings });
            if new {
                self.note();
                return Ok(self.last.as_ref());
            }
            self.damage.copies += to - from;
        }
    }

    /// Reads the chunk at offset `from` again, and returns its records.
    ///
    /// # Errors
    /// If the source cannot be read, or the chunk no longer exists.
    pub fn again(&mut self, from: u64) -> Result<Vec<u8>> {
        let whole = self.scanner.chunk_at(from)?;
        whole.map(|whole| whole.records).ok_or_else(|| std::io::Error::other("the file changed while it was read"))
    }

    /// Checks the bytes between the last chunk and offset `to`, which is the begin of the chunk `next` or the end of
    /// the file.
    fn between(&mut self, to: u64, next: Option<&Whole>) -> Result<()> {
        let from = self.at;
        let bytes = if to - from <= MAX_BETWEEN { self.scanner.bytes(from, to)? } else { Vec::new() };
        let explained = match &self.last {
            Some(chunk) => framing::behind(&bytes, &chunk.records),
            None => framing::at_start(&bytes),
        };
        let at = from + explained as u64;
        self.note_added(from, &bytes[..explained.min(bytes.len())]);
        let whole = match next {
            Some(_) => at == to,
            None => {
                let rest = &bytes[explained.min(bytes.len())..];
                let looked_at = bytes.len() as u64 == to - from;
                self.end = if looked_at { framing::end(rest, at, self.summary.as_ref()) } else { End::Damaged };
                self.end != End::Damaged
            }
        };
        if !whole {
            self.place(at, to - at);
            self.lost_time(next);
        }
        if let Some(next) = next
            && next.bounds != bounds(&next.records).unwrap_or_default()
        {
            // Times in a chunk's header are not covered by a checksum. Messages have their own times, so no data is
            // lost.
            self.place(next.from, 0);
        }
        Ok(())
    }

    /// Stores the offsets of records that users or other programs added between two chunks.
    fn note_added(&mut self, from: u64, bytes: &[u8]) {
        let begin = if from == 0 { MAGIC.len().min(bytes.len()) } else { 0 };
        let mut fields = Fields(&bytes[begin..]);
        let place = |fields: &Fields<'_>| from + (bytes.len() - fields.0.len()) as u64;
        let mut at = place(&fields);
        while let Some((kind, body)) = fields.record() {
            let behind = place(&fields);
            if foreign::is_foreign(kind, body) {
                self.added.push((at, behind));
            }
            at = behind;
        }
    }

    fn place(&mut self, at: u64, bytes: u64) {
        if self.damage.places == 0 {
            self.damage.first = at;
        }
        self.damage.places += 1;
        self.damage.bytes += bytes;
    }

    /// Estimates the loss at a damaged place. Messages are numbered, so consecutive numbers before and after the
    /// place mean that nothing is lost.
    fn lost_time(&mut self, next: Option<&Whole>) {
        let behind = next.and_then(|next| messages(&next.records).next());
        match (self.latest, behind) {
            (Some((_, number)), Some(behind)) if behind.sequence == number.wrapping_add(1) => {}
            (Some((before, _)), Some(behind)) => {
                self.damage.seconds += behind.log_time.saturating_sub(before) as f64 / 1e9;
            }
            (None, Some(behind)) if behind.sequence == 0 => {}
            (None, _) => self.damage.start = true,
            (Some((before, _)), None) => self.damage.end = Some(before as f64 / 1e9),
        }
    }

    /// Updates the latest message time and the last sequence number from the messages of the last chunk. Counts the
    /// messages of unknown channels in the chunk.
    fn note(&mut self) {
        let Some(chunk) = &self.last else { return };
        for message in messages(&chunk.records) {
            let time = self.latest.map_or(0, |(time, _)| time).max(message.log_time);
            self.latest = Some((time, message.sequence));
            let known = chunk.meanings.get(&message.channel).is_some_and(Option::is_some);
            self.damage.unknown += u64::from(!known);
        }
    }
}

/// Identifier of a chunk: length of its records (bytes), checksum, and time (ns) and sequence number of its first
/// message.
type Mark = (usize, u32, Option<(u64, u32)>);

fn mark(records: &[u8]) -> Mark {
    let first = messages(records).next().map(|m| (m.log_time, m.sequence));
    (records.len(), crc32fast::hash(records), first)
}
