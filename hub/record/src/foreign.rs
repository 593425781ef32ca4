//! Records that the format allows and this program does not write: metadata and attachments, which people add to a record,
//! records of other programs, and messages that lie in no chunk.

use super::chunk::{Fields, Frame, HEAD, LONGEST_HEAD, MAGIC, kind, messages};
use super::scan::{Scanner, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Result;

/// Longest record that is looked at as a whole, bytes.
const MAX_RECORD: u64 = 64 << 20;
/// Messages that lie in no chunk are taken together up to so many bytes.
const TOGETHER: usize = 256 << 10;

/// True for a record that is whole and that others may have added.
pub(super) fn is_foreign(kind: u8, body: &[u8]) -> bool {
    match kind {
        kind::METADATA => metadata(body).is_some(),
        kind::ATTACHMENT => attachment(body).is_some(),
        // A record of another program; a chunk or an index with a damaged kind is none.
        0x80.. => !is_chunk(body) && index_of(body).is_none(),
        _ => false,
    }
}

fn is_chunk(body: &[u8]) -> bool {
    let head = [&[kind::CHUNK][..], &(body.len() as u64).to_le_bytes(), &body[..body.len().min(LONGEST_HEAD)]].concat();
    Frame::read(&head, (body.len() + HEAD) as u64).is_some()
}

/// A channel and its entries of an index: 16 bytes each.
fn index_of(body: &[u8]) -> Option<(u16, &[u8])> {
    let mut fields = Fields(body);
    let (channel, entries) = (fields.u16()?, fields.block()?);
    (fields.0.is_empty() && entries.len().is_multiple_of(16)).then_some((channel, entries))
}

/// Bytes of the records of others at the front.
pub(super) fn records(bytes: &[u8]) -> usize {
    let mut fields = Fields(bytes);
    let mut done = 0;
    while let Some((kind, body)) = fields.record() {
        if !is_foreign(kind, body) {
            break;
        }
        done = bytes.len() - fields.0.len();
    }
    done
}

/// Metadata: a name, and texts by their names.
pub(super) fn metadata(body: &[u8]) -> Option<mcap::records::Metadata> {
    let mut fields = Fields(body);
    let name = fields.text()?.to_string();
    let mut pairs = Fields(fields.block()?);
    let mut metadata = BTreeMap::new();
    while !pairs.0.is_empty() {
        metadata.insert(pairs.text()?.to_string(), pairs.text()?.to_string());
    }
    fields.0.is_empty().then_some(mcap::records::Metadata { name, metadata })
}

/// A file that was added, if its checksum is right.
pub(super) fn attachment(body: &[u8]) -> Option<mcap::Attachment<'_>> {
    let mut fields = Fields(body);
    let (log_time, create_time) = (fields.u64()?, fields.u64()?);
    let (name, media_type) = (fields.text()?.to_string(), fields.text()?.to_string());
    let length = fields.u64()?;
    let data = fields.take(usize::try_from(length).ok()?)?;
    let covered = body.len() - fields.0.len();
    let crc = fields.u32()?;
    // A writer that makes no checksums writes 0.
    let right = fields.0.is_empty() && (crc == 0 || crc32fast::hash(&body[..covered]) == crc);
    right.then_some(mcap::Attachment { log_time, create_time, name, media_type, data: data.into() })
}

/// Bytes of the index behind a chunk in another order than ours; the format asks for none.
pub(super) fn index(bytes: &[u8], chunk: &[u8]) -> usize {
    type Entries = BTreeSet<(u16, u64, u64)>;
    let wanted: Entries = messages(chunk).map(|m| (m.channel, m.log_time, m.offset as u64)).collect();
    let mut found = Entries::new();
    let mut fields = Fields(bytes);
    let mut done = 0;
    while let Some((kind::MESSAGE_INDEX, body)) = fields.record() {
        let Some((channel, entries)) = index_of(body) else { return 0 };
        let mut entries = Fields(entries);
        while let (Some(time), Some(offset)) = (entries.u64(), entries.u64()) {
            found.insert((channel, time, offset));
        }
        done = bytes.len() - fields.0.len();
    }
    if found == wanted { done } else { 0 }
}

