//! Checks the bytes between the chunks of a record, and distinguishes valid records from damage.

use super::chunk::{Fields, HEAD, MAGIC, is_begun, kind, messages};
use super::foreign;
use super::scan::{Scanner, Source};
use std::collections::BTreeMap;
use std::io::Result;

/// Maximum length of the data between two chunks (bytes). Longer data is not checked, and counts as damage.
pub(crate) const MAX_BETWEEN: u64 = 64 << 20;
/// Length of the data-end record, which follows the last chunk (bytes).
const DATA_END: u64 = HEAD as u64 + 4;
/// Length of the body of the footer record, which ends the file (bytes).
const FOOTER: u64 = 20;

/// State of the end of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// The file is complete, with its summary.
    Whole,
    /// The file is in progress. It ends after a complete MCAP record, or within an unfinished chunk.
    Open,
    /// The file is damaged. It ends with bytes that no writer produces.
    #[default]
    Damaged,
}

/// Returns the number of valid bytes at the beginning of a file: magic bytes, header, and records added by other
/// programs.
pub(crate) fn at_start(bytes: &[u8]) -> usize {
    let mut fields = Fields(bytes);
    if fields.take(MAGIC.len()) != Some(MAGIC) {
        return 0;
    }
    let left = fields.0.len();
    match fields.record() {
        Some((kind::HEADER, body)) if is_header(body) => {
            MAGIC.len() + left - fields.0.len() + foreign::records(fields.0)
        }
        _ => MAGIC.len(),
    }
}

/// Whether `body` is the body of a header record. Such a body contains a profile and the name of the program that wrote
/// the file.
fn is_header(body: &[u8]) -> bool {
    let mut fields = Fields(body);
    let is_plain = |text: Option<&str>| text.is_some_and(|text| text.chars().all(|c| (' '..='~').contains(&c)));
    is_plain(fields.text()) && is_plain(fields.text()) && fields.0.is_empty()
}

/// Returns the number of valid bytes at the beginning of `bytes`, which follow a chunk with these records. The message
/// index of each channel is valid, and so are records added by other programs.
pub(crate) fn behind(bytes: &[u8], records: &[u8]) -> usize {
    let index = index(records);
    let index = if bytes.starts_with(&index) { index.len() } else { foreign::index(bytes, records) };
    index + foreign::records(&bytes[index..])
}

/// Returns the message index of a chunk with these records, as this program writes it.
fn index(records: &[u8]) -> Vec<u8> {
    let mut channels: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
    for message in messages(records) {
        let entries = channels.entry(message.channel).or_default();
        entries.extend(message.log_time.to_le_bytes());
        entries.extend((message.offset as u64).to_le_bytes());
    }
    let mut bytes = Vec::new();
    for (channel, entries) in channels {
        bytes.push(kind::MESSAGE_INDEX);
        bytes.extend((entries.len() as u64 + 6).to_le_bytes());
        bytes.extend(channel.to_le_bytes());
        bytes.extend((entries.len() as u32).to_le_bytes());
        bytes.extend(entries);
    }
    bytes
}

/// Summary at the end of a file, with a valid checksum.
pub(crate) struct Summary {
    /// Offset of the data-end record, which precedes the summary.
    at: u64,
    /// Records of the summary.
    pub records: Vec<u8>,
}

impl Summary {
    /// Reads the summary at the end of a file. `None` if it is missing or invalid.
    pub fn read<S: Source>(scanner: &Scanner<S>) -> Result<Option<Summary>> {
        let length = scanner.length;
        let Some(footer) = length.checked_sub(HEAD as u64 + FOOTER + MAGIC.len() as u64) else { return Ok(None) };
        let end = scanner.bytes(footer, length)?;
        let mut fields = Fields(&end);
        let Some((kind::FOOTER, body)) = fields.record() else { return Ok(None) };
        let mut body = Fields(body);
        let (Some(start), Some(_), Some(crc)) = (body.u64(), body.u64(), body.u32()) else { return Ok(None) };
        let start = if start == 0 { footer } else { start };
        let fits = body.0.is_empty() && fields.0 == MAGIC && start <= footer && footer - start <= MAX_BETWEEN;
        let (Some(at), true) = (start.checked_sub(DATA_END), fits) else { return Ok(None) };
        let mut records = scanner.bytes(start, footer + HEAD as u64 + 16)?;
        // Programs that write no checksums write 0.
        if crc != 0 && crc32fast::hash(&records) != crc {
            return Ok(None);
        }
        records.truncate((footer - start) as usize);
        Ok(Some(Summary { at, records }))
    }
}

/// Classifies the end of a file by its last bytes, which begin at offset `at`.
pub(crate) fn end(bytes: &[u8], at: u64, summary: Option<&Summary>) -> End {
    if bytes.is_empty() || is_begun(bytes) {
        return End::Open;
    }
    let data_end = || matches!(Fields(bytes).record(), Some((kind::DATA_END, body)) if body.len() == 4);
    if summary.is_some_and(|summary| summary.at == at) && data_end() { End::Whole } else { End::Damaged }
}
