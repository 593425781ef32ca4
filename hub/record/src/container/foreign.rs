//! Records that the format allows and this program does not write: metadata and attachments, which people add to a record,
//! records of other programs, and messages that lie in no chunk.

use super::chunk::{Fields, Frame, HEAD, LONGEST_HEAD, MESSAGE_HEAD, kind, messages};
use std::collections::{BTreeMap, BTreeSet};

/// True for a record that is whole and that others may have added.
pub(crate) fn is_foreign(kind: u8, body: &[u8]) -> bool {
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
pub(crate) fn records(bytes: &[u8]) -> usize {
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
pub(crate) fn metadata(body: &[u8]) -> Option<mcap::records::Metadata> {
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
pub(crate) fn attachment(body: &[u8]) -> Option<mcap::Attachment<'_>> {
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
pub(crate) fn index(bytes: &[u8], chunk: &[u8]) -> usize {
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

fn schema(body: &[u8]) -> Option<()> {
    let mut fields = Fields(body);
    let id = fields.u16()?;
    let (_, _, _) = (fields.text()?, fields.text()?, fields.block()?);
    (id != 0 && fields.0.is_empty()).then_some(())
}

fn channel(body: &[u8]) -> Option<()> {
    let mut fields = Fields(body);
    let (_, _) = (fields.u16()?, fields.u16()?);
    let (_, _, _) = (fields.text()?, fields.text()?, fields.block()?);
    fields.0.is_empty().then_some(())
}

/// True for a schema, a channel or a message that is whole.
pub(crate) fn is_loose(kind: u8, body: &[u8]) -> bool {
    match kind {
        kind::SCHEMA => schema(body).is_some(),
        kind::CHANNEL => channel(body).is_some(),
        kind::MESSAGE => body.len() >= MESSAGE_HEAD,
        _ => false,
    }
}

/// True for a record that may lie between chunks: an index, or what others added.
pub(crate) fn is_between(kind: u8, body: &[u8]) -> bool {
    kind == kind::MESSAGE_INDEX && index_of(body).is_some() || is_foreign(kind, body)
}

/// Profile and library of a header.
pub(crate) fn header(body: &[u8]) -> Option<(String, String)> {
    let mut fields = Fields(body);
    fields.text().zip(fields.text()).map(|(profile, library)| (profile.into(), library.into()))
}