/// Whether a file has its messages in no chunk: the first record that says something is a schema or a channel.
///
/// # Errors
/// What the disk says.
pub(super) fn is_chunkless(scanner: &Scanner<impl Source>) -> Result<bool> {
    if scanner.bytes(0, MAGIC.len() as u64)? != MAGIC {
        return Ok(false);
    }
    let Some((kind::HEADER, _, behind)) = record(scanner, MAGIC.len() as u64)? else { return Ok(false) };
    let at = behind_added(scanner, behind)?;
    Ok(match record(scanner, at)? {
        Some((kind::SCHEMA, body, _)) => schema(&body).is_some(),
        Some((kind::CHANNEL, body, _)) => channel(&body).is_some(),
        _ => false,
    })
}

/// Where the records behind the header begin.
///
/// # Errors
/// What the disk says.
pub(super) fn behind_header(scanner: &Scanner<impl Source>) -> Result<u64> {
    Ok(match record(scanner, MAGIC.len() as u64)? {
        Some((kind::HEADER, _, behind)) => behind,
        _ => 0,
    })
}

fn schema(body: &[u8]) -> Option<()> {
    let mut fields = Fields(body);
    let id = fields.u16()?;
    (fields.text()?, fields.text()?, fields.block()?);
    (id != 0 && fields.0.is_empty()).then_some(())
}

fn channel(body: &[u8]) -> Option<()> {
    let mut fields = Fields(body);
    (fields.u16()?, fields.u16()?, fields.text()?, fields.text()?, fields.block()?);
    fields.0.is_empty().then_some(())
}

/// The record at a place: its kind, its body, and where the next begins.
fn record(scanner: &Scanner<impl Source>, at: u64) -> Result<Option<(u8, Vec<u8>, u64)>> {
    let head = scanner.bytes(at, at + HEAD as u64)?;
    let mut fields = Fields(&head);
    let (Some(kind), Some(length)) = (fields.take(1), fields.u64()) else { return Ok(None) };
    let from = at + HEAD as u64;
    if length > MAX_RECORD || from + length > scanner.length {
        return Ok(None);
    }
    Ok(Some((kind[0], scanner.bytes(from, from + length)?, from + length)))
}

/// The place behind indexes and records that others added, at and behind a place.
///
/// # Errors
/// What the disk says.
pub(super) fn behind_added(scanner: &Scanner<impl Source>, mut at: u64) -> Result<u64> {
    while let Some((kind, body, behind)) = record(scanner, at)? {
        let is_index = kind == kind::MESSAGE_INDEX && index_of(&body).is_some();
        if !is_index && !is_foreign(kind, &body) {
            break;
        }
        at = behind;
    }
    Ok(at)
}

/// Schemas, channels and messages that lie in no chunk, from a place on, and where they end; none where others begin.
///
/// # Errors
/// What the disk says.
pub(super) fn loose(scanner: &Scanner<impl Source>, from: u64) -> Result<Option<(Vec<u8>, u64)>> {
    let (mut records, mut at) = (Vec::new(), from);
    while let Some((kind, body, behind)) = record(scanner, at)? {
        let is_whole = match kind {
            kind::SCHEMA => schema(&body).is_some(),
            kind::CHANNEL => channel(&body).is_some(),
            kind::MESSAGE => body.len() >= super::chunk::MESSAGE_HEAD,
            _ => false,
        };
        if !is_whole || records.len() > TOGETHER {
            break;
        }
        records.push(kind);
        records.extend((body.len() as u64).to_le_bytes());
        records.extend(body);
        at = behind;
    }
    Ok((at > from).then_some((records, at)))
}

/// Profile and library of a file's header, if it is whole.
///
/// # Errors
/// What the disk says.
pub(super) fn header(source: impl Source) -> Result<Option<(String, String)>> {
    let scanner = Scanner::new(source)?;
    if scanner.bytes(0, MAGIC.len() as u64)? != MAGIC {
        return Ok(None);
    }
    Ok(match record(&scanner, MAGIC.len() as u64)? {
        Some((kind::HEADER, body, _)) => {
            let mut fields = Fields(&body);
            fields.text().zip(fields.text()).map(|(profile, library)| (profile.into(), library.into()))
        }
        _ => None,
    })
}
