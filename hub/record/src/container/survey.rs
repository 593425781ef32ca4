//! Copies the valid messages of a damaged record to a new record. The new record is verified by reading it back.

use super::channels::{Channel, ChannelMap};
use super::chunk::{Fields, MAGIC, MAX_CHUNK, Message, kind, messages};
use super::foreign;
use super::framing::End;
use super::mcap_file::{options, plain};
use super::reader::{Chunk, Damage, Reader};
pub use super::scan::Source;
use mcap::sans_io::LinearReaderOptions;
use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Seek, Write};
use std::sync::Arc;

/// Number of messages in a record, and a checksum over them. Equal values prove that a copy is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Number of messages.
    pub messages: u64,
    checksum: u32,
}

impl Proof {
    fn add(&mut self, topic: &str, message: &Message) {
        let mut hasher = crc32fast::Hasher::new_with_initial(self.checksum);
        let Message { sequence, log_time, publish_time, data, .. } = message;
        hasher.update(topic.as_bytes());
        hasher.update(&sequence.to_le_bytes());
        hasher.update(&log_time.to_le_bytes());
        hasher.update(&publish_time.to_le_bytes());
        hasher.update(data);
        (self.messages, self.checksum) = (self.messages + 1, hasher.finalize());
    }
}

/// Reads a complete record with the MCAP library's reader, which shares no code with the reader of this program.
///
/// # Errors
/// If the record is incomplete or cannot be read.
pub fn read_back(from: impl Read) -> io::Result<Proof> {
    let options = LinearReaderOptions::default()
        .with_validate_chunk_crcs(true)
        .with_prevalidate_chunk_crcs(true)
        .with_record_length_limit(2 * MAX_CHUNK as usize);
    let mut proof = Proof::default();
    for message in mcap::io::MessageReader::new_with_options(BufReader::with_capacity(1 << 18, from), options) {
        let mcap::Message { channel, sequence, log_time, publish_time, data } = message.map_err(io::Error::other)?;
        let (offset, id) = (0, channel.id);
        proof.add(&channel.topic, &Message { offset, channel: id, sequence, log_time, publish_time, data: &data });
    }
    Ok(proof)
}

/// Position of a valid chunk, with the channels of its messages.
pub(crate) struct ValidChunk {
    from: u64,
    /// Time (ns) and sequence number of the chunk's first message.
    first: (u64, u32),
    meanings: ChannelMap,
}

/// Description of the damage of a file that is closed but lacks its end.
pub(crate) const MISSING_END: &str = "its end is missing";

/// Valid contents of a file, found by scanning it.
pub(crate) struct Survey {
    /// Whether the file begins with MCAP's magic bytes.
    pub magic: bool,
    /// Length of the file (bytes).
    pub bytes: u64,
    /// Valid chunks without duplicates, in chronological order.
    pub chunks: Vec<ValidChunk>,
    /// Number of messages of known channels.
    pub messages: u64,
    damage: Damage,
    /// Begin and end offsets of records that users or other programs added (bytes).
    added: Vec<(u64, u64)>,
    /// State of the file's end.
    pub end: End,
}

