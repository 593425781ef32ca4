//! Encodes NatNet datagrams. A datagram contains an identifier, the length of the contents, and the contents. All
//! numbers are little-endian.

use super::Version;
use std::net::SocketAddrV4;
use std::time::Duration;

/// Identifiers of the datagrams in use.
pub mod id {
    /// Client connects to the server.
    pub const CONNECT: u16 = 0;
    /// Description of the server.
    pub const SERVER_INFO: u16 = 1;
    /// Client requests the names of the bodies.
    pub const REQUEST_MODELS: u16 = 4;
    /// Names and numbers of the bodies.
    pub const MODELS: u16 = 5;
    /// Poses of all bodies at one time.
    pub const FRAME: u16 = 7;
    /// Client disconnects.
    pub const DISCONNECT: u16 = 9;
    /// Client is still connected.
    pub const KEEP_ALIVE: u16 = 10;
    /// Server does not support a request.
    pub const UNRECOGNIZED: u16 = 100;
}

/// Length of the datagram header (bytes).
pub const HEADER: usize = 4;
/// Frequency of the server's clock (Hz).
pub const CLOCK_HERTZ: u64 = 10_000_000;
/// Length of the zero-padded server name (bytes).
const NAME: usize = 256;
const SERVER_NAME: &str = "xpuck arena";
/// Version of the server program.
const SERVER_VERSION: [u8; 4] = [1, 0, 0, 0];
/// Usual port of frames. The server description contains this port if frames are not sent to a multicast group.
const DATA_PORT: u16 = 1511;
/// Type of a rigid body in the list of models.
const RIGID_BODY: i32 = 1;
/// Parent id of a body without a parent.
const NO_PARENT: i32 = -1;
/// Bit of a body's state that marks the body as tracked.
const TRACKED: u16 = 1;

/// Pose of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Position (m), with y up.
    pub place: [f32; 3],
    /// Orientation, as a unit quaternion (x, y, z, w).
    pub turn: [f32; 4],
}

/// One captured frame. The body with index i in `poses` has the number i + 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Frame number.
    pub number: u32,
    /// Time of the exposure on the server's clock.
    pub exposed: Duration,
    /// Time of the transmission on the server's clock.
    pub sent: Duration,
    /// Poses in the order of the bodies.
    pub poses: Vec<BodyPose>,
}

impl Version {
    fn bytes(self) -> [u8; 4] {
        match self {
            Version::V3_1 => [3, 1, 0, 0],
            Version::V4_1 => [4, 1, 0, 0],
            Version::V4_2 => [4, 2, 0, 0],
        }
    }

    fn has_lengths(self) -> bool {
        matches!(self, Version::V4_1 | Version::V4_2)
    }
}

/// Encodes the server description. It contains the multicast group if frames are sent to a group.
pub fn server_info(version: Version, group: Option<SocketAddrV4>) -> Vec<u8> {
    datagram(id::SERVER_INFO, |out| {
        out.extend(SERVER_NAME.as_bytes());
        out.resize(HEADER + NAME, 0);
        out.extend(SERVER_VERSION);
        out.extend(version.bytes());
        out.extend(CLOCK_HERTZ.to_le_bytes());
        out.extend(group.map_or(DATA_PORT, |g| g.port()).to_le_bytes());
        out.push(u8::from(group.is_some()));
        out.extend(group.map_or([0; 4], |g| g.ip().octets()));
    })
}

/// Encodes the names of all bodies, without markers.
pub fn models(version: Version, names: &[String]) -> Vec<u8> {
    datagram(id::MODELS, |out| {
        put(out, names.len() as i32);
        for (number, name) in (1..).zip(names) {
            put(out, RIGID_BODY);
            measured(out, version, |out| {
                out.extend(name.as_bytes());
                out.push(0);
                put(out, number);
                put(out, NO_PARENT);
                out.extend([0; 3 * 4]);
                put(out, 0);
            });
        }
    })
}

/// Encodes a frame in which every body is tracked.
pub fn frame(version: Version, frame: &Frame) -> Vec<u8> {
    datagram(id::FRAME, |out| {
        put(out, frame.number as i32);
        // The sections for marker sets and for markers without a body are empty.
        (0..2).for_each(|_| empty(out, version));
        put(out, frame.poses.len() as i32);
        measured(out, version, |out| {
            for (number, pose) in (1..).zip(&frame.poses) {
                put(out, number);
                // The mean marker error is exactly 0.
                let numbers = pose.place.iter().chain(&pose.turn).chain(&[0.0]);
                numbers.for_each(|value| out.extend(value.to_le_bytes()));
                out.extend(TRACKED.to_le_bytes());
            }
        });
        // The sections for skeletons, assets (since 4.1), labelled markers, force plates and devices are empty.
        let parts = if version.has_lengths() { 5 } else { 4 };
        (0..parts).for_each(|_| empty(out, version));
        // The time code is empty.
        out.extend([0; 8]);
        out.extend(frame.sent.as_secs_f64().to_le_bytes());
        // Times of exposure, camera readout and transmission (clock ticks).
        for moment in [frame.exposed, frame.exposed, frame.sent] {
            let ticks = moment.as_nanos() * u128::from(CLOCK_HERTZ) / 1_000_000_000;
            out.extend((ticks as u64).to_le_bytes());
        }
        if version.has_lengths() {
            // The time stamp of the precision time protocol is empty.
            out.extend([0; 8]);
        }
        // The flags (not recording, models unchanged) and the end mark are zeros.
        out.extend([0; 2 + 4]);
    })
}

