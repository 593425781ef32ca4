//! Vicon DataStream (ViconCGStream, SDK 1.12), the client's side, without any I/O.
//!
//! Little-endian packets `u32 0x1A2B0001, u32 length, object*`, objects `u32 id, u32 length, body`. Unknown objects
//! and trailing fields are skipped. Positions come in mm, rotations as row-major matrices; a hidden subject has no
//! segment. The server speaks first; we answer with the objects we want, and ask for every frame or for one at a time.

use super::source::Codec;
use super::{RawBody, RawFrame};
use crate::config::ViconMode;
use std::collections::BTreeMap;
use std::time::Duration;

const MAGIC: u32 = 0x1A2B_0001;
const STREAM_INFO: u32 = 1;
const SUBJECT_INFO: u32 = 2;
const FRAME_INFO: u32 = 5;
const GLOBAL_SEGMENTS: u32 = 9;
const LATENCY: u32 = 26;
const LIGHTWEIGHT_SEGMENTS: u32 = 901;
const QUALITY: u32 = 40;
const OBJECT_ENUMS: u32 = 100_001;
const REQUEST_FRAME: u32 = 100_002;
const CONTENTS: u32 = 100_004;
const REQUEST_NEXT_FRAME: u32 = 100_008;
/// What we ask for in any case, and what only if the server has it.
const WANTED: [u32; 3] = [STREAM_INFO, SUBJECT_INFO, FRAME_INFO];
const OPTIONAL: [u32; 2] = [LATENCY, QUALITY];
/// Ticks a second of a stream's period.
const TICKS: f64 = 135e6;
/// Frames a second as long as the server did not tell.
const HERTZ: f64 = 100.0;

/// Largest packet accepted, bytes; 200 subjects need about 40 000.
const MAX_PACKET: usize = 1 << 20;
/// A frame number that no frame has.
const NO_FRAME: u32 = u32::MAX;
/// A puller is told the same frame more than once. Told so often in a row, it is passed on: the server is frozen.
const FROZEN: u32 = 50;
/// Most subjects kept.
const MAX_SUBJECTS: usize = 1000;
/// Most parts of a latency, and most objects that a server can offer; real ones have less than 50.
const MAX_LIST: u32 = 1000;

/// A stream that is not what it should be; the connection must be dropped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViconError {
    /// Not a Vicon DataStream.
    #[error("packet starts with {0:#010x}, not {MAGIC:#010x}: is this a Vicon DataStream server?")]
    Magic(u32),
    /// A packet larger than any we can need.
    #[error("packet of {0} bytes; at most {MAX_PACKET} are accepted")]
    Size(usize),
    /// An object ends before its fields do.
    #[error("object {0} is truncated")]
    Truncated(u32),
}

/// The client's state between packets.
#[derive(Debug)]
pub struct Client {
    pending: Vec<u8>,
    names: BTreeMap<u32, String>,
    hertz: f64,
    greeted: bool,
    outgoing: Vec<u8>,
    mode: ViconMode,
    lightweight: bool,
    /// The last frame's number, and how often it came.
    last: (u32, u32),
}

impl Client {
    /// A client that has just connected. It takes lightweight segments only if the server has them.
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

