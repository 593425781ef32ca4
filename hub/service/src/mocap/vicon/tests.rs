use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// Packets recorded from a server with SDK 1.12. `HELLO` is the server's first packet. `FRAME` contains one subject
/// "xp01" at (1000, -250.5, 50) mm, rotated by 90 degrees about z.
const HELLO: &str = "01002b1a24000000a18601001c00000006000000010000000200000005000000090000002a000000a4860100";
const FRAME: &str = "01002b1a08010000a4860100280000000400000001000000010000000200000001000000050000000100000009000000\
    010000000000000001000000080000007099140000000000020000004000000001000000040000007870303101000000000000000100000000\
    000000000000000000000000000000000000000000000004000000787030310000000000000000050000000400000016000000090000006c00\
    00000100000001000000010000000000000000408f400000000000506fc000000000000049400000000000000000000000000000f0bf000000\
    0000000000000000000000f03f0000000000000000000000000000000000000000000000000000000000000000000000000000f03f";

#[test]
fn recorded_frame_is_decoded() {
    let mut client = Client::new(ViconMode::Push, false);
    assert!(client.feed(&bytes(HELLO)).unwrap().is_empty());
    let frames = client.feed(&bytes(FRAME)).unwrap();
    assert_eq!((frames.len(), frames[0].number), (1, 22));
    assert!((frames[0].time_s - 0.22).abs() < 1e-9, "100 Hz: {}", frames[0].time_s);
    let expected = RawBody {
        name: "xp01".into(),
        place: [1.0, -0.2505, 0.05],
        rotation: [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        quality: None,
        age_s: 0.0,
    };
    assert_eq!(frames[0].bodies, [expected]);
}

#[test]
fn frame_request_matches_recorded_one() {
    let mut client = Client::new(ViconMode::Push, false);
    client.feed(&bytes(HELLO)).unwrap();
    let sent = client.take_outgoing();
    assert!(sent.ends_with(&bytes("01002b1a09000000a28601000100000001")));
    assert_eq!(&sent[8..12], &bytes("a1860100")[..]);
}

#[test]
fn split_input_is_decoded_for_any_chunk_size() {
    let whole = [bytes(HELLO), bytes(FRAME), bytes(FRAME)].concat();
    for piece in [1, 7, 100] {
        let mut client = Client::new(ViconMode::Push, false);
        let frames: usize = whole.chunks(piece).map(|c| client.feed(c).unwrap().len()).sum();
        assert_eq!(frames, 2);
    }
}

#[test]
fn hostile_bytes_are_refused() {
    assert_eq!(Client::new(ViconMode::Push, false).feed(b"HTTP/1.1 200 OK"), Err(ViconError::Magic(0x5054_5448)));
    let huge = [MAGIC.to_le_bytes(), u32::MAX.to_le_bytes()].concat();
    assert_eq!(Client::new(ViconMode::Push, false).feed(&huge), Err(ViconError::Size(u32::MAX as usize)));
    let mut cut = bytes(FRAME);
    let object = cut.len() - 0x6c - 4;
    cut[object] = 0xff;
    assert_eq!(Client::new(ViconMode::Push, false).feed(&cut), Err(ViconError::Truncated(id::GLOBAL_SEGMENTS)));
}

fn object(id: u32, body: &[u8]) -> Vec<u8> {
    [&id.to_le_bytes()[..], &(body.len() as u32).to_le_bytes(), body].concat()
}

fn packet(objects: &[Vec<u8>]) -> Vec<u8> {
    let body = objects.concat();
    [&MAGIC.to_le_bytes()[..], &(body.len() as u32).to_le_bytes(), &body].concat()
}

/// The size of a frame in memory must not greatly exceed its size on the wire, because the hub's loop copies its
/// bodies.
#[test]
fn frame_repeats_no_subject_and_no_long_name() {
    let name = |length: usize| {
        let text = vec![0xff; length];
        object(id::SUBJECT_INFO, &[&7u32.to_le_bytes()[..], &(length as u32).to_le_bytes(), &text].concat())
    };
    let pose = [0f32; 6].map(f32::to_le_bytes).concat();
    let segment = object(id::LIGHTWEIGHT_SEGMENTS, &[&[7, 1, 0].map(u32::to_le_bytes).concat()[..], &pose].concat());
    let number = object(id::FRAME_INFO, &5u32.to_le_bytes());
    let frame = |length: usize| {
        let segments = vec![segment.clone(); 6000].concat();
        packet(&[name(length), number.clone(), segments])
    };
    let fed = |length: usize| Client::new(ViconMode::Push, true).feed(&frame(length));
    assert_eq!(fed(300_000), Err(ViconError::Name(300_000)));
    assert_eq!(fed(256).unwrap()[0].bodies.len(), 1);
}

#[test]
fn impossible_frame_rate_is_refused() {
    let stream = |ticks: i64| packet(&[object(id::STREAM_INFO, &ticks.to_le_bytes())]);
    let fed = |ticks: i64| Client::new(ViconMode::Push, true).feed(&stream(ticks));
    assert!(fed(1_350_000).is_ok() && fed(0).is_ok());
    assert!(matches!(fed(1 << 62), Err(ViconError::Rate(_))));
    assert!(matches!(fed(1), Err(ViconError::Rate(_))));
}

#[test]
fn quality_and_latency_are_asked_for_where_offered_and_read() {
    // ObjectEnums: the server offers the objects 26 (latency) and 40 (quality).
    let offer = bytes("01002b1a14000000a18601000c000000020000001a00000028000000");
    let mut client = Client::new(ViconMode::Push, false);
    client.feed(&offer).unwrap();
    let asked = client.take_outgoing();
    assert_eq!(asked[16..20], 7u32.to_le_bytes());
    assert_eq!(asked[36..44], bytes("1a00000028000000")[..]);
    // Two objects: quality 0.5 for subject 1, and a latency with the parts "a" (0.25 s) and "b" (0.5 s).
    let more = bytes(
        "280000000c00000001000000000000000000e03f\
         1a0000001e000000020000000100000061000000000000d03f0100000062000000000000e03f",
    );
    let mut frame = [bytes(FRAME), more].concat();
    let length = (frame.len() - 8) as u32;
    frame[4..8].copy_from_slice(&length.to_le_bytes());
    let body = &client.feed(&frame).unwrap()[0].bodies[0];
    assert_eq!((body.quality, body.age_s), (Some(0.5), 0.75));
}

#[test]
fn frame_request_follows_mode() {
    // Expected requests: RequestFrame(false), and RequestNextFrame with n = 1.
    let pull = bytes("01002b1a09000000a28601000100000000");
    let next = bytes("01002b1a0c000000a88601000400000001000000");
    for (mode, request) in [(ViconMode::Pull, &pull), (ViconMode::Prefetch, &next)] {
        let mut client = Client::new(mode, false);
        client.feed(&bytes(HELLO)).unwrap();
        assert!(client.take_outgoing().ends_with(request));
        for _ in 0..3 {
            client.feed(&bytes(FRAME)).unwrap();
            assert_eq!(&client.take_outgoing(), request, "and again after each frame");
        }
    }
}

#[test]
fn pull_skips_repeated_frames_unless_server_is_frozen() {
    let mut client = Client::new(ViconMode::Pull, false);
    client.feed(&bytes(HELLO)).unwrap();
    let frames: usize = (0..=FROZEN).map(|_| client.feed(&bytes(FRAME)).unwrap().len()).sum();
    assert_eq!(frames, 2, "the first, and the one that shows that nothing moves");
}

#[test]
fn lightweight_segments_are_asked_for_where_offered_and_read() {
    let mut client = Client::new(ViconMode::Push, true);
    client.feed(&bytes(HELLO)).unwrap();
    let ids = |sent: &[u8]| sent[20..].chunks(4).map(|c| c.try_into().unwrap()).map(u32::from_le_bytes).collect();
    let asked: Vec<u32> = ids(&client.take_outgoing()[..40]);
    assert_eq!(asked, [1, 2, 5, 9, 100_004], "the recorded server has none");
    // ObjectEnums: the server offers the objects 9 (global segments) and 901 (lightweight segments).
    let mut client = Client::new(ViconMode::Push, true);
    client.feed(&bytes("01002b1a14000000a18601000c000000020000000900000085030000")).unwrap();
    let asked: Vec<u32> = ids(&client.take_outgoing()[..40]);
    assert_eq!(asked, [1, 2, 5, 901, 100_004]);
    // The object with global segments in the recorded frame (108 bytes) is replaced by one with a lightweight segment
    // (36 bytes), which is rotated by a quarter turn about z.
    let mut frame = bytes(FRAME);
    frame.truncate(frame.len() - 0x6c - 8);
    frame.extend(bytes("850300002400000001000000010000000100000000007a4400807ac3000048420000000000000000db0fc93f"));
    let length = (frame.len() - 8) as u32;
    frame[4..8].copy_from_slice(&length.to_le_bytes());
    let body = client.feed(&frame).unwrap().remove(0).bodies.remove(0);
    assert_eq!(body.place, [1.0, -0.2505, 0.05]);
    let expected = [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    assert!(body.rotation.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{body:?}");
}
