//! Whole chunks found in a file, whatever lies between them: each byte that may begin a chunk is tried until one is whole.

use super::chunk::{Fields, Frame, HEAD, LONGEST_HEAD, MAGIC, MAX_CHUNK, bounds, kind};
use super::foreign;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;

/// Messages that lie in no chunk are taken together up to so many bytes.
const TOGETHER: usize = 256 << 10;
/// Bytes that are looked through at a time.
const WINDOW: usize = 256 << 10;
/// Bytes of data that looked like chunks and were none may be read so many times the file's length, and as much again.
const MOST_TRIED: (u64, u64) = (16, 256 << 20);

/// What is read at any place.
pub trait Source {
    /// Fills the buffer from the place `at`, as far as there is something.
    ///
    /// # Errors
    /// What the disk says.
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Result<usize>;

    /// How many bytes there are.
    ///
    /// # Errors
    /// What the disk says.
    fn length(&self) -> Result<u64>;
}

impl Source for File {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            match FileExt::read_at(self, &mut buffer[done..], at + done as u64) {
                Ok(0) => break,
                Ok(bytes) => done += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn length(&self) -> Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl<S: Source> Source for &S {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Result<usize> {
        (**self).read_at(at, buffer)
    }

    fn length(&self) -> Result<u64> {
        (**self).length()
    }
}

impl Source for &[u8] {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Result<usize> {
        let rest = self.get(at.min(self.len() as u64) as usize..).unwrap_or_default();
        let bytes = rest.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&rest[..bytes]);
        Ok(bytes)
    }

    fn length(&self) -> Result<u64> {
        Ok(self.len() as u64)
    }
}

/// A chunk that is whole.
pub(crate) struct Whole {
    /// Its first byte in the file.
    pub from: u64,
    /// Behind its last.
    pub to: u64,
    /// Time of the first and last message, ns, as its beginning says; no checksum holds that.
    pub bounds: (u64, u64),
    /// What is in it.
    pub records: Vec<u8>,
}

/// Looks through a file.
pub(crate) struct Scanner<S> {
    source: S,
    /// Bytes of the file when it was opened: what is written to it later is not looked at.
    pub length: u64,
    window: Vec<u8>,
    window_at: u64,
    tried: u64,
    /// Some of its records that say something lie in no chunk; the first one does.
    is_chunkless: bool,
}

impl<S: Source> Scanner<S> {
    pub fn new(source: S) -> Result<Scanner<S>> {
        let length = source.length()?;
        let mut scanner = Scanner { source, length, window: Vec::new(), window_at: 0, tried: 0, is_chunkless: false };
        let at = scanner.behind_added(scanner.behind_header()?)?;
        let first = scanner.record(at, |kind| matches!(kind, kind::SCHEMA | kind::CHANNEL))?;
        scanner.is_chunkless = first.is_some_and(|(kind, body, _)| foreign::is_loose(kind, &body));
        Ok(scanner)
    }

