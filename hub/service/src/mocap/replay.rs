//! Replay of a recorded run as a pose source.

use super::error::MocapError;
use super::source::PoseSource;
use super::stream::POLL_TIMEOUT;
use serde::Deserialize;
use std::time::{Duration, Instant};
use xpuck_hub_core::config::Mocap;
use xpuck_hub_core::mocap::{RawBody, RawFrame};
use xpuck_kernels::math::sin_cos;
use xpuck_wire::Body;

/// Maximum size of a record (bytes).
const MAX_BYTES: u64 = 2 << 30;

/// Time added between two rounds of a repeated record, on the clock of the frames (s). Robots jump back to their
/// first poses; after this pause the pose filter accepts the jump.
const BETWEEN_ROUNDS: f64 = 60.0;

/// Message on the record's topic `/poses`.
#[derive(Debug, Deserialize)]
struct Poses {
    time: f64,
    bodies: Vec<Body>,
}

/// Replay of the recorded frames at their recorded times.
#[derive(Debug)]
pub(super) struct Replay {
    poses: Vec<Poses>,
    next: usize,
    began: Instant,
    speed: f64,
    again: bool,
    /// Number of finished rounds of a repeated record.
    round: u32,
}

impl Replay {
    /// Reads the poses of the record configured in the hub's file. An incomplete record is read as far as it is
    /// valid.
    pub fn open(mocap: &Mocap) -> Result<Replay, MocapError> {
        Replay::read(mocap).map_err(MocapError::Record)
    }

    fn read(mocap: &Mocap) -> Result<Replay, String> {
        let file = mocap.file.as_ref().ok_or("mocap.file is missing")?;
        let name = file.display();
        let bytes = xpuck_wire::file::bytes(file, MAX_BYTES).map_err(|e| format!("{name}: {e}"))?;
        let messages = mcap::MessageStream::new_with_options(&bytes, mcap::read::Options::IgnoreEndMagic.into())
            .map_err(|e| format!("{name}: {e}"))?;
        let mut poses: Vec<Poses> = Vec::new();
        for message in messages.map_while(Result::ok).filter(|m| m.channel.topic == "/poses") {
            let one: Poses = serde_json::from_slice(&message.data).map_err(|e| format!("{name}: /poses: {e}"))?;
            // The hub writes records with strictly increasing times. Other times show that another program wrote the
            // record.
            if !one.time.is_finite() || poses.last().is_some_and(|last| one.time <= last.time) {
                return Err(format!("{name}: /poses: time {} does not increase", one.time));
            }
            poses.push(one);
        }
        if poses.is_empty() {
            return Err(format!("{name}: contains no poses"));
        }
        Ok(Replay { poses, next: 0, began: Instant::now(), speed: mocap.speed, again: mocap.repeat, round: 0 })
    }

    /// Returns the number of recorded frames.
    pub fn len(&self) -> usize {
        self.poses.len()
    }

    fn due(&self, i: usize) -> Duration {
        Duration::from_secs_f64((self.poses[i].time - self.poses[0].time) / self.speed)
    }
}

impl PoseSource for Replay {
    fn frames(&mut self) -> Result<Vec<RawFrame>, MocapError> {
        if self.next == self.poses.len() {
            if !self.again {
                std::thread::sleep(POLL_TIMEOUT);
                return Ok(Vec::new());
            }
            (self.next, self.began) = (0, Instant::now());
            self.round += 1;
        }
        let wait = self.due(self.next).saturating_sub(self.began.elapsed());
        std::thread::sleep(wait.min(POLL_TIMEOUT));
        if wait > POLL_TIMEOUT {
            return Ok(Vec::new());
        }
        let Poses { time, bodies } = &self.poses[self.next];
        let span = self.poses[self.poses.len() - 1].time - self.poses[0].time;
        let time_s = *time + f64::from(self.round) * (span + BETWEEN_ROUNDS);
        let number = self.round.wrapping_mul(self.poses.len() as u32).wrapping_add(self.next as u32 + 1);
        self.next += 1;
        let body = |b: &Body| {
            let [x, y, heading] = b.pose;
            let (s, c) = sin_cos(heading);
            let (s, c) = (f64::from(s), f64::from(c));
            RawBody {
                name: b.name.clone(),
                place: [x.into(), y.into(), 0.0],
                rotation: [c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0],
                quality: None,
                age_s: 0.0,
            }
        };
        Ok(vec![RawFrame { number, time_s, bodies: bodies.iter().map(body).collect() }])
    }
}
