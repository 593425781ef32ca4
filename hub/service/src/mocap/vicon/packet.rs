//! Binary format of ViconCGStream, little-endian. A packet is `u32 0x1A2B0001, u32 length, object*`; an object is
//! `u32 id, u32 length, body`. Unknown objects and trailing fields are skipped. Positions are in mm, and rotations
//! are row-major matrices.

use super::super::rotation;
use std::collections::BTreeMap;
use xpuck_hub_core::mocap::MAX_NAME;

/// First word of every packet.
pub(super) const MAGIC: u32 = 0x1A2B_0001;
/// Length of the header of a packet and of an object (bytes).
pub(super) const HEADER: usize = 8;
/// Maximum length of a packet (bytes); 200 subjects need about 40 000.
const MAX_PACKET: usize = 1 << 20;
/// Number of clock ticks per second; the server states the frame period in ticks.
const TICKS: f64 = 135e6;
/// Accepted frame rates (Hz).
const RATES: std::ops::RangeInclusive<f64> = 1.0..=10_000.0;
/// Maximum number of parts in a latency, and maximum number of objects that a server offers. Real servers send fewer
/// than 50 of each.
const MAX_LIST: u32 = 1000;

/// Ids of the objects that the client reads or sends.
pub(super) mod id {
    pub const STREAM_INFO: u32 = 1;
    pub const SUBJECT_INFO: u32 = 2;
    pub const FRAME_INFO: u32 = 5;
    pub const GLOBAL_SEGMENTS: u32 = 9;
    pub const LATENCY: u32 = 26;
    pub const QUALITY: u32 = 40;
    pub const LIGHTWEIGHT_SEGMENTS: u32 = 901;
    pub const OBJECT_ENUMS: u32 = 100_001;
    pub const REQUEST_FRAME: u32 = 100_002;
    pub const CONTENTS: u32 = 100_004;
    pub const REQUEST_NEXT_FRAME: u32 = 100_008;
}

/// Error of the data stream, after which the connection has to be closed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ViconError {
    /// The stream is not a Vicon DataStream.
    #[error("the packet starts with {0:#010x}, not {MAGIC:#010x}; check that this is a Vicon DataStream server")]
    Magic(u32),
    /// The packet exceeds the maximum length.
    #[error("a packet has {0} bytes; at most {MAX_PACKET} are allowed")]
    Size(usize),
    /// The name exceeds the maximum length.
    #[error("a name has {0} bytes; at most {MAX_NAME} are allowed")]
    Name(usize),
    /// The frame rate (Hz) is outside the accepted range.
    #[error("the frame rate is {0} Hz; it must be {low} to {high} Hz", low = RATES.start(), high = RATES.end())]
    Rate(f64),
    /// An object with this id ends before the end of its fields.
    #[error("object {0} is truncated")]
    Truncated(u32),
}

/// Removes the first packet from the received bytes and returns its objects; `None` if the packet is incomplete.
pub(super) fn cut(received: &mut Vec<u8>) -> Result<Option<Vec<u8>>, ViconError> {
    let mut header = Fields { bytes: received, object: 0 };
    let (Ok(magic), Ok(length)) = (header.u32(), header.u32()) else { return Ok(None) };
    if magic != MAGIC {
        return Err(ViconError::Magic(magic));
    }
    let length = length as usize;
    if length > MAX_PACKET {
        return Err(ViconError::Size(length));
    }
    if received.len() < HEADER + length {
        return Ok(None);
    }
    Ok(Some(received.drain(..HEADER + length).skip(HEADER).collect()))
}

/// Pose of a subject's first segment.
#[derive(Debug)]
pub(super) struct Segment {
    /// Position (m).
    pub place: [f64; 3],
    /// Row-major rotation matrix.
    pub rotation: [f64; 9],
}

/// Contents of a packet. Fields for which the packet contains no data are empty or zero.
#[derive(Debug, Default)]
pub(super) struct Packet {
    /// Ids of the objects that the server offers, if the packet lists them.
    pub offered: Option<Vec<u32>>,
    /// Frame rate (Hz).
    pub hertz: Option<f64>,
    /// Numbers and names of subjects.
    pub names: Vec<(u32, String)>,
    /// Frame number.
    pub number: Option<u32>,
    /// Age of the frame when it was sent (s).
    pub age_s: f64,
    /// Tracking quality by subject, 0 to 1.
    pub qualities: BTreeMap<u32, f64>,
    /// First segment of each visible subject.
    pub segments: BTreeMap<u32, Segment>,
}

