//! A run as Foxglove's own schemas have it: the arena, robots and frisbee for its 3D panel, and lines for its log panel.
//!
//! [`Scene`] makes the messages of what the hub records, for the live view of the hub's service and for
//! files alike, so that both show the same. Viewers know a schema by its name and take JSON.

mod export;
pub mod image;
mod messages;
mod scene;
mod viewable;

pub use export::{Exported, export};
pub use scene::Scene;

use messages::{FrameTransforms, Log, SceneUpdate};
use schemars::JsonSchema;
use serde_json::Value;
use std::sync::LazyLock;
use xpuck_hub_core::entry::TOPICS;

/// Walls, goal and whatever else stands still.
pub const ARENA: &str = "/foxglove/arena";
/// What robots and discs look like, each in a frame of its own.
pub const BODIES: &str = "/foxglove/bodies";
/// Where these frames are in that of the arena.
pub const TRANSFORMS: &str = "/foxglove/transforms";
/// Events of the run and lines of the robots' logs.
pub const LOG: &str = "/foxglove/log";
/// The frame of motion capture: the arena's centre, x along its length, z up.
pub const FRAME: &str = "arena";

/// A topic whose schema viewers know.
pub struct Channel {
    /// The topic.
    pub topic: &'static str,
    /// The schema's name.
    pub schema_name: &'static str,
    /// The schema, JSON.
    pub schema: String,
    /// Only the newest message counts, which says all there is: whoever comes later is told it first.
    pub latched: bool,
}

/// A message for one of these topics.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The topic.
    pub topic: &'static str,
    /// Its JSON.
    pub data: Vec<u8>,
}

/// The topics with schemas that viewers know.
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
    let mut schema = viewable::viewable(&xpuck_wire::schema::of_json::<T>().to_value());
    schema["title"] = Value::from(schema_name);
    Channel { topic, schema_name, schema: schema.to_string(), latched }
}

/// The schema of a topic as viewers take it, JSON: of those above, and of a record's own; none for a topic that is neither.
pub fn schema_of(topic: &str) -> Option<&'static str> {
    static OWN: LazyLock<Vec<String>> = LazyLock::new(|| {
        let schema = |topic: &&str| serde_json::from_str(crate::schema::of(topic)).unwrap_or_default();
        TOPICS.iter().map(|topic| viewable::viewable(&schema(topic)).to_string()).collect()
    });
    let own = TOPICS.iter().position(|own| *own == topic).map(|place| OWN[place].as_str());
    own.or_else(|| channels().iter().find(|channel| channel.topic == topic).map(|channel| channel.schema.as_str()))
}
