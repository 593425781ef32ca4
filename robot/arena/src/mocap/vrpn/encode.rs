//! Encodes the VRPN protocol. Each side first sends a cookie, and then messages. A message has a header of 24 bytes,
//! and a payload that is padded to a multiple of 8 bytes.

use std::time::Duration;

/// First bytes that each side sends: protocol version 07.38, no remote logging, padded with zeros.
pub const COOKIE: [u8; 24] = *b"vrpn: ver. 07.38  0\0\0\0\0\0";
/// Length of a message header (bytes). The fields are length, seconds, microseconds, sender, type and sequence number.
pub const HEADER: usize = 24;
/// Type of the system message that gives a name to a sender number.
pub const SENDER_DESCRIPTION: i32 = -1;
/// Type of the system message that gives a name to a type number.
pub const TYPE_DESCRIPTION: i32 = -2;
/// Names of the message types of this server, indexed by type number.
pub const TYPES: [&str; 3] = ["vrpn_Tracker Pos_Quat", PING, PONG];
/// Name of the message type that asks whether a device is present.
pub const PING: &str = "vrpn_Base ping_message";
/// Name of the message type that confirms that a device is present.
pub const PONG: &str = "vrpn_Base pong_message";

/// Pose of the sensor of a tracker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorPose {
    /// Position (m).
    pub place: [f64; 3],
    /// Orientation, as a unit quaternion (x, y, z, w).
    pub turn: [f64; 4],
}

/// Writer of the messages to one client, which have consecutive sequence numbers.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    messages: u32,
}

impl Writer {
    /// Removes and returns the bytes written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Writes the names of all trackers and types.
    pub fn descriptions(&mut self, stamp: Duration, trackers: &[String]) {
        let trackers = trackers.iter().map(|name| (SENDER_DESCRIPTION, name.as_str()));
        let types = TYPES.iter().map(|name| (TYPE_DESCRIPTION, *name));
        for (number, (kind, name)) in (0..).zip(trackers).chain((0..).zip(types)) {
            // The length includes the terminating zero.
            let length = (name.len() as u32 + 1).to_be_bytes();
            self.message(stamp, number, kind, &[&length[..], name.as_bytes(), &[0]].concat());
        }
    }

    /// Writes a pose of sensor 0 of a tracker.
    pub fn pose(&mut self, stamp: Duration, tracker: i32, pose: &SensorPose) {
        // The payload starts with the sensor number 0 and a word of padding.
        let mut payload = vec![0; 8];
        pose.place.iter().chain(&pose.turn).for_each(|value| payload.extend(value.to_be_bytes()));
        self.message(stamp, tracker, 0, &payload);
    }

    /// Writes the reply to a ping that was sent to a tracker.
    pub fn pong(&mut self, stamp: Duration, tracker: i32) {
        self.message(stamp, tracker, 2, &[]);
    }

    fn message(&mut self, stamp: Duration, sender: i32, kind: i32, payload: &[u8]) {
        // The length includes the header and the payload, but not the padding.
        let words = [(HEADER + payload.len()) as u32, stamp.as_secs() as u32, stamp.subsec_micros()];
        words.iter().for_each(|word| self.out.extend(word.to_be_bytes()));
        [sender, kind].iter().for_each(|word| self.out.extend(word.to_be_bytes()));
        self.out.extend(self.messages.to_be_bytes());
        self.messages = self.messages.wrapping_add(1);
        self.out.extend(payload);
        self.out.resize(self.out.len().next_multiple_of(8), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Duration = Duration::new(0x6553_F100, 0x0001_E240 * 1000);

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn pose_matches_documented_bytes() {
        let mut writer = Writer::default();
        writer.pose(STAMP, 3, &SensorPose { place: [1.0, -0.2505, 0.05], turn: [0.0, 0.0, 0.0, 1.0] });
        // The header contains the length 24 + 64, the time stamp, sender 3, type 0 and sequence number 0. The payload
        // contains sensor 0, the position and the quaternion.
        let golden = "000000586553f1000001e240000000030000000000000000\
                      0000000000000000\
                      3ff0000000000000bfd0083126e978d53fa999999999999a\
                      0000000000000000000000000000000000000000000000003ff0000000000000";
        assert_eq!(hex(&writer.take()), golden);
    }

    #[test]
    fn descriptions_are_padded_and_their_lengths_are_not() {
        let mut writer = Writer::default();
        writer.descriptions(STAMP, &["xp01".into()]);
        let bytes = writer.take();
        // The description of sender 0 has 24 + 4 + 5 ("xp01\0") = 33 bytes, padded to 40.
        let golden = "000000216553f1000001e24000000000ffffffff00000000000000057870303100000000\
                      00000000";
        assert_eq!(hex(&bytes[..40]), golden);
        // The description of type 0 has 24 + 4 + 22 = 50 bytes, padded to 56.
        assert!(hex(&bytes[40..]).starts_with("000000326553f1000001e24000000000fffffffe000000010000001676727"));
        assert_eq!(bytes.len(), 40 + 56 + 56 + 56);
    }

    #[test]
    fn pong_is_header_only_with_sequence_number() {
        let mut writer = Writer::default();
        (0..2).for_each(|_| writer.pong(STAMP, 1));
        assert_eq!(hex(&writer.take()[24..]), "000000186553f1000001e240000000010000000200000001");
    }
}
