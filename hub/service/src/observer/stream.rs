//! Contents and rate of the stream. The keys of the JSON objects name the kind of data and the robot, because older
//! versions of PlotJuggler do not show the topic of a message.

use crate::admission::relay::{self, Relay};
use crate::admission::{Bounds, Greeting};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};
use xpuck_hub_core::rate::Rate;
use xpuck_wire::socket::Sockets;
use xpuck_wire::stream::Stream;
use xpuck_wire::telemetry::Telemetry;
use xpuck_wire::{Body, Status};

/// Maximum message rate of a topic (Hz of wall time).
pub const MAX_RATE: f64 = 25.0;

/// State of a topic.
#[derive(Clone, Copy, Debug, Default)]
struct Topic {
    /// Number of messages so far.
    sequence: u64,
    rate: Rate,
}

/// Rate limits of the topics. The topics are bounded in number: one for each robot in the swarm file, `poses` and
/// `status`.
#[derive(Debug, Default)]
struct Pace {
    topics: BTreeMap<String, Topic>,
    sent: u64,
    left_out: u64,
}

impl Pace {
    /// Returns the sequence number of the next message on `topic`. Returns `None` if the interval since the last
    /// message on this topic is too short.
    fn next(&mut self, topic: &str, wall: f64) -> Option<u64> {
        if !self.topics.contains_key(topic) {
            self.topics.insert(topic.into(), Topic::default());
        }
        let entry = self.topics.get_mut(topic)?;
        if !entry.rate.allows(wall, MAX_RATE) {
            self.left_out += 1;
            return None;
        }
        entry.sequence += 1;
        self.sent += 1;
        Some(entry.sequence)
    }
}

/// Counters of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of sent messages.
    pub sent: u64,
    /// Number of messages omitted because their topic had reached [`MAX_RATE`].
    pub left_out: u64,
    /// Number of connections closed because too many were open, or because a watcher sent too much data.
    pub turned_away: u64,
    /// Number of connected watchers.
    pub watchers: usize,
    /// Number of current subscriptions.
    pub subscriptions: usize,
}

/// Publisher of the stream, to which watchers such as PlotJuggler subscribe.
pub struct Streamer {
    socket: Stream,
    relay: Relay,
    pace: Pace,
    subscriptions: usize,
}

impl Streamer {
    /// Listens at an endpoint such as `tcp://*:7605`. If `plain` is true, watchers without keys are admitted.
    ///
    /// # Errors
    /// The port is in use, or the endpoint is invalid.
    pub fn listen(endpoint: &str, sockets: &Sockets, plain: bool, bounds: Bounds) -> io::Result<Streamer> {
        let socket = sockets.stream(relay::INSIDE, plain).map_err(io::Error::other)?;
        let greeting = Greeting::from_sockets(sockets, plain)?;
        let relay = Relay::start("stream", endpoint, &socket.endpoint(), greeting, bounds)?;
        Ok(Streamer { socket, relay, pace: Pace::default(), subscriptions: 0 })
    }

    /// Returns the counters since the start.
    pub fn counts(&self) -> Counts {
        let connections = self.relay.counts();
        Counts {
            sent: self.pace.sent,
            left_out: self.pace.left_out,
            turned_away: connections.evicted,
            watchers: connections.established,
            subscriptions: self.subscriptions,
        }
    }

    /// Sends a robot's telemetry on the topic `telemetry/<id>`. `wall` is the time since the start of the hub (s of
    /// wall time), and `time` is the arena time (s).
    pub fn telemetry(&mut self, wall: f64, time: f64, robot: &str, telemetry: &Telemetry) {
        self.send(wall, &format!("telemetry/{robot}"), time, || json!({ "telemetry": { robot: telemetry } }));
    }

    /// Sends the poses of all tracked bodies on topic `poses`.
    pub fn poses(&mut self, wall: f64, time: f64, bodies: &[Body]) {
        self.send(wall, "poses", time, || {
            let pose = |b: &Body| json!({ "x": b.pose[0], "y": b.pose[1], "heading": b.pose[2] });
            let poses: serde_json::Map<String, Value> = bodies.iter().map(|b| (b.name.clone(), pose(b))).collect();
            json!({ "poses": poses })
        });
    }

    /// Sends the status of the run on topic `status`.
    pub fn status(&mut self, wall: f64, status: &Status) {
        self.subscriptions = self.socket.subscriptions();
        self.send(wall, "status", status.time, || {
            json!({ "status": {
                "phase": status.phase,
                "phase_number": status.phase as u8,
                "run_seconds": status.run_seconds,
                "segment": status.segment,
                "fitness": status.segments.last().map_or(0.0, |s| s.fitness),
                "evolved": status.evolved,
                "round_trip_ms": status.round_trip_ms,
                "slow_round_trips": status.slow_round_trips,
                "alive": status.robots.iter().filter(|r| r.alive).count(),
                "dead": status.dead,
                "tracking": u8::from(status.tracking),
            } })
        });
    }

    /// Sends an object on its topic, with wall time, arena time and message number. Does nothing if no watcher has
    /// subscribed to the topic, or if the previous message is too recent.
    fn send(&mut self, wall: f64, topic: &str, time: f64, object: impl FnOnce() -> Value) {
        if !self.socket.wants(topic) {
            return;
        }
        let Some(sequence) = self.pace.next(topic, wall) else { return };
        let mut object = object();
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64());
        object["timestamp"] = unix.into();
        object["arena_time"] = time.into();
        object["sequence"] = sequence.into();
        self.socket.publish(topic, &object.to_string());
    }
}

#[cfg(test)]
mod pace_tests {
    use super::*;

    #[test]
    fn topic_rate_is_limited_and_numbers_have_no_gap() {
        let mut pace = Pace::default();
        // A demo at tenfold speed sends telemetry 100 times per second.
        let sent: Vec<u64> = (0..1000).filter_map(|i| pace.next("a", f64::from(i) / 100.0)).collect();
        assert_eq!(sent, (1..=sent.len() as u64).collect::<Vec<_>>());
        assert!((245..=255).contains(&sent.len()), "{}", sent.len());
        assert_eq!(pace.sent + pace.left_out, 1000);
        assert_eq!(pace.next("b", 0.0), Some(1));
    }
}

#[cfg(test)]
mod tests;
