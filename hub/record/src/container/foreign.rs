//! MCAP records that the format allows but this program does not write. They are metadata and attachments added by
//! users, records of other programs, and messages outside of chunks.

use super::chunk::{Fields, Frame, HEAD, LONGEST_HEAD, MESSAGE_HEAD, kind, messages};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a record is valid, and of a kind that users or other programs may have added.
pub(crate) fn is_foreign(kind: u8, body: &[u8]) -> bool {
    match kind {
        kind::METADATA => metadata(body).is_some(),
        kind::ATTACHMENT => attachment(body).is_some(),
        // Other programs may use these kinds. If the body is that of a chunk or a message index, the record is not
        // foreign: its kind code is damaged.
        0x80.. => !is_chunk(body) && index_of(body).is_none(),
        _ => false,
    }
}

fn is_chunk(body: &[u8]) -> bool {
    let head = [&[kind::CHUNK][..], &(body.len() as u64).to_le_bytes(), &body[..body.len().min(LONGEST_HEAD)]].concat();
    Frame::read(&head, (body.len() + HEAD) as u64).is_some()
}

/// Returns the channel and the entries of a message index. An entry has 16 bytes.
fn index_of(body: &[u8]) -> Option<(u16, &[u8])> {
    let mut fields = Fields(body);
    let (channel, entries) = (fields.u16()?, fields.block()?);
    (fields.0.is_empty() && entries.len().is_multiple_of(16)).then_some((channel, entries))
}

/// Returns the total length of the records at the beginning of `bytes` that users or other programs added (bytes).
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

/// Parses the body of a metadata record: a name, and key-value pairs of text.
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

/// Parses the body of an attachment record. `None` if it is invalid, or its checksum is wrong.
pub(crate) fn attachment(body: &[u8]) -> Option<mcap::Attachment<'_>> {
    let mut fields = Fields(body);
    let (log_time, create_time) = (fields.u64()?, fields.u64()?);
    let (name, media_type) = (fields.text()?.to_string(), fields.text()?.to_string());
    let length = fields.u64()?;
    let data = fields.take(usize::try_from(length).ok()?)?;
    let covered = body.len() - fields.0.len();
    let crc = fields.u32()?;
    // Programs that write no checksums write 0.
    let right = fields.0.is_empty() && (crc == 0 || crc32fast::hash(&body[..covered]) == crc);
    right.then_some(mcap::Attachment { log_time, create_time, name, media_type, data: data.into() })
}

/// Returns the length of the message index after a chunk (bytes). The entries may be in any order, because the format
/// does not define one. Returns 0 if the entries do not match the messages of the chunk.
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

/// Whether this is a valid record of a kind that may be inside or outside of chunks: schema, channel or message.
pub(crate) fn is_loose(kind: u8, body: &[u8]) -> bool {
    match kind {
        kind::SCHEMA => schema(body).is_some(),
        kind::CHANNEL => channel(body).is_some(),
        kind::MESSAGE => body.len() >= MESSAGE_HEAD,
        _ => false,
    }
}

/// Whether a record may lie between chunks. It must be a message index, or a record added by users or other programs.
pub(crate) fn is_between(kind: u8, body: &[u8]) -> bool {
    kind == kind::MESSAGE_INDEX && index_of(body).is_some() || is_foreign(kind, body)
}

/// Returns the profile and the library from the body of a header record.
pub(crate) fn header(body: &[u8]) -> Option<(String, String)> {
    let mut fields = Fields(body);
    fields.text().zip(fields.text()).map(|(profile, library)| (profile.into(), library.into()))
}
