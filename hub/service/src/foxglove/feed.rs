//! Converts entries into messages of channels. A plain state machine.

use super::protocol::{CHANNELS, index};
use super::{Shared, ViewMessage};
use axum::body::Bytes;
use xpuck_hub_core::config::Arena;
use xpuck_hub_core::entry::Entry;
use xpuck_record::foxglove::{Message, Scene, channels};

use crate::console::Clock;

/// Initial state of a live view.
pub struct Start {
    /// Robots of the swarm file.
    pub robots: Vec<String>,
    /// Arena.
    pub arena: Arena,
    /// Conversion from arena time to wall time, because viewers display dates.
    pub clock: Clock,
}

/// Message for viewers.
#[derive(Clone, Debug)]
pub struct Data {
    /// Index of the channel.
    pub channel: usize,
    /// Time (ns since 1970).
    pub stamp: u64,
    /// JSON data.
    pub payload: Bytes,
}

/// State from which the messages are created.
pub struct Feed {
    scene: Scene,
    clock: Clock,
    /// Latest message of each latched channel.
    latched: [Option<Data>; CHANNELS],
}

impl Feed {
    /// Creates a feed without entries and without a run.
    pub fn new(start: Start) -> Feed {
        let scene = Scene::new(&start.robots, start.arena);
        let mut feed = Feed { scene, clock: start.clock, latched: [const { None }; CHANNELS] };
        feed.on_message(ViewMessage::World(start.clock.time, None), &Shared::default());
        feed
    }

    /// Messages for connected viewers; messages without a subscriber are omitted.
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

    /// Latest message of a latched channel, sent to new subscribers.
    pub fn newest(&self, channel: usize) -> Option<Data> {
        self.latched.get(channel)?.clone()
    }
}

/// Message with an entry in its recorded form.
fn recorded(entry: &Entry, stamp: u64) -> Option<Data> {
    Some(Data { channel: index(entry.topic())?, stamp, payload: serde_json::to_vec(entry).ok()?.into() })
}
