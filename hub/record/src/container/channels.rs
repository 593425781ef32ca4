//! Assigns channels to the channel numbers in a record. A channel is defined in the chunk itself, in an earlier chunk
//! or in the summary. Otherwise it is inferred from the contents of messages.

use super::chunk::{Fields, kind, messages};
use crate::schema;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use xpuck_hub_core::entry::TOPICS;

/// Channel with its schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Channel {
    pub topic: String,
    pub encoding: String,
    pub metadata: BTreeMap<String, String>,
    /// Name, encoding and data of the schema.
    pub schema: Option<(String, String, Vec<u8>)>,
}

impl Channel {
    /// Returns the channel of a topic as this program writes it.
    fn own(topic: &str) -> Channel {
        let schema = (topic[1..].into(), "jsonschema".into(), schema::for_topic(topic).into());
        Channel { topic: topic.into(), encoding: "json".into(), metadata: BTreeMap::new(), schema: Some(schema) }
    }
}

/// Channels of a chunk by number. `None` for an unknown channel.
pub(crate) type ChannelMap = BTreeMap<u16, Option<Arc<Channel>>>;

/// Channels that are known from the part of a file that has been read.
#[derive(Default)]
pub(crate) struct Channels {
    schemas: BTreeMap<u16, (String, String, Vec<u8>)>,
    known: BTreeMap<u16, Arc<Channel>>,
    own: BTreeMap<&'static str, Arc<Channel>>,
}

impl Channels {
    /// Stores the schemas and channels that are defined in `records`. Returns the numbers of these channels.
    pub fn learn(&mut self, records: &[u8]) -> BTreeSet<u16> {
        let mut told = BTreeSet::new();
        let mut fields = Fields(records);
        while let Some((kind, body)) = fields.record() {
            match kind {
                kind::SCHEMA => self.schema(body).unwrap_or_default(),
                kind::CHANNEL => told.extend(self.channel(body)),
                _ => {}
            }
        }
        told
    }

    fn schema(&mut self, body: &[u8]) -> Option<()> {
        let mut fields = Fields(body);
        let id = fields.u16()?;
        let (name, encoding) = (fields.text()?.into(), fields.text()?.into());
        self.schemas.insert(id, (name, encoding, fields.block()?.to_vec()));
        Some(())
    }

    fn channel(&mut self, body: &[u8]) -> Option<u16> {
        let mut fields = Fields(body);
        let (id, schema) = (fields.u16()?, fields.u16()?);
        let (topic, encoding) = (fields.text()?.into(), fields.text()?.into());
        let mut pairs = Fields(fields.block()?);
        let mut metadata = BTreeMap::new();
        while !pairs.0.is_empty() {
            metadata.insert(pairs.text()?.into(), pairs.text()?.into());
        }
        let schema = self.schemas.get(&schema).cloned();
        self.known.insert(id, Arc::new(Channel { topic, encoding, metadata, schema }));
        Some(id)
    }

    /// Returns the channels of the messages in a chunk. A definition in the chunk itself is always used. A definition
    /// from another chunk may be wrong, because a file may have been assembled from pieces. If it names a topic of this
    /// program, but the channel's first message clearly belongs to another such topic, the latter topic is used.
    pub fn of_chunk(&mut self, records: &[u8]) -> ChannelMap {
        let told = self.learn(records);
        let mut meanings = ChannelMap::new();
        for message in messages(records) {
            if meanings.contains_key(&message.channel) {
                continue;
            }
            let known = self.known.get(&message.channel).cloned();
            let believed = known
                .as_ref()
                .is_some_and(|channel| told.contains(&message.channel) || !TOPICS.contains(&channel.topic.as_str()));
            let meaning = if believed { known } else { topic_of(message.data).map(|topic| self.own(topic)).or(known) };
            meanings.insert(message.channel, meaning);
        }
        meanings
    }

