//! What there is in a damaged record, written as a new one and proven by reading it back.

use super::between::End;
use super::channels::{Channel, Meanings};
use super::chunk::{Fields, MAGIC, MAX_CHUNK, Message, kind, messages};
use super::foreign;
use super::mcap_file::{options, plain};
use super::reader::{Chunk, Damage, Reader};
pub use super::scan::Source;
use mcap::sans_io::LinearReaderOptions;
use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Seek, Write};
use std::sync::Arc;

/// How many messages a record has and a checksum of all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// How many.
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

/// Reads a whole record with the library's own reader, which knows nothing of how it was made.
///
/// # Errors
/// It is not whole, or what the disk says.
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

/// A chunk that is whole.
pub(crate) struct Found {
    from: u64,
    /// Time and number of its first message.
    first: (u64, u32),
    meanings: Meanings,
}

/// What is wrong with a closed file that simply stops.
pub(crate) const MISSING_END: &str = "its end is missing";

/// What there is in a file.
pub(crate) struct Survey {
    /// It begins as an MCAP file does.
    pub magic: bool,
    /// Its length.
    pub bytes: u64,
    /// The chunks that are whole, each once, in the order of time.
    pub chunks: Vec<Found>,
    /// Messages of channels that are known.
    pub messages: u64,
    damage: Damage,
    /// Records that others added: where each begins and ends.
    added: Vec<(u64, u64)>,
    /// How it ends.
    pub end: End,
}

impl Survey {
    /// Looks through a file.
    ///
    /// # Errors
    /// What the disk says.
    pub fn of(source: impl Source) -> io::Result<Survey> {
        let (mut magic, bytes) = ([0; MAGIC.len()], source.length()?);
        source.read_at(0, &mut magic)?;
        let mut reader = Reader::new(source)?;
        let (mut chunks, mut total) = (Vec::new(), 0);
        while let Some(Chunk { from, records, meanings }) = reader.next_chunk()? {
            total += messages(records).filter(|m| known(meanings, m).is_some()).count() as u64;
            let first = messages(records).next().map_or((0, 0), |m| (m.log_time, m.sequence));
            chunks.push(Found { from: *from, first, meanings: meanings.clone() });
        }
        // A piece of the file that was written to another place of it is put back into its place.
        chunks.sort_by_key(|found| found.first);
        let (damage, added, end) = (reader.damage, reader.added, reader.end);
        Ok(Survey { magic: magic == *MAGIC, bytes, chunks, messages: total, damage, added, end })
    }

    /// What is wrong. A file that is being written, `open`, need not have an end.
    pub fn damage(&self, open: bool) -> Option<String> {
        let ended = open || self.end != End::Open;
        self.damage.words().or_else(|| (!ended).then(|| MISSING_END.into()))
    }

    /// Writes the messages of the file that was surveyed as a new record.
    ///
    /// # Errors
    /// What is read or written says so.
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
            // As finely divided as it was: what is damaged later costs a chunk.
            writer.flush().map_err(plain)?;
        }
        writer.finish().map_err(plain)?;
        writer.into_inner().flush()?;
        Ok(proof)
    }
}

/// Writes a record that others added.
fn copy_added<W: Write + Seek>(writer: &mut mcap::Writer<W>, record: &[u8]) -> mcap::McapResult<()> {
    let Some((kind, body)) = Fields(record).record() else { return Ok(()) };
    match kind {
        kind::METADATA => foreign::metadata(body).map_or(Ok(()), |metadata| writer.write_metadata(&metadata)),
        kind::ATTACHMENT => foreign::attachment(body).map_or(Ok(()), |attachment| writer.attach(&attachment)),
        _ => writer.write_private_record(kind, body, Default::default()),
    }
}

fn known<'a>(meanings: &'a Meanings, message: &Message) -> Option<&'a Arc<Channel>> {
    meanings.get(&message.channel)?.as_ref()
}

/// Gives the number of a channel in the new record.
fn add<W: Write + Seek>(writer: &mut mcap::Writer<W>, channel: &Channel) -> mcap::McapResult<u16> {
    let schema = match &channel.schema {
        Some((name, encoding, data)) => writer.add_schema(name, encoding, data)?,
        None => 0,
    };
    writer.add_channel(schema, &channel.topic, &channel.encoding, &channel.metadata)
}

/// Writes the messages of all whole chunks of a record as a new one: what is in it, and what was wrong with the first.
///
/// # Errors
/// What is read or written says so.
pub fn copy(from: impl Source, to: impl Write + Seek) -> io::Result<(Proof, Option<String>)> {
    let survey = Survey::of(&from)?;
    Ok((survey.write(&from, to)?, survey.damage(true)))
}
