//! Encodes Vicon's DataStream protocol (ViconCGStream). A packet contains objects, each with an identifier and a
//! length. Only the objects of a pose stream are supported. Numbers are little-endian, and positions are in millimetres
//! with z up.

use std::collections::BTreeSet;

/// Identifiers of the objects in use.
pub mod id {
    /// Frame period of the stream.
    pub const STREAM_INFO: u32 = 1;
    /// Name and segments of a subject.
    pub const SUBJECT_INFO: u32 = 2;
    /// Frame number.
    pub const FRAME_INFO: u32 = 5;
    /// Poses of a subject's segments.
    pub const GLOBAL_SEGMENTS: u32 = 9;
    /// Ping, which the server echoes.
    pub const PING: u32 = 42;
    /// Poses of a subject's segments in single precision, with rotations as rotation vectors (axis times angle).
    pub const LIGHTWEIGHT_SEGMENTS: u32 = 901;
    /// Object types that the server supports or that the client requests.
    pub const OBJECT_ENUMS: u32 = 100_001;
    /// Request for one frame now, or for every frame from now on.
    pub const REQUEST_FRAME: u32 = 100_002;
    /// List of the objects in a frame packet.
    pub const CONTENTS: u32 = 100_004;
    /// Request for the next new frame.
    pub const REQUEST_NEXT_FRAME: u32 = 100_008;
}

/// First word of every packet.
pub const MAGIC: u32 = 0x1A2B_0001;
/// Length of the packet header, which contains the magic word and the length of the packet (bytes).
pub const HEADER: usize = 8;
/// Object types that this server can send.
pub const SUPPORTED: [u32; 7] = [
    id::STREAM_INFO,
    id::SUBJECT_INFO,
    id::FRAME_INFO,
    id::GLOBAL_SEGMENTS,
    id::PING,
    id::LIGHTWEIGHT_SEGMENTS,
    id::CONTENTS,
];
/// Frequency of the clock that measures the frame period (Hz).
const TICKS_PER_SECOND: i64 = 135_000_000;

/// Pose of a subject's only segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentPose {
    /// Position (mm).
    pub translation: [f64; 3],
    /// Rotation matrix, row by row.
    pub rotation: [f64; 9],
}

/// One captured frame. The subject with index i in `poses` has the number i + 1, and a root segment with the subject's
/// name.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Frame number. Clients that use Vicon's SDK receive this number plus one.
    pub number: u32,
    /// Poses in the order of the subjects.
    pub poses: Vec<SegmentPose>,
}

/// Encodes the server's first packet, which lists the object types that the server supports.
pub fn hello(supported: &[u32]) -> Vec<u8> {
    packet(|out| object(out, id::OBJECT_ENUMS, |out| put_set(out, supported)))
}

/// Encodes the reply to a ping.
pub fn ping(number: u64) -> Vec<u8> {
    packet(|out| object(out, id::PING, |out| out.extend(number.to_le_bytes())))
}

/// Encodes a frame with the objects whose types are in `wanted`. Every frame repeats the static objects.
pub fn frame(subjects: &[String], hertz: u32, frame: &Frame, wanted: &BTreeSet<u32>) -> Vec<u8> {
    let subjects = &subjects[..subjects.len().min(frame.poses.len())];
    let count = subjects.len() as u32;
    let possible = [
        (id::STREAM_INFO, 1),
        (id::SUBJECT_INFO, count),
        (id::FRAME_INFO, 1),
        (id::GLOBAL_SEGMENTS, count),
        (id::LIGHTWEIGHT_SEGMENTS, count),
    ];
    let contents: Vec<(u32, u32)> = possible.into_iter().filter(|(id, _)| wanted.contains(id)).collect();
    let sends = |id: u32| contents.iter().any(|(sent, _)| *sent == id);
    packet(|out| {
        object(out, id::CONTENTS, |out| {
            put(out, contents.len() as u32);
            for (id, count) in &contents {
                put(out, *id);
                put(out, *count);
            }
            // Number of objects that are omitted because they are unchanged.
            put(out, 0);
        });
        if sends(id::STREAM_INFO) {
            let period = TICKS_PER_SECOND / i64::from(hertz);
            object(out, id::STREAM_INFO, |out| out.extend(period.to_le_bytes()));
        }
        if sends(id::SUBJECT_INFO) {
            for (number, name) in (1..).zip(subjects) {
                object(out, id::SUBJECT_INFO, |out| put_subject(out, number, name));
            }
        }
        if sends(id::FRAME_INFO) {
            object(out, id::FRAME_INFO, |out| put(out, frame.number));
        }
        if sends(id::GLOBAL_SEGMENTS) {
            for (number, pose) in (1..).zip(&frame.poses[..subjects.len()]) {
                object(out, id::GLOBAL_SEGMENTS, |out| put_pose(out, number, pose));
            }
        }
        if sends(id::LIGHTWEIGHT_SEGMENTS) {
            for (number, pose) in (1..).zip(&frame.poses[..subjects.len()]) {
                object(out, id::LIGHTWEIGHT_SEGMENTS, |out| put_lightweight_pose(out, number, pose));
            }
        }
    })
}

