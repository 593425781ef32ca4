use super::*;

/// Bytes recorded from a VRPN 07.38 program of a third party: its cookie, and its descriptions of sender 1 (`xp01`)
/// and of type 4 (poses). The padding contains old contents of that program's buffer.
const COOKIE_HEX: &str = "7672706e3a207665722e2030372e33382020300000000000";
const XP01: &str = "000000216b01fb4c000f32d000000001ffffffff00000005000000057870303100436f6e74726f6c";
const POSES: &str = "000000326b01fb4c000f32d600000004fffffffe00000006\
    000000167672706e5f547261636b657220506f735f51756174006e5f476f745f";
/// Pose constructed from the protocol's definition. The VRPN client of a third party accepts it. Sender `xp01` is at
/// (1, -0.2505, 0.05) m, rotated by 90 degrees about z, at 1700000000.123456 s.
const POSE_HEX: &str = "000000586553f1000001e24000000001000000040000000000000000000000003ff0000000000000\
    bfd0083126e978d53fa999999999999a000000000000000000000000000000003fe6a09e667f3bcd3fe6a09e667f3bcd";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// Creates a client that has received the descriptions of type 4 and of these senders, numbered from 1.
fn client(senders: &[&str]) -> Client {
    let mut client = Client::new();
    let mut hello = bytes(&format!("{COOKIE_HEX}{POSES}"));
    for (number, name) in (1..).zip(senders) {
        message::write(&mut hello, 0, number, SENDER_IS, &message::describe(name));
    }
    assert!(client.feed(&hello).unwrap().is_empty());
    client
}

/// Creates a pose message of a sender with a time stamp (ms) and an x coordinate (m).
fn pose(sender: u8, ms: u32, x: f64) -> Vec<u8> {
    let mut message = bytes(POSE_HEX);
    message[8..12].copy_from_slice(&(ms % 1000 * 1000).to_be_bytes());
    message[4..8].copy_from_slice(&(ms / 1000).to_be_bytes());
    message[15] = sender;
    message[32..40].copy_from_slice(&x.to_be_bytes());
    message
}

fn names(frame: &RawFrame) -> Vec<&str> {
    frame.bodies.iter().map(|b| b.name.as_str()).collect()
}

#[test]
fn recorded_stream_is_decoded_for_any_chunk_size() {
    let whole = bytes(&format!("{COOKIE_HEX}{XP01}{POSES}{POSE_HEX}"));
    for piece in [1, 7, 1000] {
        let mut client = Client::new();
        let frames: Vec<RawFrame> = whole.chunks(piece).flat_map(|part| client.feed(part).unwrap()).collect();
        let [frame] = &frames[..] else { panic!("{frames:?}") };
        assert!((frame.time_s - 1_700_000_000.123_456).abs() < 1e-6);
        let body = &frame.bodies[0];
        assert_eq!((body.name.as_str(), body.place), ("xp01", [1.0, -0.2505, 0.05]));
        let expected = [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert!(body.rotation.iter().zip(expected).all(|(r, e)| (r - e).abs() < 1e-12), "{:?}", body.rotation);
    }
}

#[test]
fn we_begin_with_the_recorded_cookie_and_ping_as_recorded() {
    let mut client = client(&["xp01"]);
    assert_eq!(client.take_outgoing(), bytes(COOKIE_HEX));
    client.ping();
    let sent = client.take_outgoing();
    // The bytes equal a recording, except for sequence numbers, time stamps and padding.
    let told = "0000002100000000000000000000000 0ffffffff00000000000000057870303100000000 00000000\
        000000330000000000000000 00000000fffffffe00000001000000177672706e5f426173652070696e675f6d657373616765000000000000\
        00000018000000000000000000000000000000000000 0002";
    assert_eq!(sent, bytes(&told.replace(' ', "")));
    client.ping();
    assert_eq!(client.take_outgoing().len(), 24, "descriptions are sent once");
}

#[test]
fn poses_of_one_moment_are_one_frame_without_delay() {
    let mut client = client(&["a", "b", "c"]);
    let mut feed = |sender, ms| client.feed(&pose(sender, ms, 0.0)).unwrap();
    // The first pose completes a frame at once, because the client does not know the other trackers yet.
    assert_eq!(names(&feed(1, 1000)[0]), ["a"]);
    assert!(feed(2, 1000).is_empty() && feed(3, 1001).is_empty());
    assert_eq!(names(&feed(1, 1020)[0]), ["a", "b", "c"]);
    assert!(feed(2, 1020).is_empty());
    for round in 0..3 {
        let frames = feed(3, 1021 + 20 * round);
        assert_eq!(names(&frames[0]), ["a", "b", "c"], "as soon as the last has spoken");
        assert_eq!(frames[0].number, 3 + round);
        assert!(frames[0].bodies[0].age_s < 0.0011);
        assert!(feed(1, 1040 + 20 * round).is_empty() && feed(2, 1040 + 20 * round).is_empty());
    }
}

#[test]
fn one_that_is_silent_ages_and_is_then_left_out() {
    let mut client = client(&["a", "b"]);
    client.feed(&pose(2, 1000, 0.0)).unwrap();
    let mut ages = Vec::new();
    for i in 0..100 {
        let frames = client.feed(&pose(1, 1000 + 20 * i, f64::from(i))).unwrap();
        ages.extend(frames.iter().filter_map(|f| Some(f.bodies.get(1)?.age_s)));
    }
    assert!(ages.len() >= 48 && ages.len() <= 51, "{}", ages.len());
    assert!(ages.windows(2).all(|w| w[1] > w[0]) && ages[40] > 0.7);
    assert_eq!(names(&client.feed(&pose(1, 3000, 0.0)).unwrap()[0]), ["a"], "and nobody waits for it");
}

#[test]
fn frozen_server_repeats_frame_number() {
    let mut client = client(&["a"]);
    let numbers: Vec<u32> = [1000, 1020, 1020, 1020, 1040]
        .iter()
        .flat_map(|ms| client.feed(&pose(1, *ms, 0.0)).unwrap())
        .map(|f| f.number)
        .collect();
    assert_eq!(numbers, [1, 2, 2, 2, 3]);
}

#[test]
fn sensors_but_the_first_have_names_of_their_own() {
    let mut client = client(&["Tracker0"]);
    let mut second = pose(1, 1000, 0.0);
    second[27] = 4;
    assert_eq!(names(&client.feed(&second).unwrap()[0]), ["Tracker0:4"]);
    assert!(client.feed(&pose(9, 1000, 0.0)).unwrap().is_empty(), "nobody described sender 9");
}

#[test]
fn hostile_bytes_are_refused() {
    let error = Client::new().feed(b"HTTP/1.1 400 Bad Request\r\n").unwrap_err();
    assert!(error.to_string().contains("HTTP/1.1"), "{error}");
    assert!(Client::new().feed(&bytes(&COOKIE_HEX.replace("3338", "3030"))).is_ok(), "another minor version");
    let after = |hex: &str| client(&["a"]).feed(&bytes(hex)).unwrap_err();
    assert_eq!(after("00000010"), VrpnError::Length(16));
    assert_eq!(after("7fffffff"), VrpnError::Length(0x7fff_ffff));
    assert_eq!(after(&XP01.replace("00000005787030", "00000009787030")), VrpnError::Truncated("description"));
    assert_eq!(described(&message::describe(&"x".repeat(257))), Err(VrpnError::Name(257)));
    let cut = POSE_HEX.replace("00000058", "00000050");
    assert_eq!(after(&cut), VrpnError::Truncated(POSE));
}
