//! Writes entries to an MCAP file. Each topic has a channel with JSON messages and a schema. A chunk ends at every
//! flush.

use crate::schema;
use mcap::McapError;
use std::collections::BTreeMap;
use std::io::{self, Seek, Write};
use xpuck_hub_core::entry::{Entry, TIMES};

/// Maximum chunk size (bytes). A truncated file loses at most one chunk in addition to the data after the last flush.
const CHUNK: u64 = 256 * 1024;

/// Compression level of zstd. The output is a tenth smaller than with the default level, and compression is still
/// hundreds of times faster than required.
const LEVEL: u32 = 7;

/// MCAP file that is being written.
pub struct McapFile<W: Write + Seek> {
    writer: mcap::Writer<W>,
    channels: BTreeMap<&'static str, u16>,
    sequence: u32,
    flushes: u32,
}

impl<W: Write + Seek> McapFile<W> {
    /// Begins an MCAP file in `to`.
    ///
    /// # Errors
    /// If `to` cannot be written.
    pub fn begin(to: W) -> io::Result<McapFile<W>> {
        let writer = options().create(to).map_err(plain)?;
        Ok(McapFile { writer, channels: BTreeMap::new(), sequence: 0, flushes: 0 })
    }

    /// Writes an entry to the current chunk. The chunk is written to the file at the next flush, or when it is full.
    ///
    /// # Errors
    /// If the file cannot be written, for example because the disk is full.
    pub fn write(&mut self, entry: &Entry) -> io::Result<()> {
        self.write_with(entry, schema::for_topic(entry.topic()))
    }

    /// Same as [`McapFile::write`], with another schema text for the entry's topic.
    ///
    /// # Errors
    /// Same as [`McapFile::write`].
    pub fn write_with(&mut self, entry: &Entry, schema: &str) -> io::Result<()> {
        let topic = entry.topic();
        let bytes = serde_json::to_vec(entry)?;
        self.write_as(topic, (&topic[1..], schema), Self::stamp(entry.time()), &bytes)
    }

    /// Converts an arena time (s) to a timestamp of the record (ns), rounded to the recorded resolution.
    pub fn stamp(time: f64) -> u64 {
        (time.max(0.0) * TIMES).round() as u64 * (1e9 / TIMES) as u64
    }

    /// Writes a JSON message to a channel of any topic. `schema` is the name and the text of the schema, and `stamp`
    /// is the time (ns).
    ///
    /// # Errors
    /// If the file cannot be written, for example because the disk is full.
    pub fn write_as(&mut self, topic: &'static str, schema: (&str, &str), stamp: u64, data: &[u8]) -> io::Result<()> {
        let channel_id = match self.channels.get(topic) {
            Some(id) => *id,
            None => {
                let (name, text) = schema;
                let schema = self.writer.add_schema(name, "jsonschema", text.as_bytes()).map_err(plain)?;
                let id = self.writer.add_channel(schema, topic, "json", &BTreeMap::new()).map_err(plain)?;
                self.channels.insert(topic, id);
                id
            }
        };
        let (log_time, publish_time) = (stamp, stamp);
        let header = mcap::records::MessageHeader { channel_id, sequence: self.sequence, log_time, publish_time };
        self.sequence = self.sequence.wrapping_add(1);
        self.writer.write_to_known_channel(&header, data).map_err(plain)
    }

    /// Writes all buffered data to the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.flushes += 1;
        self.writer.flush().map_err(plain)
    }

    /// Number of flushes. Each flush ends a chunk, whose index entry is kept in memory for the summary.
    pub fn flushes(&self) -> u32 {
        self.flushes
    }

    /// Completes the file with its summary.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.writer.finish().map(|_| ()).map_err(plain)
    }

    /// Returns the underlying writer.
    pub fn into_inner(self) -> W {
        self.writer.into_inner()
    }
}

/// Converts an error of the MCAP library to the underlying I/O error.
pub(crate) fn plain(error: McapError) -> io::Error {
    match error {
        McapError::Io(error) => error,
        // An error in a nested record contains the I/O error only as text.
        McapError::Parse(error) => io::Error::other(error.to_string()),
        other => io::Error::other(other),
    }
}

/// Returns the options with which all records are written.
pub(crate) fn options() -> mcap::WriteOptions {
    mcap::WriteOptions::new()
        .profile("")
        .library(concat!("xpuck ", env!("CARGO_PKG_VERSION")))
        .chunk_size(Some(CHUNK))
        .compression_level(LEVEL)
        // Compression runs on the recorder's own thread. The threads of zstd would need 50 MB of memory, although only
        // a few kilobytes per second are compressed.
        .compression_threads(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind, Result, SeekFrom};

    /// Disk with limited capacity (bytes).
    struct Disk {
        size: usize,
        at: usize,
        end: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            let taken = bytes.len().min(self.size.saturating_sub(self.at));
            if taken == 0 && !bytes.is_empty() {
                return Err(Error::from(ErrorKind::StorageFull));
            }
            self.at += taken;
            self.end = self.end.max(self.at);
            Ok(taken)
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    impl Seek for Disk {
        fn seek(&mut self, to: SeekFrom) -> Result<u64> {
            self.at = match to {
                SeekFrom::Start(place) => place as usize,
                SeekFrom::Current(by) => self.at.saturating_add_signed(by as isize),
                // Data is only appended, so the last position is the end of the file.
                SeekFrom::End(by) => self.end.saturating_add_signed(by as isize),
            };
            Ok(self.at as u64)
        }
    }

    #[test]
    fn full_disk_at_any_position_is_error_without_panic() {
        let entry = |i: u32| Entry::event(i.into(), format!("event {i}"));
        let mut refused = 0;
        for size in (0..4000).step_by(7) {
            let Ok(mut file) = McapFile::begin(Disk { size, at: 0, end: 0 }) else {
                refused += 1;
                continue;
            };
            let written = (0..10).try_for_each(|i| file.write(&entry(i)).and_then(|()| file.flush()));
            if let Err(error) = written {
                assert!(error.to_string().contains("no storage space"), "{error}");
                refused += 1;
            }
        }
        assert!(refused > 10, "{refused}");
    }
}
