//! Conversion of a run to Foxglove's schemas: arena, robots and frisbee for the 3D panel, and lines for the log
//! panel.
//!
//! [`Scene`] converts recorded entries to messages. The live view of the hub's service and exported files use the
//! same conversion, so that both show the same scene. Viewers recognise a schema by its name and accept JSON.

mod export;
mod floor;
pub mod image;
mod labels;
mod messages;
mod paint;
mod scene;
mod viewable;

pub use export::{Exported, export};
pub use scene::Scene;

use messages::{FrameTransforms, Log, SceneUpdate};
use schemars::JsonSchema;
use serde_json::Value;
use std::sync::LazyLock;
use xpuck_hub_core::entry::TOPICS;

/// Topic of static objects such as walls and goal.
pub const ARENA: &str = "/foxglove/arena";
/// Topic of the shapes of robots and discs, each in its own frame.
pub const BODIES: &str = "/foxglove/bodies";
/// Topic of the poses of all body frames relative to the arena.
pub const TRANSFORMS: &str = "/foxglove/transforms";
/// Topic of run events and log lines of robots.
pub const LOG: &str = "/foxglove/log";
/// Name of the frame of motion capture. Its origin is the arena's centre, x points along the arena's length, and z
/// points up.
pub const FRAME: &str = "arena";

/// Topic with a schema that viewers know.
pub struct Channel {
    /// Name of the topic.
    pub topic: &'static str,
    /// Name of the schema.
    pub schema_name: &'static str,
    /// Schema in JSON.
    pub schema: String,
    /// Whether the latest message is complete without earlier ones. It is then sent first to new viewers.
    pub latched: bool,
}

/// Message for a topic with a schema that viewers know.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Name of the topic.
    pub topic: &'static str,
    /// Contents in JSON.
    pub data: Vec<u8>,
}

/// Returns the topics with schemas that viewers know.
pub fn channels() -> &'static [Channel; 4] {
    static CHANNELS: LazyLock<[Channel; 4]> = LazyLock::new(|| {
        [
            channel::<SceneUpdate>(ARENA, "foxglove.SceneUpdate", true),
            channel::<SceneUpdate>(BODIES, "foxglove.SceneUpdate", true),
            channel::<FrameTransforms>(TRANSFORMS, "foxglove.FrameTransforms", true),
            channel::<Log>(LOG, "foxglove.Log", false),
        ]
    });
    &CHANNELS
}

fn channel<T: JsonSchema>(topic: &'static str, schema_name: &'static str, latched: bool) -> Channel {
    let mut schema = viewable::viewable(&xpuck_wire::schema::json_schema::<T>().to_value());
    schema["title"] = Value::from(schema_name);
    Channel { topic, schema_name, schema: schema.to_string(), latched }
}

/// Returns the JSON schema of a topic in the form for viewers. `None` unless the topic is in [`channels`] or belongs
/// to a record.
pub fn schema_of(topic: &str) -> Option<&'static str> {
    static OWN: LazyLock<Vec<String>> = LazyLock::new(|| {
        let schema = |topic: &&str| serde_json::from_str(crate::schema::for_topic(topic)).unwrap_or_default();
        TOPICS.iter().map(|topic| viewable::viewable(&schema(topic)).to_string()).collect()
    });
    let own = TOPICS.iter().position(|own| *own == topic).map(|place| OWN[place].as_str());
    own.or_else(|| channels().iter().find(|channel| channel.topic == topic).map(|channel| channel.schema.as_str()))
}
