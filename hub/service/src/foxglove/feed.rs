//! Converts entries of the record into messages of Foxglove channels. The feed is a plain state machine without input
//! or output.

use super::protocol::{CHANNELS, index};
use super::{Shared, ViewMessage};
use axum::body::Bytes;
use xpuck_hub_core::config::Arena;
use xpuck_hub_core::entry::Entry;
use xpuck_record::foxglove::{Message, Scene, channels};

use crate::console::Clock;

/// Data with which a live view starts.
pub struct Start {
    /// Ids of the robots in the swarm file.
    pub robots: Vec<String>,
    /// Dimensions of the arena.
    pub arena: Arena,
    /// Conversion from arena time to wall time. Viewers display wall time.
    pub clock: Clock,
}

/// Message of a channel, for all viewers that subscribe to it.
#[derive(Clone, Debug)]
pub struct Data {
    /// Index of the channel.
    pub channel: usize,
    /// Time of the message (ns since 1970).
    pub stamp: u64,
    /// Contents of the message, as JSON.
    pub payload: Bytes,
}

/// State from which messages for viewers are created.
pub struct Feed {
    scene: Scene,
    clock: Clock,
    /// Latest message of each latched channel; `None` for other channels.
    latched: [Option<Data>; CHANNELS],
}

impl Feed {
    /// Creates a feed with an empty world, as if no run is in progress.
    pub fn new(start: Start) -> Feed {
        let scene = Scene::new(&start.robots, start.arena);
        let mut feed = Feed { scene, clock: start.clock, latched: [const { None }; CHANNELS] };
        feed.on_message(ViewMessage::World(start.clock.time, None), &Shared::default());
        feed
    }

    /// Processes a message of the hub, and returns the messages for viewers. Messages in Foxglove's own schemas are
    /// always returned. An entry in its recorded form is only returned if a viewer subscribes to its topic.
    pub(super) fn on_message(&mut self, told: ViewMessage, shared: &Shared) -> Vec<Data> {
        let (time, entry) = match &told {
            ViewMessage::Entry(entry) => (entry.time(), Some(&**entry)),
            ViewMessage::World(time, _) | ViewMessage::Robots(time, _) => (*time, None),
        };
        let stamp = self.clock.unix_ns(time);
        let messages = match &told {
            ViewMessage::Entry(entry) => self.scene.on_entry(entry, stamp),
            ViewMessage::Robots(_, robots) => {
                self.scene.set_robots(robots);
                Vec::new()
            }
            ViewMessage::World(_, world) => vec![self.scene.world(world.as_deref(), stamp)],
        };
        let mut all: Vec<Data> = messages.into_iter().filter_map(|message| self.drawn(message, stamp)).collect();
        all.extend(entry.filter(|entry| shared.wants(entry.topic())).and_then(|entry| recorded(entry, stamp)));
        all
    }

    fn drawn(&mut self, message: Message, stamp: u64) -> Option<Data> {
        let channel = index(message.topic)?;
        let data = Data { channel, stamp, payload: message.data.into() };
        if channels().get(channel).is_some_and(|channel| channel.latched) {
            self.latched[channel] = Some(data.clone());
        }
        Some(data)
    }

    /// Returns the latest message of a latched channel, which new subscribers receive first. Returns `None` for other
    /// channels.
    pub fn newest(&self, channel: usize) -> Option<Data> {
        self.latched.get(channel)?.clone()
    }
}

/// Creates a message with an entry in its recorded form.
fn recorded(entry: &Entry, stamp: u64) -> Option<Data> {
    Some(Data { channel: index(entry.topic())?, stamp, payload: serde_json::to_vec(entry).ok()?.into() })
}
