//! Client of Vicon DataStream (ViconCGStream, SDK 1.12), without I/O.
//!
//! The server first sends the list of offered objects. The client answers with the list of objects that it wants. It
//! then requests either all frames at once or one frame at a time. A hidden subject has no segment.

mod packet;

pub use packet::ViconError;

use super::error::MocapError;
use super::source::Codec;
use packet::{HEADER, MAGIC, Packet, Segment, id};
use std::collections::BTreeMap;
use std::time::Duration;
use xpuck_hub_core::config::ViconMode;
use xpuck_hub_core::mocap::{RawBody, RawFrame};

/// Ids of objects that are always requested (`WANTED`), and of objects that are requested if the server offers them
/// (`OPTIONAL`).
const WANTED: [u32; 3] = [id::STREAM_INFO, id::SUBJECT_INFO, id::FRAME_INFO];
const OPTIONAL: [u32; 2] = [id::LATENCY, id::QUALITY];
/// Frame rate assumed until the server reports it (Hz).
const HERTZ: f64 = 100.0;

/// Frame number that is stored before the first frame. The server never sends this number.
const NO_FRAME: u32 = u32::MAX;
/// Number of repetitions in pull mode after which a repeated frame is passed on. Fewer repetitions are normal, because
/// the client requests frames faster than the server captures them. More repetitions show that the server is frozen.
const FROZEN: u32 = 50;
/// Maximum number of stored subject names.
const MAX_SUBJECTS: usize = 1000;

/// State of the client between packets.
#[derive(Debug)]
pub struct Client {
    pending: Vec<u8>,
    names: BTreeMap<u32, String>,
    hertz: f64,
    greeted: bool,
    outgoing: Vec<u8>,
    mode: ViconMode,
    lightweight: bool,
    /// Number of the last frame, and the number of its repetitions.
    last: (u32, u32),
}

impl Client {
    /// Creates a client for a new connection. `lightweight` requests lightweight segments, if the server offers them.
    pub fn new(mode: ViconMode, lightweight: bool) -> Client {
        Client {
            pending: Vec::new(),
            names: BTreeMap::new(),
            hertz: HERTZ,
            greeted: false,
            outgoing: Vec::new(),
            mode,
            lightweight,
            last: (NO_FRAME, 0),
        }
    }

    /// Returns the bytes to send to the server, and clears them.
    pub fn take_outgoing(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outgoing)
    }

    /// Processes bytes from the server and returns the completed frames.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, ViconError> {
        self.pending.extend_from_slice(bytes);
        let mut frames = Vec::new();
        while let Some(packet) = packet::cut(&mut self.pending)? {
            let frame = self.packet(&packet)?;
            if let Some(frame) = frame.and_then(|frame| self.ask_further(frame)) {
                frames.push(frame);
            }
        }
        Ok(frames)
    }

    /// Processes a packet and stores its subject names and frame rate. Returns the packet's frame, if any.
    fn packet(&mut self, bytes: &[u8]) -> Result<Option<RawFrame>, ViconError> {
        let packet = Packet::read(bytes)?;
        if let Some(offered) = &packet.offered {
            self.greet(offered);
        }
        self.hertz = packet.hertz.unwrap_or(self.hertz);
        for (subject, name) in packet.names {
            if self.names.len() < MAX_SUBJECTS || self.names.contains_key(&subject) {
                self.names.insert(subject, name);
            }
        }
        let Some(number) = packet.number else { return Ok(None) };
        let body = |(subject, Segment { place, rotation }): (u32, Segment)| {
            Some(RawBody {
                name: self.names.get(&subject)?.clone(),
                place,
                rotation,
                quality: packet.qualities.get(&subject).copied(),
                age_s: packet.age_s,
            })
        };
        let bodies = packet.segments.into_iter().filter_map(body).collect();
        Ok(Some(RawFrame { number, time_s: f64::from(number) / self.hertz, bodies }))
    }

    /// Requests the next frame, unless the server sends all frames without requests. Returns the given frame. In pull
    /// mode, returns `None` for repetitions of the previous frame, except every [`FROZEN`]th repetition.
    fn ask_further(&mut self, frame: RawFrame) -> Option<RawFrame> {
        self.ask();
        self.last = (frame.number, if self.last.0 == frame.number { self.last.1 + 1 } else { 0 });
        let again = self.mode == ViconMode::Pull && !self.last.1.is_multiple_of(FROZEN);
        (!again).then_some(frame)
    }

    fn ask(&mut self) {
        match self.mode {
            ViconMode::Push => {}
            ViconMode::Pull => self.send(id::REQUEST_FRAME, &[0]),
            ViconMode::Prefetch => self.send(id::REQUEST_NEXT_FRAME, &1u32.to_le_bytes()),
        }
    }

    /// Answers the server's list of offered objects with the list of wanted objects in ascending order, and requests
    /// frames. Later lists of the server are ignored.
    fn greet(&mut self, offered: &[u32]) {
        if self.greeted {
            return;
        }
        self.greeted = true;
        let light = self.lightweight && offered.contains(&id::LIGHTWEIGHT_SEGMENTS);
        let segments = if light { id::LIGHTWEIGHT_SEGMENTS } else { id::GLOBAL_SEGMENTS };
        let optional = OPTIONAL.into_iter().filter(|id| offered.contains(id));
        let mut wanted: Vec<u32> = WANTED.into_iter().chain([segments, id::CONTENTS]).chain(optional).collect();
        wanted.sort_unstable();
        let mut enums = (wanted.len() as u32).to_le_bytes().to_vec();
        wanted.iter().for_each(|id| enums.extend(id.to_le_bytes()));
        self.send(id::OBJECT_ENUMS, &enums);
        match self.mode {
            ViconMode::Push => self.send(id::REQUEST_FRAME, &[1]),
            ViconMode::Pull | ViconMode::Prefetch => self.ask(),
        }
    }

    fn send(&mut self, object: u32, body: &[u8]) {
        let length = body.len() as u32;
        for word in [MAGIC, length + HEADER as u32, object, length] {
            self.outgoing.extend(word.to_le_bytes());
        }
        self.outgoing.extend(body);
    }
}

impl Codec for Client {
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, MocapError> {
        Client::feed(self, bytes).map_err(|error| MocapError::Bytes(error.into()))
    }

    fn take_outgoing(&mut self) -> Vec<u8> {
        Client::take_outgoing(self)
    }

    /// Requests a frame again, because the previous answer may have contained no frame.
    fn quiet(&mut self) {
        if self.greeted {
            self.ask();
        }
    }

    fn pace(&self) -> Duration {
        // Frames are pulled at twice the frame rate, so that no frame is missed.
        if self.mode == ViconMode::Pull { Duration::from_secs_f64(0.5 / self.hertz.max(1.0)) } else { Duration::ZERO }
    }
}

#[cfg(test)]
mod tests;