    /// Returns the channel of a topic of this program, with the definition from the file if there is one.
    fn own(&mut self, topic: &'static str) -> Arc<Channel> {
        let told = self.known.values().find(|channel| channel.topic == topic);
        told.unwrap_or_else(|| self.own.entry(topic).or_insert_with(|| Arc::new(Channel::own(topic)))).clone()
    }
}

/// Returns the topic of this program whose messages have exactly the fields of this message. `None` if no topic or
/// several topics have these fields.
fn topic_of(data: &[u8]) -> Option<&'static str> {
    static FIELDS: LazyLock<[(&str, BTreeSet<String>); TOPICS.len()]> = LazyLock::new(|| {
        TOPICS.map(|topic| {
            let schema: serde_json::Value = serde_json::from_str(schema::for_topic(topic)).unwrap_or_default();
            (topic, schema["properties"].as_object().into_iter().flat_map(|p| p.keys().cloned()).collect())
        })
    });
    let message: BTreeMap<String, IgnoredAny> = serde_json::from_slice(data).ok()?;
    let mut fitting = FIELDS.iter().filter(|(_, fields)| message.keys().eq(fields));
    let (topic, _) = fitting.next()?;
    fitting.next().is_none().then_some(*topic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_hub_core::entry::Entry;

    /// Returns a message record.
    fn message(channel: u16, data: &[u8]) -> Vec<u8> {
        let body = [&channel.to_le_bytes()[..], &[0; 20], data].concat();
        record(kind::MESSAGE, &body)
    }

    fn record(kind: u8, body: &[u8]) -> Vec<u8> {
        [&[kind][..], &(body.len() as u64).to_le_bytes(), body].concat()
    }

    /// Returns a channel record without a schema.
    fn channel(id: u16, topic: &str) -> Vec<u8> {
        let text = |text: &str| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
        record(kind::CHANNEL, &[&id.to_le_bytes()[..], &[0; 2], &text(topic), &text("json"), &[0; 4]].concat())
    }

    #[test]
    fn each_topic_is_known_by_its_fields_and_by_nothing_less() {
        let event = serde_json::to_vec(&Entry::event(1.0, "x")).unwrap();
        let poses = serde_json::to_vec(&Entry::Poses { time: 1.0, bodies: vec![] }).unwrap();
        assert_eq!((topic_of(&event), topic_of(&poses)), (Some("/events"), Some("/poses")));
        for other in [&b"{\"time\":1.0}"[..], b"{\"time\":1.0,\"text\":\"x\",\"more\":1}", b"[1]", b"\x00\x01", b""] {
            assert_eq!(topic_of(other), None);
        }
    }

    #[test]
    fn channel_meaning_precedence_chunk_message_earlier() {
        let event = b"{\"time\":1.0,\"text\":\"x\",\"level\":\"info\",\"who\":\"\"}";
        let meaning = |channels: &mut Channels, records: &[u8]| {
            let meanings = channels.of_chunk(records);
            meanings[&1].as_ref().map(|channel| channel.topic.clone())
        };
        let mut channels = Channels::default();
        // Without a definition, the channel is inferred from the message if possible.
        assert_eq!(meaning(&mut channels, &message(1, event)).unwrap(), "/events");
        assert_eq!(meaning(&mut channels, &message(1, b"{}")), None);
        // The definition in the chunk itself is used, regardless of the message.
        let told = [channel(1, "/poses"), message(1, event)].concat();
        assert_eq!(meaning(&mut channels, &told).unwrap(), "/poses");
        // The definition from another chunk is used, unless the message clearly belongs to another topic of this
        // program.
        assert_eq!(meaning(&mut channels, &message(1, event)).unwrap(), "/events");
        assert_eq!(meaning(&mut channels, &message(1, b"{\"of\":\"an older version\"}")).unwrap(), "/poses");
        // Topics of other programs are not inferred from messages.
        channels.learn(&channel(1, "/camera"));
        assert_eq!(meaning(&mut channels, &message(1, event)).unwrap(), "/camera");
    }
}