/// Encodes the reply to an unknown request.
pub fn unrecognized() -> Vec<u8> {
    datagram(id::UNRECOGNIZED, |_| {})
}

fn put(out: &mut Vec<u8>, value: i32) {
    out.extend(value.to_le_bytes());
}

/// Writes a section without entries.
fn empty(out: &mut Vec<u8>, version: Version) {
    put(out, 0);
    measured(out, version, |_| {});
}

/// Writes the contents that `body` produces. In protocol versions with section lengths, their length (bytes) comes
/// first.
fn measured(out: &mut Vec<u8>, version: Version, body: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    if version.has_lengths() {
        put(out, 0);
    }
    let from = out.len();
    body(out);
    if version.has_lengths() {
        let length = (out.len() - from) as i32;
        out[at..from].copy_from_slice(&length.to_le_bytes());
    }
}

fn datagram(id: u16, body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = [id.to_le_bytes(), [0; 2]].concat();
    body(&mut out);
    let length = (out.len() - HEADER) as u16;
    out[2..HEADER].copy_from_slice(&length.to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    fn one() -> Frame {
        let pose = BodyPose { place: [1.0, 0.05, 0.2505], turn: [0.0, 0.0, 0.0, 1.0] };
        Frame { number: 22, exposed: Duration::from_millis(500), sent: Duration::from_millis(525), poses: vec![pose] }
    }

    /// Golden bytes of a body: number 1, position, quaternion, mean marker error 0, and the state "tracked".
    const BODY: &str = "010000000000803fcdcc4c3d894180 3e0000000000000000000000000000803f000000000100";
    /// Golden bytes of the times: an empty time code, 0.525 s, 5 000 000 ticks twice, and 5 250 000 ticks.
    const TIMES: &str = "0000000000000000cdcccccccccce03f404b4c0000000000404b4c0000000000d01b500000000000";

    #[test]
    fn natnet_3_frame_has_section_counts() {
        // The contents have 116 bytes: frame number 22, no marker sets, no markers, one body, four empty sections, the
        // times, the flags and the end mark.
        let golden = format!(
            "07007400160000000000000000000000 01000000{BODY}00000000000000000000000000000000{TIMES}000000000000"
        );
        assert_eq!(hex(&frame(Version::V3_1, &one())), golden.replace(' ', ""));
    }

    #[test]
    fn natnet_4_frame_has_section_counts_and_lengths() {
        // Version 4.1 adds a length after each count, one section, and an empty precision time stamp.
        let empty = "0000000000000000";
        let golden = format!(
            "0700a00016000000{empty}{empty}0100000026000000{BODY}{empty}{empty}{empty}{empty}{empty}{TIMES}{empty}\
             000000000000"
        );
        assert_eq!(hex(&frame(Version::V4_1, &one())), golden.replace(' ', ""));
    }

    #[test]
    fn descriptions_name_a_body_without_markers() {
        let names = ["xp01".to_string()];
        let body = "787030310001000000ffffffff00000000000000000000000000000000";
        assert_eq!(hex(&models(Version::V3_1, &names)), format!("050025000100000001000000{body}"));
        assert_eq!(hex(&models(Version::V4_1, &names)), format!("0500290001000000010000001d000000{body}"));
    }

    #[test]
    fn server_info_states_version_and_frame_address() {
        let group = "239.255.42.99:1511".parse().unwrap();
        for (version, group, end) in [
            (Version::V3_1, Some(group), "010000000301000080969800000000 00e70501efff2a63"),
            (Version::V4_1, None, "010000000401000080969800000000 00e7050000000000"),
        ] {
            let bytes = server_info(version, group);
            assert_eq!(bytes.len(), 4 + 256 + 4 + 4 + 8 + 2 + 1 + 4);
            assert_eq!(hex(&bytes[..8]), "0100170178707563");
            assert_eq!(hex(&bytes[260..]), end.replace(' ', ""));
        }
        assert_eq!(hex(&unrecognized()), "64000000");
    }
}
