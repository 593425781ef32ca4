//! Attacks with damaged motion-capture streams. The clients must not panic, hang, or return invalid poses.

use std::collections::BTreeSet;
use std::time::Duration;
use xpuck_arena::mocap::{natnet, vicon, vrpn};
use xpuck_hub_core::config::{Gates as Limits, UpAxis, ViconMode};
use xpuck_hub_core::mocap::Tracked;
use xpuck_hub_core::mocap::gates::PoseFilter;
use xpuck_hub_service::mocap::source::Codec;
use xpuck_hub_service::mocap::{natnet as natnet_client, vicon as vicon_client, vrpn as vrpn_client};
use xpuck_kernels::math::vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::Pose;

/// Number of damaged copies of each stream.
const FORMS: u32 = 4000;

fn poses() -> Vec<Pose> {
    (0..3).map(|i| Pose { at: vec2(0.2 * i as f32, -0.1), heading: 0.5 * i as f32 }).collect()
}

fn names() -> Vec<String> {
    ["xp01", "xp02", "frisbee"].map(String::from).to_vec()
}

/// Returns a stream of the arena's Vicon server: the greeting, and three frames with all kinds of content.
fn vicon_stream() -> Vec<u8> {
    let wanted: BTreeSet<u32> = (0..64).collect();
    let frame =
        |number| vicon::encode::frame(&names(), 50, &vicon::frame(number, &poses(), poses().len() - 1), &wanted);
    [vicon::encode::hello(&vicon::encode::SUPPORTED), frame(1), frame(2), frame(3)].concat()
}

/// Returns a stream of the arena's VRPN server: the names of the senders, and three rounds of poses.
fn vrpn_stream() -> Vec<u8> {
    let mut session = vrpn::encode::Writer::default();
    session.descriptions(Duration::from_secs(1), &names());
    for round in 1..4 {
        for (tracker, pose) in (0..).zip(vrpn::poses(&poses(), poses().len() - 1)) {
            session.pose(Duration::from_millis(1000 + 20 * round), tracker, &pose);
        }
    }
    // A VRPN connection starts with this cookie in both directions.
    [b"vrpn: ver. 07.38  0\0\0\0\0\0".to_vec(), session.take()].concat()
}

/// Returns datagrams of the arena's NatNet server: the description of the server, the list of bodies, and three
/// frames.
fn natnet_datagrams(version: natnet::Version) -> Vec<Vec<u8>> {
    let frame = |number| {
        let moment = Duration::from_millis(20 * u64::from(number));
        natnet::encode::Frame {
            number,
            exposed: moment,
            sent: moment,
            poses: natnet::poses(&poses(), poses().len() - 1),
        }
    };
    let frames = (1..4).map(|number| natnet::encode::frame(version, &frame(number)));
    [natnet::encode::server_info(version, None), natnet::encode::models(version, &names())]
        .into_iter()
        .chain(frames)
        .collect()
}

fn damage(bytes: &[u8], seed: u32) -> Vec<u8> {
    let mut draws = Draws::new(u64::from(seed), 1, 0, 0, Stream::Device);
    let mut bytes = bytes.to_vec();
    for _ in 0..=draws.below(4) {
        let at = draws.below(bytes.len() as u32) as usize;
        match draws.below(5) {
            0 => bytes[at] ^= 1 << draws.below(8),
            1 => bytes[at..].iter_mut().take(4).for_each(|b| *b = 0xff),
            2 => bytes[at..].iter_mut().take(4).for_each(|b| *b = 0),
            3 => bytes.truncate(at + 1),
            _ => {
                let piece = bytes[at..(at + 24).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

/// Makes damaged copies of a stream. Passes each copy in pieces to a new client, until the client rejects the copy or
/// the copy ends. Checks that the plausibility gates accept only finite poses. Returns the number of frames that were
/// read, and the number of copies that were rejected.
fn attack(stream: &[u8], client: impl Fn() -> Box<dyn Codec>) -> [u32; 2] {
    let mut counts = [0; 2];
    for seed in 0..FORMS {
        let bytes = damage(stream, seed);
        let (mut client, mut frames) = (client(), Vec::new());
        for piece in bytes.chunks(1 + seed as usize % 200) {
            match client.feed(piece) {
                Ok(more) => frames.extend(more),
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    counts[1] += 1;
                    break;
                }
            }
            client.take_outgoing();
        }
        counts[0] += frames.len() as u32;
        assert!(frames.len() <= bytes.len(), "more frames than bytes");
        let mut gates = PoseFilter::new(Limits::default(), &names());
        for frame in frames.iter().filter_map(|raw| gates.filter(raw)) {
            let finite = |b: &Tracked| b.pose.at.x.is_finite() && b.pose.at.y.is_finite();
            assert!(frame.bodies.iter().all(|b| finite(b) && b.pose.heading.is_finite()), "seed {seed}: {frame:?}");
        }
    }
    counts
}

#[test]
fn damaged_vicon_streams_are_refused_or_read() {
    let [frames, refused] = attack(&vicon_stream(), || Box::new(vicon_client::Client::new(ViconMode::Push, false)));
    assert!(frames > FORMS && refused > FORMS / 10, "{frames} frames, {refused} refused");
}

#[test]
fn damaged_vrpn_streams_are_refused_or_read() {
    let [frames, refused] = attack(&vrpn_stream(), || Box::new(vrpn_client::Client::new()));
    assert!(frames > FORMS / 4 && refused > FORMS / 20, "{frames} frames, {refused} refused");
}

#[test]
fn damaged_natnet_datagrams_are_refused_or_read() {
    for version in [natnet::Version::V3_1, natnet::Version::V4_1, natnet::Version::V4_2] {
        let [mut frames, mut refused] = [0; 2];
        for seed in 0..FORMS {
            let mut session = natnet_client::Session::new(UpAxis::Y);
            let mut gates = PoseFilter::new(Limits::default(), &names());
            // One of the five datagrams is damaged, and the others are valid.
            for (i, good) in (0..).zip(natnet_datagrams(version)) {
                let bytes = if seed % 5 == i { damage(&good, seed) } else { good };
                match session.feed(&bytes) {
                    Ok(Some(raw)) => {
                        frames += 1;
                        let finite = |b: &Tracked| b.pose.at.x.is_finite() && b.pose.at.y.is_finite();
                        let seen = gates.filter(&raw);
                        assert!(seen.is_none_or(|f| f.bodies.iter().all(finite)), "seed {seed}: {raw:?}");
                    }
                    Ok(None) => {}
                    Err(error) => {
                        refused += 1;
                        assert!(!error.is_empty());
                    }
                }
                session.take_outgoing();
            }
        }
        assert!(frames > FORMS && refused > FORMS / 10, "{version:?}: {frames} frames, {refused} refused");
    }
}