    /// The bytes from one place to another, fewer where the file ends.
    pub fn bytes(&self, from: u64, to: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![0; to.min(self.length).saturating_sub(from) as usize];
        let read = self.source.read_at(from, &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// The first whole chunk at or behind a place.
    ///
    /// # Errors
    /// What the disk says, or that the file was made to keep a reader busy.
    pub fn next(&mut self, from: u64) -> Result<Option<Whole>> {
        let begin = if from == 0 { self.behind_header()? } else { from };
        // What is in an attachment may look like a chunk.
        let mut at = self.behind_added(begin)?;
        if self.is_chunkless
            && let Some(whole) = self.chunk_at(at)?
        {
            return Ok(Some(whole));
        }
        while let Some(found) = self.candidate(at)? {
            if let Some(whole) = self.chunk_at(found)? {
                return Ok(Some(whole));
            }
            at = found + 1;
        }
        Ok(None)
    }

    /// The first place at or behind `at` where a chunk's kind stands.
    fn candidate(&mut self, mut at: u64) -> Result<Option<u64>> {
        loop {
            let window = self.look(at, 1)?;
            if window.is_empty() {
                return Ok(None);
            }
            if let Some(ahead) = window.iter().position(|byte| *byte == kind::CHUNK) {
                return Ok(Some(at + ahead as u64));
            }
            at += window.len() as u64;
        }
    }

    /// The chunk that begins at a place, if one does and is whole.
    pub fn chunk_at(&mut self, from: u64) -> Result<Option<Whole>> {
        if self.is_chunkless
            && let Some((records, to)) = self.loose(from)?
        {
            return Ok(Some(Whole { from, to, bounds: bounds(&records).unwrap_or_default(), records }));
        }
        let left = self.length.saturating_sub(from);
        let Some(frame) = Frame::read(self.look(from, LONGEST_HEAD)?, left) else { return Ok(None) };
        let data_at = from + frame.head as u64;
        let to = data_at + frame.packed;
        let data = self.bytes(data_at, to)?;
        if let Some(records) = frame.unpack(data) {
            return Ok(Some(Whole { from, to, bounds: frame.bounds, records }));
        }
        self.tried += frame.packed.max(frame.unpacked);
        if self.tried > self.length.saturating_mul(MOST_TRIED.0).saturating_add(MOST_TRIED.1) {
            return Err(Error::other("too much in it looks like chunks and is none"));
        }
        Ok(None)
    }

    /// The record at a place, if its kind is wanted: its kind, its body, and where the next begins. No other body is read.
    ///
    /// # Errors
    /// What the disk says.
    pub fn record(&self, at: u64, wanted: fn(u8) -> bool) -> Result<Option<(u8, Vec<u8>, u64)>> {
        let head = self.bytes(at, at + HEAD as u64)?;
        let mut fields = Fields(&head);
        let (Some(kind), Some(length)) = (fields.take(1), fields.u64()) else { return Ok(None) };
        let from = at + HEAD as u64;
        if !wanted(kind[0]) || length > MAX_CHUNK || from + length > self.length {
            return Ok(None);
        }
        Ok(Some((kind[0], self.bytes(from, from + length)?, from + length)))
    }

    /// Where the records behind the header begin; 0 without a header.
    ///
    /// # Errors
    /// What the disk says.
    pub fn behind_header(&self) -> Result<u64> {
        if self.bytes(0, MAGIC.len() as u64)? != MAGIC {
            return Ok(0);
        }
        let header = self.record(MAGIC.len() as u64, |kind| kind == kind::HEADER)?;
        Ok(header.map_or(0, |(_, _, behind)| behind))
    }

    /// The place behind indexes and records that others added, at and behind a place.
    fn behind_added(&self, mut at: u64) -> Result<u64> {
        let between = |kind| matches!(kind, kind::MESSAGE_INDEX | kind::ATTACHMENT | kind::METADATA | 0x80..);
        while let Some((kind, body, behind)) = self.record(at, between)? {
            if !foreign::is_between(kind, &body) {
                break;
            }
            at = behind;
        }
        Ok(at)
    }

    /// Schemas, channels and messages that lie in no chunk, from a place on, and where they end; none where others begin.
    fn loose(&self, from: u64) -> Result<Option<(Vec<u8>, u64)>> {
        let (mut records, mut at) = (Vec::new(), from);
        while records.len() <= TOGETHER {
            let loose = |kind| matches!(kind, kind::SCHEMA | kind::CHANNEL | kind::MESSAGE);
            let Some((kind, body, behind)) = self.record(at, loose)? else { break };
            if !foreign::is_loose(kind, &body) {
                break;
            }
            records.push(kind);
            records.extend((body.len() as u64).to_le_bytes());
            records.extend(body);
            at = behind;
        }
        Ok((at > from).then_some((records, at)))
    }

    /// The bytes from a place on, at least so many unless the file ends.
    fn look(&mut self, at: u64, least: usize) -> Result<&[u8]> {
        let end = self.window_at + self.window.len() as u64;
        let wanted = (at + least as u64).min(self.length);
        if at < self.window_at || wanted > end {
            let bytes = WINDOW.min(self.length.saturating_sub(at) as usize);
            self.window.resize(bytes, 0);
            self.window_at = at;
            let read = self.source.read_at(at, &mut self.window)?;
            self.window.truncate(read);
            if read < bytes {
                // Somebody has made the file shorter.
                self.length = at + read as u64;
            }
        }
        let skip = (at - self.window_at).min(self.window.len() as u64) as usize;
        Ok(&self.window[skip..])
    }
}