    /// Bytes to send to the server.
    pub fn take_outgoing(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outgoing)
    }

    /// Takes bytes from the server and returns the frames they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, ViconError> {
        self.pending.extend_from_slice(bytes);
        let mut frames = Vec::new();
        loop {
            if self.pending.len() < 8 {
                return Ok(frames);
            }
            let word = |at: usize| u32::from_le_bytes(self.pending[at..at + 4].try_into().expect("four bytes"));
            if word(0) != MAGIC {
                return Err(ViconError::Magic(word(0)));
            }
            let length = word(4) as usize;
            if length > MAX_PACKET {
                return Err(ViconError::Size(length));
            }
            if self.pending.len() < 8 + length {
                return Ok(frames);
            }
            let packet: Vec<u8> = self.pending.drain(..8 + length).skip(8).collect();
            let frame = self.packet(&packet)?;
            if let Some(frame) = frame.and_then(|frame| self.ask_further(frame)) {
                frames.push(frame);
            }
        }
    }

    fn packet(&mut self, mut rest: &[u8]) -> Result<Option<RawFrame>, ViconError> {
        let mut number = None;
        let mut segments: Vec<(u32, [f64; 12])> = Vec::new();
        let mut qualities = BTreeMap::new();
        let mut age_s = 0.0;
        while rest.len() >= 8 {
            let mut header = Fields { bytes: rest, object: 0 };
            let (id, length) = (header.u32()?, header.u32()? as usize);
            let Some(body) = rest.get(8..8 + length) else { return Err(ViconError::Truncated(id)) };
            rest = &rest[8 + length..];
            let mut fields = Fields { bytes: body, object: id };
            match id {
                OBJECT_ENUMS => {
                    let offered = (0..fields.u32()?.min(MAX_LIST)).map(|_| fields.u32()).collect::<Result<_, _>>()?;
                    self.greet(offered);
                }
                STREAM_INFO => {
                    let ticks = fields.i64()?;
                    if ticks > 0 {
                        self.hertz = TICKS / ticks as f64;
                    }
                }
                // Its parts add up: cameras, reconstruction, labelling, and so on.
                LATENCY => {
                    for _ in 0..fields.u32()?.min(MAX_LIST) {
                        fields.string()?;
                        age_s += fields.f64()?;
                    }
                }
                QUALITY => {
                    qualities.insert(fields.u32()?, fields.f64()?);
                }
                FRAME_INFO => number = Some(fields.u32()?),
                SUBJECT_INFO => {
                    let subject = fields.u32()?;
                    let name = fields.string()?;
                    if self.names.len() < MAX_SUBJECTS || self.names.contains_key(&subject) {
                        self.names.insert(subject, name);
                    }
                }
                GLOBAL_SEGMENTS => {
                    let (subject, count) = (fields.u32()?, fields.u32()?);
                    if count > 0 {
                        fields.u32()?;
                        segments.push((subject, fields.pose()?));
                    }
                }
                LIGHTWEIGHT_SEGMENTS => {
                    let (subject, count) = (fields.u32()?, fields.u32()?);
                    if count > 0 {
                        fields.u32()?;
                        segments.push((subject, fields.lightweight_pose()?));
                    }
                }
                _ => {}
            }
        }
        let Some(number) = number else { return Ok(None) };
        let body = |(subject, numbers): (u32, [f64; 12])| {
            Some(RawBody {
                name: self.names.get(&subject)?.clone(),
                place: [0, 1, 2].map(|i| numbers[i] / 1000.0),
                rotation: std::array::from_fn(|i| numbers[3 + i]),
                quality: qualities.get(&subject).copied(),
                age_s,
            })
        };
        let bodies = segments.into_iter().filter_map(body).collect();
        Ok(Some(RawFrame { number, time_s: f64::from(number) / self.hertz, bodies }))
    }

    /// Asks for another frame, unless the server sends them by itself. What a pull brings again is left out.
    fn ask_further(&mut self, frame: RawFrame) -> Option<RawFrame> {
        self.ask();
        self.last = (frame.number, if self.last.0 == frame.number { self.last.1 + 1 } else { 0 });
        let again = self.mode == ViconMode::Pull && !self.last.1.is_multiple_of(FROZEN);
        (!again).then_some(frame)
    }

    fn ask(&mut self) {
        match self.mode {
            ViconMode::Push => {}
            ViconMode::Pull => self.send(REQUEST_FRAME, &[0]),
            ViconMode::Prefetch => self.send(REQUEST_NEXT_FRAME, &1u32.to_le_bytes()),
        }
    }

    /// Answers the server's list of objects with ours, in ascending order, and asks for frames.
    fn greet(&mut self, offered: Vec<u32>) {
        if self.greeted {
            return;
        }
        self.greeted = true;
        let light = self.lightweight && offered.contains(&LIGHTWEIGHT_SEGMENTS);
        let segments = if light { LIGHTWEIGHT_SEGMENTS } else { GLOBAL_SEGMENTS };
        let optional = OPTIONAL.into_iter().filter(|id| offered.contains(id));
        let mut wanted: Vec<u32> = WANTED.into_iter().chain([segments, CONTENTS]).chain(optional).collect();
        wanted.sort_unstable();
        let mut enums = (wanted.len() as u32).to_le_bytes().to_vec();
        wanted.iter().for_each(|id| enums.extend(id.to_le_bytes()));
        self.send(OBJECT_ENUMS, &enums);
        match self.mode {
            ViconMode::Push => self.send(REQUEST_FRAME, &[1]),
            ViconMode::Pull | ViconMode::Prefetch => self.ask(),
        }
    }

    fn send(&mut self, object: u32, body: &[u8]) {
        let length = body.len() as u32;
        for word in [MAGIC, length + 8, object, length] {
            self.outgoing.extend(word.to_le_bytes());
        }
        self.outgoing.extend(body);
    }
}