impl Packet {
    /// Parses a packet's objects.
    pub fn read(mut rest: &[u8]) -> Result<Packet, ViconError> {
        let mut packet = Packet::default();
        while rest.len() >= HEADER {
            let mut header = Fields { bytes: rest, object: 0 };
            let (object, length) = (header.u32()?, header.u32()? as usize);
            let Some(body) = rest.get(HEADER..HEADER + length) else { return Err(ViconError::Truncated(object)) };
            rest = &rest[HEADER + length..];
            packet.object(Fields { bytes: body, object })?;
        }
        Ok(packet)
    }

    fn object(&mut self, mut fields: Fields) -> Result<(), ViconError> {
        match fields.object {
            id::OBJECT_ENUMS => {
                let offered = (0..fields.u32()?.min(MAX_LIST)).map(|_| fields.u32());
                self.offered = Some(offered.collect::<Result<_, _>>()?);
            }
            id::STREAM_INFO => {
                let ticks = fields.i64()?;
                if ticks > 0 {
                    let hertz = TICKS / ticks as f64;
                    self.hertz = Some(hertz).filter(|hertz| RATES.contains(hertz));
                    self.hertz.ok_or(ViconError::Rate(hertz))?;
                }
            }
            // The latency is the sum of its parts, such as cameras, reconstruction and labelling.
            id::LATENCY => {
                for _ in 0..fields.u32()?.min(MAX_LIST) {
                    fields.string()?;
                    self.age_s += fields.f64()?;
                }
            }
            id::QUALITY => {
                self.qualities.insert(fields.u32()?, fields.f64()?);
            }
            id::FRAME_INFO => self.number = Some(fields.u32()?),
            id::SUBJECT_INFO => self.names.push((fields.u32()?, fields.string()?)),
            id::GLOBAL_SEGMENTS => {
                let subject = fields.u32()?;
                if fields.seen()? {
                    let segment = fields.segment()?;
                    self.segments.entry(subject).or_insert(segment);
                }
            }
            id::LIGHTWEIGHT_SEGMENTS => {
                let subject = fields.u32()?;
                if fields.seen()? {
                    let segment = fields.lightweight_segment()?;
                    self.segments.entry(subject).or_insert(segment);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Reader of an object's fields, in the order of their bytes.
struct Fields<'a> {
    bytes: &'a [u8],
    object: u32,
}

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ViconError> {
        let (taken, rest) = self.bytes.split_first_chunk().ok_or(ViconError::Truncated(self.object))?;
        self.bytes = rest;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32, ViconError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    fn i64(&mut self) -> Result<i64, ViconError> {
        Ok(i64::from_le_bytes(self.take()?))
    }

    fn f64(&mut self) -> Result<f64, ViconError> {
        Ok(f64::from_le_bytes(self.take()?))
    }

    fn f32(&mut self) -> Result<f32, ViconError> {
        Ok(f32::from_le_bytes(self.take()?))
    }

    fn string(&mut self) -> Result<String, ViconError> {
        let length = self.u32()? as usize;
        if length > MAX_NAME {
            return Err(ViconError::Name(length));
        }
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(ViconError::Truncated(self.object))?;
        self.bytes = rest;
        Ok(String::from_utf8_lossy(taken).into_owned())
    }

    /// Reads the number of segments of a subject, and returns whether the subject is visible. Skips the number of the
    /// first segment.
    fn seen(&mut self) -> Result<bool, ViconError> {
        let seen = self.u32()? > 0;
        if seen {
            self.u32()?;
        }
        Ok(seen)
    }

    fn segment(&mut self) -> Result<Segment, ViconError> {
        let mut numbers = [0.0; 12];
        for number in &mut numbers {
            *number = self.f64()?;
        }
        Ok(Segment {
            place: std::array::from_fn(|i| numbers[i] / 1000.0),
            rotation: std::array::from_fn(|i| numbers[3 + i]),
        })
    }

    /// Reads a segment whose rotation is given as a rotation vector.
    fn lightweight_segment(&mut self) -> Result<Segment, ViconError> {
        let mut six = [0.0; 6];
        for number in &mut six {
            *number = f64::from(self.f32()?);
        }
        let [x, y, z, a, b, c] = six;
        Ok(Segment { place: [x, y, z].map(|mm| mm / 1000.0), rotation: rotation::from_axis_angle([a, b, c]) })
    }
}
