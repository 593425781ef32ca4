//! Client of a VRPN tracker, without I/O.
//!
//! VRPN has no frames: each tracker sends poses with its own time stamps, and a hidden tracker sends nothing. The
//! client combines poses with nearby time stamps into one frame. A frame is complete when every recently active
//! tracker has sent a pose, or when a pose with a clearly different time stamp arrives.

mod message;

pub use message::VrpnError;

use super::error::MocapError;
use super::rotation;
use super::source::Codec;
use message::{COOKIE, Message, Reader, SENDER_IS, TYPE_IS, described};
use std::collections::BTreeMap;
use xpuck_hub_core::mocap::{RawBody, RawFrame};

const POSE: &str = "vrpn_Tracker Pos_Quat";
const PING: &str = "vrpn_Base ping_message";
/// Maximum number of tracked sensors (`MAX_BODIES`), and of stored sender or type names (`MAX_NAMES`).
const MAX_BODIES: usize = 1000;
const MAX_NAMES: usize = 4000;
/// Maximum difference between the first time stamp and any other time stamp in a frame (s). The time stamps differ,
/// because a server reads its trackers one after another.
const TOGETHER: f64 = 0.002;
/// Duration of silence after which a sensor counts as hidden (s). Frames then no longer wait for its pose.
const HIDDEN: f64 = 1.0;

/// Latest pose of a sensor, and whether the pose is in the open frame.
#[derive(Debug)]
struct Sensor {
    name: String,
    place: [f64; 3],
    rotation: [f64; 9],
    stamp: f64,
    in_frame: bool,
}

/// State of the client between two reads.
#[derive(Debug)]
pub struct Client {
    reader: Reader,
    outgoing: Vec<u8>,
    sent: u32,
    senders: BTreeMap<i32, String>,
    types: BTreeMap<i32, String>,
    sensors: BTreeMap<(i32, i32), Sensor>,
    /// First and last time stamp of the open frame (s), and whether any pose of the frame has another time stamp than
    /// the previous pose of its sensor. `None`: no frame is open.
    open: Option<(f64, f64, bool)>,
    number: u32,
}

impl Default for Client {
    fn default() -> Client {
        Client::new()
    }
}

impl Codec for Client {
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, MocapError> {
        Client::feed(self, bytes).map_err(|error| MocapError::Bytes(error.into()))
    }

    fn take_outgoing(&mut self) -> Vec<u8> {
        Client::take_outgoing(self)
    }

    fn quiet(&mut self) {
        self.ping();
    }
}

impl Client {
    /// Creates a client for a new connection, and queues its cookie.
    pub fn new() -> Client {
        Client {
            reader: Reader::default(),
            outgoing: COOKIE.to_vec(),
            sent: 0,
            senders: BTreeMap::new(),
            types: BTreeMap::new(),
            sensors: BTreeMap::new(),
            open: None,
            number: 0,
        }
    }

    /// Returns the bytes to send to the server, and clears them.
    pub fn take_outgoing(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outgoing)
    }

    /// Queues a ping to a server that is silent because nothing moves. The answer proves that the connection works.
    pub fn ping(&mut self) {
        let Some(name) = self.senders.values().next() else { return };
        if self.sent == 0 {
            message::write(&mut self.outgoing, 0, 0, SENDER_IS, &message::describe(name));
            message::write(&mut self.outgoing, 1, 0, TYPE_IS, &message::describe(PING));
            self.sent = 2;
        }
        message::write(&mut self.outgoing, self.sent, 0, 0, &[]);
        self.sent = self.sent.wrapping_add(1);
    }

    /// Processes bytes from the server and returns the completed frames.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, VrpnError> {
        self.reader.push(bytes);
        let mut frames = Vec::new();
        while let Some(message) = self.reader.next()? {
            match message.kind {
                SENDER_IS => name(&mut self.senders, &message)?,
                TYPE_IS => name(&mut self.types, &message)?,
                kind if self.types.get(&kind).is_some_and(|name| name == POSE) => self.pose(&message, &mut frames)?,
                _ => {}
            }
        }
        Ok(frames)
    }

    fn pose(&mut self, message: &Message, frames: &mut Vec<RawFrame>) -> Result<(), VrpnError> {
        let truncated = VrpnError::Truncated(POSE);
        let (sensor, fields) = message.payload.split_first_chunk().ok_or(truncated.clone())?;
        let sensor = i32::from_be_bytes(*sensor);
        // A padding word of 4 bytes follows the sensor's number.
        let fields = fields.get(4..60).ok_or(truncated)?;
        let number = |i: usize| f64::from_be_bytes(fields[8 * i..8 * i + 8].try_into().expect("eight bytes"));
        let Some(name) = self.senders.get(&message.sender) else { return Ok(()) };
        let name = if sensor == 0 { name.clone() } else { format!("{name}:{sensor}") };
        let (key, stamp) = ((message.sender, sensor), message.time_s);
        let known = self.sensors.get(&key);
        if known.is_none() && self.sensors.len() == MAX_BODIES {
            return Ok(());
        }
        let (again, new) = (known.is_some_and(|s| s.in_frame), known.is_none_or(|s| s.stamp != stamp));
        if again || self.open.is_some_and(|(first, _, _)| (stamp - first).abs() > TOGETHER) {
            frames.extend(self.close());
        }
        let (first, last, any_new) = self.open.unwrap_or((stamp, stamp, false));
        self.open = Some((first, last.max(stamp), any_new || new));
        let rotation = rotation::from_quaternion([3, 4, 5, 6].map(number));
        self.sensors.insert(key, Sensor { name, place: [0, 1, 2].map(number), rotation, stamp, in_frame: true });
        // Removes hidden sensors. The absolute value also removes sensors with later time stamps, after the server's
        // clock was set back.
        self.sensors.retain(|_, s| (stamp - s.stamp).abs() < HIDDEN);
        if self.sensors.values().all(|s| s.in_frame) {
            frames.extend(self.close());
        }
        Ok(())
    }

    /// Closes and returns the open frame, if there is one. If all poses of the frame repeat their previous time stamps,
    /// the frame gets the number of the previous frame.
    fn close(&mut self) -> Option<RawFrame> {
        let (_, time_s, new) = self.open.take()?;
        self.number = self.number.wrapping_add(u32::from(new));
        self.sensors.values_mut().for_each(|s| s.in_frame = false);
        let body = |s: &Sensor| RawBody {
            name: s.name.clone(),
            place: s.place,
            rotation: s.rotation,
            quality: None,
            age_s: time_s - s.stamp,
        };
        Some(RawFrame { number: self.number, time_s, bodies: self.sensors.values().map(body).collect() })
    }
}

fn name(names: &mut BTreeMap<i32, String>, message: &Message) -> Result<(), VrpnError> {
    names.insert(message.sender, described(&message.payload)?);
    if names.len() > MAX_NAMES { Err(VrpnError::Names(MAX_NAMES)) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
