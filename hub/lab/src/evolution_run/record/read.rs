//! Reads complete and truncated records.

use super::data::Generation;
use super::write::{END, FORMAT, MAX_CHUNK, PROFILE, end};
use mcap::records::{Record, op};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// File name of a record of format 1, in the folder of the current record.
const OLDER: &str = "record.xprec";
/// Length of the head of an MCAP record (bytes). The head contains the kind and the length of the body.
const HEAD: u64 = 9;
/// Maximum length of the body of an MCAP file's header record (bytes).
const MAX_HEADER: usize = 4096;

/// Error of a record that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct RecordError {
    pub(in crate::evolution_run) path: PathBuf,
    pub(in crate::evolution_run) message: String,
}

impl RecordError {
    /// Creates an error for the record at `path`.
    pub(in crate::evolution_run) fn new(path: &Path, message: impl Into<String>) -> RecordError {
        RecordError { path: path.into(), message: message.into() }
    }
}

/// Rejects a record of format 1, unless a record of the current format exists at `path`.
///
/// # Errors
/// No file exists at `path`, but its folder holds a record of format 1.
pub fn refuse_older(path: &Path) -> Result<(), RecordError> {
    let older = path.with_file_name(OLDER);
    if path.exists() || !older.exists() {
        return Ok(());
    }
    let message = format!("has format 1, which xpuck 0.1.0 reads; this program reads format {FORMAT}");
    Err(RecordError::new(&older, message))
}

/// Reads a record generation by generation, up to its end or to the first incomplete or damaged chunk.
pub struct Reader {
    file: BufReader<File>,
    /// Offset of the next chunk from the start of the file (bytes).
    at: u64,
    length: u64,
}

impl Reader {
    /// Opens a record.
    ///
    /// # Errors
    /// The file cannot be read, or is not a record of this format.
    pub fn open(path: &Path) -> Result<Reader, RecordError> {
        refuse_older(path)?;
        let fail = |message: String| RecordError::new(path, message);
        let file = xpuck_wire::file::open(path).map_err(|error| fail(format!("cannot be read: {error}")))?;
        let length = file.metadata().map_err(|error| fail(error.to_string()))?.len();
        let mut reader = Reader { file: BufReader::new(file), at: 0, length };
        let profile = reader.profile().unwrap_or_default();
        match profile.strip_prefix(PROFILE) {
            Some(FORMAT) => Ok(reader),
            Some(format) => {
                let format = format.escape_default();
                Err(fail(format!("has format {format}; this program reads format {FORMAT}")))
            }
            None => Err(fail("is not an evolution record".into())),
        }
    }

    /// Returns the profile in the file's header; `None` if the file is not an MCAP file.
    fn profile(&mut self) -> Option<String> {
        let mut magic = [0; mcap::MAGIC.len()];
        self.file.read_exact(&mut magic).ok()?;
        if magic != mcap::MAGIC {
            return None;
        }
        self.at = magic.len() as u64;
        let (kind, body) = self.record(MAX_HEADER)?;
        let Record::Header(header) = mcap::read::parse_record(kind, &body).ok()? else { return None };
        self.at += HEAD + body.len() as u64;
        Some(header.profile)
    }

    /// Returns the number of bytes after the last valid chunk, which are truncated or corrupt. A valid end section is
    /// not counted. The number is final when all generations have been read.
    pub fn left_over(&self) -> u64 {
        self.length.saturating_sub(self.at)
    }

    /// Reads the kind and the body of the MCAP record at the current position; `None` if the record is incomplete or
    /// its body is longer than `most` bytes.
    fn record(&mut self, most: usize) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; HEAD as usize];
        self.file.read_exact(&mut head).ok()?;
        let [kind, size @ ..] = head;
        let size = u64::from_le_bytes(size);
        // A length beyond the limit or the end of the file is rejected before memory is allocated.
        if size > (most as u64).min(self.length.saturating_sub(self.at + HEAD)) {
            return None;
        }
        let mut body = vec![0; size as usize];
        self.file.read_exact(&mut body).ok()?;
        Some((kind, body))
    }

    fn chunk(&mut self) -> Option<Generation> {
        if self.left_over() == END as u64 {
            let mut rest = [0; END];
            self.file.read_exact(&mut rest).ok()?;
            if rest == *end() {
                self.at = self.length;
            }
            return None;
        }
        let (kind, body) = self.record(MAX_CHUNK)?;
        if kind != op::CHUNK {
            return None;
        }
        let generation = unpack(&body)?;
        self.at += HEAD + body.len() as u64;
        Some(generation)
    }
}

