//! What goes out on the stream, and how often: JSON objects whose names say themselves what they are, because older
//! versions of PlotJuggler do not show the topic.

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

/// Most messages of a topic in a second of wall time.
pub const MAX_RATE: f64 = 25.0;

/// One topic.
#[derive(Clone, Copy, Debug, Default)]
struct Topic {
    /// Messages so far.
    sequence: u64,
    rate: Rate,
}

/// Decides what goes out. Topics are bounded by the swarm file: there are one for each robot, and two more.
#[derive(Debug, Default)]
struct Pace {
    topics: BTreeMap<String, Topic>,
    sent: u64,
    left_out: u64,
}

impl Pace {
    /// The message's number on its topic, or `None` if the last one went too short a time ago.
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

/// What was streamed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages.
    pub sent: u64,
    /// Messages that were left out because they came faster than [`MAX_RATE`].
    pub left_out: u64,
    /// Connections that were closed because there were too many, or because one said too much.
    pub turned_away: u64,
    /// Who watches now.
    pub watchers: usize,
    /// Topics that watchers ask for now.
    pub subscriptions: usize,
}

/// The stream.
pub struct Streamer {
    socket: Stream,
    relay: Relay,
    pace: Pace,
    subscriptions: usize,
}

impl Streamer {
    /// Listens at an endpoint such as `tcp://*:7605`; `plain` lets everybody watch.
    ///
    /// # Errors
    /// If the port is in use, or the endpoint is none.
    pub fn listen(endpoint: &str, sockets: &Sockets, plain: bool, bounds: Bounds) -> io::Result<Streamer> {
        let socket = sockets.stream(relay::INSIDE, plain).map_err(io::Error::other)?;
        let greeting = Greeting::of(sockets, plain)?;
        let relay = Relay::start("stream", endpoint, &socket.endpoint(), greeting, bounds)?;
        Ok(Streamer { socket, relay, pace: Pace::default(), subscriptions: 0 })
    }

    /// What was streamed so far.
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

    /// A robot's telemetry, as topic `telemetry/<id>`. `wall` is s since the hub started, `time` is arena time.
    pub fn telemetry(&mut self, wall: f64, time: f64, robot: &str, telemetry: &Telemetry) {
        self.send(wall, &format!("telemetry/{robot}"), time, || json!({ "telemetry": { robot: telemetry } }));
    }

    /// Where motion capture sees everybody, as topic `poses`.
    pub fn poses(&mut self, wall: f64, time: f64, bodies: &[Body]) {
        self.send(wall, "poses", time, || {
            let pose = |b: &Body| json!({ "x": b.pose[0], "y": b.pose[1], "heading": b.pose[2] });
            let poses: serde_json::Map<String, Value> = bodies.iter().map(|b| (b.name.clone(), pose(b))).collect();
            json!({ "poses": poses })
        });
    }

    /// How the run stands, as topic `status`.
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

    /// Sends one object, with the wall clock, arena time and the message's number on its topic added.
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
    fn a_topic_never_goes_faster_than_its_rate_and_numbers_have_no_gap() {
        let mut pace = Pace::default();
        // A demo at tenfold speed: telemetry 100 times a second.
        let sent: Vec<u64> = (0..1000).filter_map(|i| pace.next("a", f64::from(i) / 100.0)).collect();
        assert_eq!(sent, (1..=sent.len() as u64).collect::<Vec<_>>());
        assert!((245..=255).contains(&sent.len()), "{}", sent.len());
        assert_eq!(pace.sent + pace.left_out, 1000);
        assert_eq!(pace.next("b", 0.0), Some(1));
    }
}

#[cfg(test)]
mod tests;
