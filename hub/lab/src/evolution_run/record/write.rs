//! Writes generations as chunks of an MCAP file.

use super::data::Generation;
use mcap::records::MessageHeader;
use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::LazyLock;

/// Format number of the records that this program reads and writes.
pub(super) const FORMAT: &str = "2";
/// First part of the profile in the MCAP header; the format number follows.
pub(super) const PROFILE: &str = "xpuck-evolution/";
/// Topic of all messages of a record.
const TOPIC: &str = "/generation";
/// Compression level, which is the default of zstd. With the thesis's budget, compression takes a few milliseconds per
/// generation.
const LEVEL: u32 = 3;
/// Maximum size of a chunk, compressed or not (bytes).
pub(super) const MAX_CHUNK: usize = 1 << 30;
/// Length of a file's end section: the MCAP records "data end" and "footer", and the final magic bytes (bytes).
pub(super) const END: usize = 9 + 4 + 9 + 20 + 8;

/// JSON Schema of a message.
static SCHEMA: LazyLock<String> =
    LazyLock::new(|| xpuck_wire::schema::json_schema::<Generation>().to_value().to_string());

/// Returns a complete MCAP file. The file contains `message`, if there is one: the number of a generation and its JSON.
fn file(message: Option<(u32, &[u8])>) -> mcap::McapResult<Vec<u8>> {
    let options = mcap::WriteOptions::new()
        .profile(format!("{PROFILE}{FORMAT}"))
        .library(concat!("xpuck ", env!("CARGO_PKG_VERSION")))
        .chunk_size(None)
        .compression_level(LEVEL)
        .compression_threads(0)
        // The file has no indexes and offsets, because they would have to be rewritten with every generation.
        .emit_summary_records(false)
        .emit_summary_offsets(false)
        .emit_message_indexes(false)
        .calculate_data_section_crc(false);
    let mut writer = options.create(Cursor::new(Vec::new()))?;
    if let Some((generation, data)) = message {
        let schema = writer.add_schema(&TOPIC[1..], "jsonschema", SCHEMA.as_bytes())?;
        let channel_id = writer.add_channel(schema, TOPIC, "json", &BTreeMap::new())?;
        // A run has no clock, so the number of the generation serves as the time in seconds.
        let time = u64::from(generation) * 1_000_000_000;
        let header = MessageHeader { channel_id, sequence: generation, log_time: time, publish_time: time };
        writer.write_to_known_channel(&header, data)?;
    }
    writer.finish()?;
    Ok(writer.into_inner().into_inner())
}

/// Returns the start section and the end section of a file without generations.
fn empty() -> (Vec<u8>, Vec<u8>) {
    let mut start = file(None).expect("plain data in memory");
    let end = start.split_off(start.len() - END);
    (start, end)
}

/// Returns the start section of a record, which is the same for all records.
pub fn header() -> Vec<u8> {
    empty().0
}

/// Returns the end section of a record, which is the same for all records.
pub fn end() -> Vec<u8> {
    empty().1
}

/// Returns a generation as a chunk, to be appended after a record's last chunk.
///
/// # Errors
/// The generation is larger than 1 GiB, the limit of the reader.
pub fn chunk(generation: &Generation) -> Result<Vec<u8>, String> {
    let plain = serde_json::to_vec(generation).expect("plain data in memory");
    // The chunk also contains the channel and its schema, for which 16 KiB are reserved.
    if plain.len() > MAX_CHUNK - (16 << 10) {
        return Err(format!(
            "a generation has {} bytes; at most {MAX_CHUNK} can be recorded; reduce the population",
            plain.len()
        ));
    }
    let mut bytes = file(Some((generation.generation, &plain))).expect("plain data in memory");
    bytes.truncate(bytes.len() - END);
    Ok(bytes.split_off(header().len()))
}