impl Codec for Client {
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, String> {
        Client::feed(self, bytes).map_err(|e| e.to_string())
    }

    fn take_outgoing(&mut self) -> Vec<u8> {
        Client::take_outgoing(self)
    }

    /// An answer that does not come may have been one without a frame.
    fn quiet(&mut self) {
        if self.greeted {
            self.ask();
        }
    }

    fn pace(&self) -> Duration {
        // Twice as often as there are new frames, so that none is missed.
        if self.mode == ViconMode::Pull { Duration::from_secs_f64(0.5 / self.hertz.max(1.0)) } else { Duration::ZERO }
    }
}

/// The rotation by the length of a vector around its direction, row by row (Rodrigues).
fn rotation(axis: [f64; 3]) -> [f64; 9] {
    let angle = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
    let [x, y, z] = if angle > 0.0 { axis.map(|a| a / angle) } else { [0.0, 0.0, 1.0] };
    let (s, c) = angle.sin_cos();
    let v = 1.0 - c;
    [
        c + x * x * v,
        x * y * v - z * s,
        x * z * v + y * s,
        y * x * v + z * s,
        c + y * y * v,
        y * z * v - x * s,
        z * x * v - y * s,
        z * y * v + x * s,
        c + z * z * v,
    ]
}

/// Reads an object's fields in order.
struct Fields<'a> {
    bytes: &'a [u8],
    object: u32,
}

impl Fields<'_> {
    fn take(&mut self, n: usize) -> Result<&[u8], ViconError> {
        if self.bytes.len() < n {
            return Err(ViconError::Truncated(self.object));
        }
        let (taken, rest) = self.bytes.split_at(n);
        self.bytes = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, ViconError> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().expect("four bytes")))
    }

    fn i64(&mut self) -> Result<i64, ViconError> {
        Ok(i64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    fn f64(&mut self) -> Result<f64, ViconError> {
        Ok(f64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    fn f32(&mut self) -> Result<f32, ViconError> {
        Ok(f32::from_le_bytes(self.take(4)?.try_into().expect("four bytes")))
    }

    fn string(&mut self) -> Result<String, ViconError> {
        let length = self.u32()? as usize;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// Position, mm, and rotation, row by row.
    fn pose(&mut self) -> Result<[f64; 12], ViconError> {
        let mut numbers = [0.0; 12];
        for number in &mut numbers {
            *number = self.f64()?;
        }
        Ok(numbers)
    }

    /// The same from a position and a rotation as axis times angle.
    fn lightweight_pose(&mut self) -> Result<[f64; 12], ViconError> {
        let mut six = [0.0; 6];
        for number in &mut six {
            *number = f64::from(self.f32()?);
        }
        let [x, y, z, a, b, c] = six;
        let turned = rotation([a, b, c]);
        Ok(std::array::from_fn(|i| if i < 3 { [x, y, z][i] } else { turned[i - 3] }))
    }
}

#[cfg(test)]
mod tests;
