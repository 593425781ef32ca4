//! Foxglove's WebSocket protocol, limited to a server whose clients only read. Control messages are JSON in text
//! frames; data messages are binary frames. This module only creates and parses messages; `serve` handles the
//! connections.

use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use xpuck_hub_core::entry::TOPICS;
use xpuck_record::foxglove::{channels, schema_of};

/// Names of the supported subprotocols. The messages in this module are identical in both of them. A viewer that
/// supports both uses the first one.
pub const SUBPROTOCOLS: [&str; 2] = ["foxglove.sdk.v1", "foxglove.websocket.v1"];
/// Number of channels: four with Foxglove's own schemas, and one for each topic of the record.
pub const CHANNELS: usize = 4 + TOPICS.len();
/// Maximum number of subscriptions per viewer.
pub const SUBSCRIPTIONS: usize = 4 * CHANNELS;
/// First byte of a data message.
const MESSAGE_DATA: u8 = 1;

/// Topics in the order of their channels' indices. The id of a channel is its index plus 1.
static NAMES: LazyLock<[&'static str; CHANNELS]> = LazyLock::new(|| {
    std::array::from_fn(|i| channels().get(i).map_or_else(|| TOPICS[i - channels().len()], |c| c.topic))
});

/// Returns the index of a topic's channel; `None` for an unknown topic.
pub fn index(topic: &str) -> Option<usize> {
    NAMES.iter().position(|name| *name == topic)
}

/// Returns the first message that a viewer receives, with the name of the server. `session` identifies the hub.
pub fn server_info(session: &str) -> String {
    let name = concat!("xpuck ", env!("CARGO_PKG_VERSION"));
    json!({ "op": "serverInfo", "name": name, "capabilities": [], "sessionId": session }).to_string()
}

/// Returns the message that announces all channels. The channels never change.
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

/// Returns a message that shows a warning to a viewer.
pub fn warning(text: &str) -> String {
    json!({ "op": "status", "level": 1, "message": text }).to_string()
}

/// Returns a data message for one subscription. `stamp` is the time of the data (ns since 1970).
pub fn data(subscription: u32, stamp: u64, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(13 + payload.len());
    bytes.push(MESSAGE_DATA);
    bytes.extend_from_slice(&subscription.to_le_bytes());
    bytes.extend_from_slice(&stamp.to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Request of a viewer.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
pub enum ClientRequest {
    /// Request to add subscriptions.
    Subscribe {
        /// Subscriptions to add, each with its own id.
        subscriptions: Vec<Subscription>,
    },
    /// Request to remove subscriptions.
    #[serde(rename_all = "camelCase")]
    Unsubscribe {
        /// Ids of the subscriptions to remove.
        subscription_ids: Vec<u32>,
    },
}

/// Subscription to one channel, with an id chosen by the viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// Id of the subscription, chosen by the viewer.
    pub id: u32,
    /// Id of the channel: its index plus 1.
    pub channel_id: usize,
}

/// Parses a viewer's request.
///
/// # Errors
/// If the text is not valid JSON, or the request is not supported. The error is a sentence for the viewer.
pub fn read(text: &str) -> Result<ClientRequest, String> {
    serde_json::from_str(text).map_err(|_| {
        let op = serde_json::from_str::<Value>(text).ok().and_then(|said| Some(said["op"].as_str()?.to_string()));
        match op {
            // The name comes from the viewer, so it is quoted and truncated. The text is sent only to this viewer.
            Some(op) => format!(
                "operation {:?} is not supported by this read-only server",
                op.chars().take(40).collect::<String>()
            ),
            None => "message is not a JSON object with an `op` field".into(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewer_messages_are_parsed_and_modifying_ones_rejected() {
        let asked = read(r#"{"op":"subscribe","subscriptions":[{"id":7,"channelId":3}]}"#);
        assert_eq!(asked, Ok(ClientRequest::Subscribe { subscriptions: vec![Subscription { id: 7, channel_id: 3 }] }));
        assert_eq!(
            read(r#"{"op":"unsubscribe","subscriptionIds":[7]}"#),
            Ok(ClientRequest::Unsubscribe { subscription_ids: vec![7] })
        );
        assert!(read(r#"{"op":"advertise","channels":[]}"#).unwrap_err().contains("\"advertise\" is not supported"));
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
    fn every_channel_is_advertised_with_schema() {
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