impl Survey {
    /// Scans a file for valid contents.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn scan(source: impl Source) -> io::Result<Survey> {
        let (mut magic, bytes) = ([0; MAGIC.len()], source.length()?);
        source.read_at(0, &mut magic)?;
        let mut reader = Reader::new(source)?;
        let (mut chunks, mut total) = (Vec::new(), 0);
        while let Some(Chunk { from, records, meanings }) = reader.next_chunk()? {
            total += messages(records).filter(|m| known(meanings, m).is_some()).count() as u64;
            let first = messages(records).next().map_or((0, 0), |m| (m.log_time, m.sequence));
            chunks.push(ValidChunk { from: *from, first, meanings: meanings.clone() });
        }
        // A piece that was moved to another place in the file is put back into chronological order.
        chunks.sort_by_key(|found| found.first);
        let (damage, added, end) = (reader.damage, reader.added, reader.end);
        Ok(Survey { magic: magic == *MAGIC, bytes, chunks, messages: total, damage, added, end })
    }

    /// Returns a description of the damage. `None` without damage. The end may be missing if the file is being
    /// written (`open`).
    pub fn damage(&self, open: bool) -> Option<String> {
        let ended = open || self.end != End::Open;
        self.damage.words().or_else(|| (!ended).then(|| MISSING_END.into()))
    }

    /// Writes the messages and the added records of the scanned file `source` to a new record.
    ///
    /// # Errors
    /// If the file cannot be read, or the new record cannot be written.
    pub fn write(&self, source: impl Source, to: impl Write + Seek) -> io::Result<Proof> {
        let mut reader = Reader::new(&source)?;
        let options = match reader.header()?.filter(|_| self.magic) {
            Some((profile, library)) => options().profile(profile).library(library),
            None => options(),
        };
        let mut writer = options.create(to).map_err(plain)?;
        for (from, to) in &self.added {
            let mut bytes = vec![0; (to - from) as usize];
            source.read_at(*from, &mut bytes)?;
            copy_added(&mut writer, &bytes).map_err(plain)?;
        }
        let mut proof = Proof::default();
        for found in &self.chunks {
            let records = reader.again(found.from)?;
            let mut ids = BTreeMap::new();
            for message in messages(&records) {
                let Some(channel) = known(&found.meanings, &message) else { continue };
                let channel_id = match ids.get(&message.channel) {
                    Some(id) => *id,
                    None => *ids.entry(message.channel).or_insert(add(&mut writer, channel).map_err(plain)?),
                };
                let Message { sequence, log_time, publish_time, data, .. } = message;
                let header = mcap::records::MessageHeader { channel_id, sequence, log_time, publish_time };
                writer.write_to_known_channel(&header, data).map_err(plain)?;
                proof.add(&channel.topic, &message);
            }
            // Each chunk of the original becomes one chunk of the new record, so that later damage affects only one
            // chunk.
            writer.flush().map_err(plain)?;
        }
        writer.finish().map_err(plain)?;
        writer.into_inner().flush()?;
        Ok(proof)
    }
}

/// Copies a record that users or other programs added.
fn copy_added<W: Write + Seek>(writer: &mut mcap::Writer<W>, record: &[u8]) -> mcap::McapResult<()> {
    let Some((kind, body)) = Fields(record).record() else { return Ok(()) };
    match kind {
        kind::METADATA => foreign::metadata(body).map_or(Ok(()), |metadata| writer.write_metadata(&metadata)),
        kind::ATTACHMENT => foreign::attachment(body).map_or(Ok(()), |attachment| writer.attach(&attachment)),
        _ => writer.write_private_record(kind, body, Default::default()),
    }
}

fn known<'a>(meanings: &'a ChannelMap, message: &Message) -> Option<&'a Arc<Channel>> {
    meanings.get(&message.channel)?.as_ref()
}

/// Adds a channel to the new record and returns its number.
fn add<W: Write + Seek>(writer: &mut mcap::Writer<W>, channel: &Channel) -> mcap::McapResult<u16> {
    let schema = match &channel.schema {
        Some((name, encoding, data)) => writer.add_schema(name, encoding, data)?,
        None => 0,
    };
    writer.add_channel(schema, &channel.topic, &channel.encoding, &channel.metadata)
}

/// Copies the messages of all valid chunks to a new record. Returns their number and checksum, and the damage of the
/// original.
///
/// # Errors
/// If the original cannot be read, or the new record cannot be written.
pub fn copy(from: impl Source, to: impl Write + Seek) -> io::Result<(Proof, Option<String>)> {
    let survey = Survey::scan(&from)?;
    Ok((survey.write(&from, to)?, survey.damage(true)))
}