/// Writes a subject: its number, its name, and one root segment (parent 0, number 1) without bounds. The subject has no
/// markers and no attachments.
fn put_subject(out: &mut Vec<u8>, number: u32, name: &str) {
    put(out, number);
    put_string(out, name);
    put(out, 1);
    put(out, 0);
    put(out, 1);
    out.extend([0; 6 * 4]);
    put_string(out, name);
    put(out, 0);
    put(out, 0);
}

fn put_pose(out: &mut Vec<u8>, number: u32, pose: &SegmentPose) {
    put(out, number);
    put(out, 1);
    put(out, 1);
    for value in pose.translation.iter().chain(&pose.rotation) {
        out.extend(value.to_le_bytes());
    }
}

/// Writes a pose in single precision. Every body in the arena is upright, so the rotation axis is z.
fn put_lightweight_pose(out: &mut Vec<u8>, number: u32, pose: &SegmentPose) {
    put(out, number);
    put(out, 1);
    put(out, 1);
    let angle = pose.rotation[3].atan2(pose.rotation[0]);
    for value in pose.translation.iter().chain(&[0.0, 0.0, angle]) {
        out.extend((*value as f32).to_le_bytes());
    }
}

fn put(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_le_bytes());
}

fn put_string(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u32);
    out.extend(text.as_bytes());
}

fn put_set(out: &mut Vec<u8>, ids: &[u32]) {
    put(out, ids.len() as u32);
    ids.iter().for_each(|id| put(out, *id));
}

fn packet(body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    object(&mut out, MAGIC, body);
    out
}

/// Writes an object or a packet: its identifier, the length of its contents, and the contents.
fn object(out: &mut Vec<u8>, id: u32, body: impl FnOnce(&mut Vec<u8>)) {
    put(out, id);
    let at = out.len();
    put(out, 0);
    body(out);
    let length = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Object types that the recorded server supports.
    const RECORDED: [u32; 6] =
        [id::STREAM_INFO, id::SUBJECT_INFO, id::FRAME_INFO, id::GLOBAL_SEGMENTS, id::PING, id::CONTENTS];

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn hello_matches_golden_bytes() {
        let golden = "01002b1a24000000a18601001c000000060000000100000002000000050000000900\
                      00002a000000a4860100";
        assert_eq!(hex(&hello(&RECORDED)), golden);
    }

    #[test]
    fn frame_matches_golden_bytes() {
        let golden = "01002b1a08010000a486010028000000040000000100000001000000020000000100000005000000010000000900\
            00000100000000000000010000000800000070991400000000000200000040000000010000000400000078703031010000000000\
            00000100000000000000000000000000000000000000000000000000000004000000787030310000000000000000050000000400\
            000016000000090000006c0000000100000001000000010000000000000000408f400000000000506fc000000000000049400000\
            000000000000000000000000f0bf0000000000000000000000000000f03f00000000000000000000000000000000000000000000\
            00000000000000000000000000000000f03f";
        let pose = SegmentPose {
            translation: [1000.0, -250.5, 50.0],
            rotation: [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        };
        let bytes = frame(&["xp01".into()], 100, &Frame { number: 22, poses: vec![pose] }, &RECORDED.into());
        assert_eq!(bytes.len(), 272);
        assert_eq!(hex(&bytes), golden);
    }

    #[test]
    fn unrequested_objects_are_neither_sent_nor_announced() {
        let pose = SegmentPose { translation: [0.0; 3], rotation: [0.0; 9] };
        let subjects: Vec<String> = vec!["xp01".into(), "frisbee".into()];
        let wanted = BTreeSet::from([id::FRAME_INFO, 777]);
        let bytes = frame(&subjects, 50, &Frame { number: 1, poses: vec![pose; 2] }, &wanted);
        assert_eq!(bytes.len(), HEADER + 8 + 4 + 8 + 4 + 8 + 4);
        let all = frame(&subjects, 50, &Frame { number: 1, poses: vec![pose; 2] }, &RECORDED.into());
        assert_eq!(all.len(), 272 + 116 + 64 + 8 + 2 * 3, "a second subject with two names of 7 letters for 4");
    }

    #[test]
    fn lightweight_segments_have_an_axis_times_an_angle() {
        let pose = SegmentPose {
            translation: [1000.0, -250.5, 50.0],
            rotation: [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        };
        let wanted = BTreeSet::from([id::LIGHTWEIGHT_SEGMENTS]);
        let bytes = frame(&["xp01".into()], 100, &Frame { number: 22, poses: vec![pose] }, &wanted);
        let golden = "8503000024000000010000000100000001000000\
            00007a4400807ac300004842\
            0000000000000000db0fc93f";
        assert!(hex(&bytes).ends_with(golden), "{}", hex(&bytes));
    }

    #[test]
    fn ping_is_echoed_in_separate_packet() {
        assert_eq!(hex(&ping(1)), "01002b1a100000002a000000080000000100000000000000");
    }
}