/// Decodes the generation of a chunk; `None` if the chunk is damaged.
fn unpack(body: &[u8]) -> Option<Generation> {
    let Record::Chunk { header, data } = mcap::read::parse_record(op::CHUNK, body).ok()? else { return None };
    if header.compression != "zstd" || header.uncompressed_size > MAX_CHUNK as u64 {
        return None;
    }
    let plain = zstd::bulk::decompress(&data, header.uncompressed_size as usize).ok()?;
    if crc32fast::hash(&plain) != header.uncompressed_crc {
        return None;
    }
    let mut records = mcap::read::LinearReader::sans_magic(&plain).map_while(Result::ok);
    records.find_map(|record| match record {
        Record::Message { data, .. } => serde_json::from_slice(&data).ok(),
        _ => None,
    })
}

impl Iterator for Reader {
    type Item = Generation;

    fn next(&mut self) -> Option<Generation> {
        self.chunk()
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::{Island, Sample};
    use super::super::write::{chunk, header};
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use std::io::Cursor;
    use xpuck_evolve::Id;

    fn generation(number: u32) -> Generation {
        let id = Id { island: 0, number };
        let sample = Sample { id, stratum: 1, fitness: Some(0.1 * number as f32) };
        let island = Island { births: Vec::new(), arrivals: vec![id], samples: vec![sample], champion: id };
        Generation { generation: number, islands: vec![island; 2] }
    }

    fn read(bytes: &[u8]) -> (Vec<Generation>, u64) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("record.mcap");
        std::fs::write(&path, bytes).unwrap();
        let mut reader = Reader::open(&path).unwrap();
        (reader.by_ref().collect(), reader.left_over())
    }

    /// Asserts that each object of a message has exactly the keys that its schema requires.
    fn assert_same_keys(value: &Value, schema: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| assert_same_keys(item, &schema["items"])),
            Value::Object(fields) => {
                let keys: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
                let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                assert_eq!(keys, required, "{schema}");
                fields.iter().for_each(|(key, value)| assert_same_keys(value, &schema["properties"][key]));
            }
            _ => assert!(schema.get("type").is_some() || schema.get("anyOf").is_some(), "{value}: {schema}"),
        }
    }

    #[test]
    fn record_is_valid_mcap_and_readable_up_to_damage() {
        let chunks = [1, 2].map(|number| chunk(&generation(number)).unwrap());
        let record = [header(), chunks[0].clone(), chunks[1].clone(), end()].concat();
        assert_eq!(read(&record), (vec![generation(1), generation(2)], 0));
        assert_eq!(read(&[header(), end()].concat()), (Vec::new(), 0));
        let others: Vec<Generation> = mcap::MessageStream::new(&record)
            .unwrap()
            .map(|message| {
                let message = message.unwrap();
                let schema = message.channel.schema.as_ref().expect("a schema stands before the channel");
                let schema: Value = serde_json::from_slice(&schema.data).unwrap();
                let value: Value = serde_json::from_slice(&message.data).unwrap();
                assert_same_keys(&value, &schema);
                serde_json::from_slice(&message.data).unwrap()
            })
            .collect();
        assert_eq!(others, [generation(1), generation(2)]);
        let second = header().len() + chunks[0].len();
        for length in second..record.len() {
            let whole = if length < second + chunks[1].len() { 1 } else { 2 };
            let behind = if whole == 1 { second } else { second + chunks[1].len() };
            let (generations, left_over) = read(&record[..length]);
            assert_eq!((generations.len(), left_over as usize), (whole, length - behind));
        }
        // Flips a bit of the chunk's length, uncompressed size, checksum and data.
        for at in [3, 30, 34, 60] {
            let mut flipped = record.clone();
            flipped[second + at] ^= 1;
            assert_eq!(read(&flipped).0, [generation(1)], "byte {at}");
        }
    }

    #[test]
    fn oversized_length_fields_allocate_no_memory() {
        let mut bomb = [header(), chunk(&generation(1)).unwrap()].concat();
        let at = header().len();
        bomb[at + 25..at + 33].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(read(&bomb).0, []);
        bomb[at + 1..at + 9].copy_from_slice(&(1u64 << 60).to_le_bytes());
        assert_eq!(read(&bomb).0, []);
    }

    #[test]
    fn foreign_and_older_records_are_rejected_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("record.mcap");
        let refusal = || Reader::open(&path).map(|_| ()).unwrap_err().to_string();
        let foreign = mcap::Writer::new(Cursor::new(Vec::new())).unwrap().into_inner().into_inner();
        for bytes in [&b""[..], b"XPUCKREC\x01\0\0\0", &foreign, &header()[..20]] {
            std::fs::write(&path, bytes).unwrap();
            assert!(refusal().ends_with("record.mcap: is not an evolution record"), "{}", refusal());
        }
        std::fs::rename(&path, dir.path().join(OLDER)).unwrap();
        let older = "record.xprec: has format 1, which xpuck 0.1.0 reads; this program reads format 2";
        assert!(refusal().ends_with(older), "{}", refusal());
    }
}
