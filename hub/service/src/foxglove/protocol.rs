//! Foxglove's WebSocket protocol, as far as a server needs it that only shows: words as JSON in text frames, data in binary
//! ones. Pure; connections are `serve`'s.

use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use xpuck_hub_core::entry::TOPICS;
use xpuck_record::foxglove::{channels, schema_of};

/// Dialects that differ in nothing that is said here; viewers that know both get the first.
pub const SUBPROTOCOLS: [&str; 2] = ["foxglove.sdk.v1", "foxglove.websocket.v1"];
/// Channels: those with Foxglove's own schemas, and those of the record.
pub const CHANNELS: usize = 4 + TOPICS.len();
/// Most subscriptions of a viewer.
pub const SUBSCRIPTIONS: usize = 4 * CHANNELS;
/// The first byte of data.
const MESSAGE_DATA: u8 = 1;

/// Topics by their place; a channel's id is its place and one.
static NAMES: LazyLock<[&'static str; CHANNELS]> = LazyLock::new(|| {
    std::array::from_fn(|i| channels().get(i).map_or_else(|| TOPICS[i - channels().len()], |c| c.topic))
});

/// A topic's place among the channels.
pub fn index(topic: &str) -> Option<usize> {
    NAMES.iter().position(|name| *name == topic)
}

/// What a viewer is told first.
pub fn server_info(session: &str) -> String {
    let name = concat!("xpuck ", env!("CARGO_PKG_VERSION"));
    json!({ "op": "serverInfo", "name": name, "capabilities": [], "sessionId": session }).to_string()
}

/// All channels. They never change.
pub fn advertise() -> String {
    let channel = |(i, topic): (usize, &&'static str)| {
        let known = channels().get(i).map_or(&topic[1..], |channel| channel.schema_name);
        json!({
            "id": i + 1, "topic": topic, "encoding": "json", "schemaName": known,
            "schemaEncoding": "jsonschema", "schema": schema_of(topic).unwrap_or_default(),
        })
    };
    json!({ "op": "advertise", "channels": NAMES.iter().enumerate().map(channel).collect::<Vec<Value>>() }).to_string()
}

/// A warning.
pub fn warning(text: &str) -> String {
    json!({ "op": "status", "level": 1, "message": text }).to_string()
}

/// Data of a channel for one subscription; `stamp` is in ns.
pub fn data(subscription: u32, stamp: u64, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(13 + payload.len());
    bytes.push(MESSAGE_DATA);
    bytes.extend_from_slice(&subscription.to_le_bytes());
    bytes.extend_from_slice(&stamp.to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// What a viewer asks for.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
pub enum Asked {
    /// From now on it gets these.
    Subscribe {
        /// Each under a number of its own.
        subscriptions: Vec<Subscription>,
    },
    /// It no longer gets these.
    #[serde(rename_all = "camelCase")]
    Unsubscribe {
        /// Their numbers.
        subscription_ids: Vec<u32>,
    },
}

/// One channel under a viewer's own number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// The number.
    pub id: u32,
    /// The channel.
    pub channel_id: usize,
}

/// Reads what a viewer said.
///
/// # Errors
/// A sentence for the viewer: it is no JSON, or asks for what is not served.
pub fn read(text: &str) -> Result<Asked, String> {
    serde_json::from_str(text).map_err(|_| {
        let op = serde_json::from_str::<Value>(text).ok().and_then(|said| Some(said["op"].as_str()?.to_string()));
        match op {
            // Quoted and cut: it is told to nobody but the one who said it.
            Some(op) => format!(
                "{:?} is not served: this is a view, and nothing here can be changed",
                op.chars().take(40).collect::<String>()
            ),
            None => "what was said is no JSON object with an `op`".into(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_viewers_say_is_read_and_what_changes_something_is_refused() {
        let asked = read(r#"{"op":"subscribe","subscriptions":[{"id":7,"channelId":3}]}"#);
        assert_eq!(asked, Ok(Asked::Subscribe { subscriptions: vec![Subscription { id: 7, channel_id: 3 }] }));
        assert_eq!(
            read(r#"{"op":"unsubscribe","subscriptionIds":[7]}"#),
            Ok(Asked::Unsubscribe { subscription_ids: vec![7] })
        );
        assert!(read(r#"{"op":"advertise","channels":[]}"#).unwrap_err().contains("\"advertise\" is not served"));
        for junk in ["", "[1]", "{", r#"{"op":3}"#, r#"{"op":"subscribe","subscriptions":[{"id":-1}]}"#] {
            assert!(read(junk).is_err(), "{junk}");
        }
        let deep = "[".repeat(100_000);
        assert!(read(&deep).is_err());
    }

    #[test]
    fn data_are_a_byte_two_numbers_and_the_message() {
        let bytes = data(0x0102_0304, 5, b"{}");
        assert_eq!(bytes, [1, 4, 3, 2, 1, 5, 0, 0, 0, 0, 0, 0, 0, b'{', b'}']);
    }

    #[test]
    fn every_channel_is_advertised_with_its_schema() {
        let told: Value = serde_json::from_str(&advertise()).unwrap();
        let channels = told["channels"].as_array().unwrap();
        assert_eq!(channels.len(), CHANNELS);
        for (i, channel) in channels.iter().enumerate() {
            let schema: Value = serde_json::from_str(channel["schema"].as_str().unwrap()).unwrap();
            assert_eq!((&schema["title"], &channel["id"]), (&channel["schemaName"], &(i + 1).into()));
            assert_eq!(index(channel["topic"].as_str().unwrap()), Some(i));
        }
        assert_eq!(channels[0]["schemaName"], "foxglove.SceneUpdate");
    }
}
