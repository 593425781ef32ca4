//! Finds valid chunks in a file with arbitrary bytes between them. Each byte that may begin a chunk is tried.

use super::chunk::{Fields, Frame, HEAD, LONGEST_HEAD, MAGIC, MAX_CHUNK, bounds, kind};
use super::foreign;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;

/// Total length of records outside of chunks from which no further record is combined with them (bytes). Combined
/// records are read like one chunk.
const TOGETHER: usize = 256 << 10;
/// Size of the buffer in which the file is searched (bytes).
const WINDOW: usize = 256 << 10;
/// Maximum total size of invalid chunks that are tried: a multiple of the file's length, plus a constant (bytes).
const MOST_TRIED: (u64, u64) = (16, 256 << 20);

/// Random-access source of bytes.
pub trait Source {
    /// Reads into the buffer from offset `at`, up to the end of the source. Returns the number of bytes read.
    ///
    /// # Errors
    /// If the source cannot be read.
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Result<usize>;

    /// Returns the length of the source (bytes).
    ///
    /// # Errors
    /// If the length cannot be determined.
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

/// Valid chunk of a file.
pub(crate) struct Whole {
    /// Offset of the chunk's first byte.
    pub from: u64,
    /// Offset after the chunk's last byte.
    pub to: u64,
    /// Times of the first and last message according to the chunk's header, which has no checksum (ns).
    pub bounds: (u64, u64),
    /// Records of the chunk.
    pub records: Vec<u8>,
}

/// Scanner that finds the valid chunks of a file.
pub(crate) struct Scanner<S> {
    source: S,
    /// Length of the file when it was opened (bytes). Data written later is ignored.
    pub length: u64,
    window: Vec<u8>,
    window_at: u64,
    tried: u64,
    /// Whether the file's first data record is outside of chunks. Only then are further such records read.
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

    /// Reads the bytes from offset `from` to `to`. Returns fewer bytes if the file ends before `to`.
    pub fn bytes(&self, from: u64, to: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![0; to.min(self.length).saturating_sub(from) as usize];
        let read = self.source.read_at(from, &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Returns the first valid chunk at or after an offset. `None` if there is none.
    ///
    /// # Errors
    /// If the file cannot be read, or contains too many false chunk headers, for example because it was crafted.
    pub fn next(&mut self, from: u64) -> Result<Option<Whole>> {
        let begin = if from == 0 { self.behind_header()? } else { from };
        // Attachments are skipped, because their contents may look like a chunk.
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

    /// Returns the offset of the first byte at or after `at` that is the kind code of a chunk.
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

    /// Returns the chunk at an offset. `None` if no valid chunk begins there.
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
            return Err(Error::other("too many false chunk headers; the file is not a usable record"));
        }
        Ok(None)
    }

    /// Reads the record at an offset. Returns its kind, its body, and the offset of the next record. Returns `None`
    /// without reading the body if the record is incomplete or too long, or if `wanted` returns false for its kind.
    ///
    /// # Errors
    /// If the file cannot be read.
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

    /// Returns the offset of the first record after the header. 0 without a valid header.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn behind_header(&self) -> Result<u64> {
        if self.bytes(0, MAGIC.len() as u64)? != MAGIC {
            return Ok(0);
        }
        let header = self.record(MAGIC.len() as u64, |kind| kind == kind::HEADER)?;
        Ok(header.map_or(0, |(_, _, behind)| behind))
    }

    /// Skips message indexes and records added by users or other programs from `at`, and returns the offset after
    /// them.
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

    /// Returns schemas, channels and messages outside of chunks from an offset, and the offset after them. `None` if
    /// there are none.
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

    /// Returns buffered bytes from offset `at`. The result has at least `least` bytes, unless the file ends earlier.
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
                // The file was truncated since it was opened.
                self.length = at + read as u64;
            }
        }
        let skip = (at - self.window_at).min(self.window.len() as u64) as usize;
        Ok(&self.window[skip..])
    }
}
