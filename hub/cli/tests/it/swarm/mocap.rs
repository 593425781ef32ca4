//! Tests the hub's motion-capture clients against the virtual arena's servers through real sockets. Clients and servers
//! share no code.

use crate::rig::{Folder, Layout, Process, free_ports, xpuck};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::time::Duration;
use xpuck_arena::mocap::vicon::encode::{self, SUPPORTED};
use xpuck_arena::mocap::vicon::frame;
use xpuck_hub_core::config::{Arena, Config, HubFile, Mocap, MocapKind};
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::mocap::Frame;
use xpuck_hub_service::mocap::client::{self, Event, QUEUE};
use xpuck_kernels::math::vec2;
use xpuck_kernels::world::Pose;
use xpuck_record::Recorder;
use xpuck_record::run_file::Beginning;
use xpuck_testing::patience;
use xpuck_wire::{Addresses, Body, Security, Status, Swarm};

fn next_frame(events: &Receiver<Event>) -> Frame {
    match events.recv_timeout(patience()).unwrap() {
        Event::Frame(frame, _) => frame,
        Event::Note(line) => panic!("{line:?}"),
        Event::Refused(counts) => panic!("{counts:?}"),
    }
}

#[test]
fn all_kinds_of_servers_show_the_same_poses() {
    let folder = Folder::new(&Layout { robots: &["xp01", "xp02"], keys: false, ..Layout::default() });
    let ports = free_ports();
    let (vrpn, natnet) = (format!("127.0.0.1:{ports}"), format!("127.0.0.1:{}", ports + 1));
    folder.append("arena.toml", &format!("vrpn = \"{vrpn}\"\n[natnet]\naddress = \"{natnet}\"\n"));
    let mut arena = xpuck();
    arena.args(["serve", "arena", "--end-with-stdin", "--config"]).arg(folder.path("arena.toml"));
    let (arena, _) = Process::serve(&mut arena, folder.path("arena.log"));

    let robots = ["xp01".to_string(), "xp02".to_string()];
    let mut shown: Vec<BTreeMap<String, [f32; 3]>> = Vec::new();
    let servers = [
        (MocapKind::Vicon, &folder.mocap()),
        (MocapKind::Vrpn, &vrpn),
        (MocapKind::VrpnUdp, &vrpn),
        (MocapKind::Natnet, &natnet),
    ];
    for (kind, address) in servers {
        let mocap = Mocap { kind, address: address.clone(), frisbee: "frisbee".into(), ..Mocap::default() };
        let (sender, events) = sync_channel(QUEUE);
        let stop = Arc::new(AtomicBool::new(false));
        client::start((&mocap, &Arena::default()), (&robots, channel().1), 0, sender, stop.clone(), || ()).unwrap();
        // VRPN sends each body separately, so the first frames may lack bodies.
        let mut last =
            (0..50).map(|_| next_frame(&events)).find(|frame| frame.bodies.len() == 3).expect("three bodies");
        for _ in 0..20 {
            let frame = next_frame(&events);
            assert!(frame.number > last.number && frame.bodies.len() == 3, "{kind:?}: {frame:?} after {last:?}");
            last = frame;
        }
        stop.store(true, Ordering::Relaxed);
        let place = |b: &xpuck_hub_core::mocap::Tracked| (b.name.clone(), [b.pose.at.x, b.pose.at.y, b.pose.heading]);
        shown.push(last.bodies.iter().map(place).collect());
    }
    arena.end();
    // Nothing drives the robots, so all bodies rest and all protocols must report the same poses.
    assert!(shown[0].contains_key("frisbee") && shown[0].contains_key("xp02"), "{shown:?}");
    for others in &shown[1..] {
        let keys = |of: &BTreeMap<String, [f32; 3]>| of.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(others), keys(&shown[0]));
        let off = |name: &String, i: usize| (others[name][i] - shown[0][name][i]).abs();
        assert!(others.keys().all(|name| (0..3).all(|i| off(name, i) < 1e-5)), "{shown:?}");
    }
}

/// Returns a packet of a Vicon server with two robots and a frisbee. `robots` has the x coordinates of the two robots
/// (m).
fn packet(number: u32, robots: [f32; 2]) -> Vec<u8> {
    let pose = |x: f32| Pose { at: vec2(x, 0.0), heading: 0.0 };
    let subjects = ["xp01", "xp02", "frisbee"].map(String::from);
    let frame = frame(number, &[pose(robots[0]), pose(robots[1]), pose(0.0)], 2);
    encode::frame(&subjects, 100, &frame, &SUPPORTED.into())
}

/// Accepts a client, sends it the packets at intervals of 10 ms, and closes the connection.
fn serve(listener: &TcpListener, packets: impl IntoIterator<Item = Vec<u8>>) {
    let (mut stream, _) = listener.accept().unwrap();
    stream.write_all(&encode::hello(&SUPPORTED)).unwrap();
    stream.read_exact(&mut [0; 8]).unwrap();
    for packet in packets {
        // The client has closed the connection.
        if stream.write_all(&packet).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a client and a server. The client connects repeatedly, and the server sends one list of packets per
/// connection. Passes the client's events to `enough` until `enough` returns true.
fn watch(connections: Vec<Vec<Vec<u8>>>, mut enough: impl FnMut(&Event) -> bool) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let mocap = Mocap { address: address.to_string(), frisbee: "frisbee".into(), ..Mocap::default() };
    let (sender, events) = sync_channel(QUEUE);
    let stop = Arc::new(AtomicBool::new(false));
    client::start(
        (&mocap, &Arena::default()),
        (&["xp01".to_string(), "xp02".to_string()], channel().1),
        0,
        sender,
        stop.clone(),
        || (),
    )
    .unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| connections.into_iter().for_each(|packets| serve(&listener, packets)));
        while !enough(&events.recv_timeout(patience()).unwrap()) {}
        stop.store(true, Ordering::Relaxed);
    });
}

fn refused(event: &Event, reason: &str) -> bool {
    matches!(event, Event::Refused(counts) if counts.iter().any(|(why, n)| why.contains(reason) && *n >= 10))
}

#[test]
fn frames_of_a_frozen_server_are_counted_and_dropped() {
    let mut frames = 0;
    watch(vec![vec![packet(7, [0.3, 0.5]); 300]], |event| {
        frames += usize::from(matches!(event, Event::Frame(..)));
        refused(event, "of a stale frame")
    });
    assert_eq!(frames, 1);
}

#[test]
fn invalid_poses_and_swapped_robots_are_counted_and_dropped() {
    let nan = (0..300).map(|i| packet(i, [f32::NAN, 0.5])).collect();
    watch(vec![nan], |event| {
        assert!(
            !matches!(event, Event::Frame(f, _) if f.pose("xp01").is_some() || f.pose("xp02").is_none()),
            "{event:?}"
        );
        refused(event, "invalid")
    });
    let swapped = (0..300).map(|i| packet(i, if i < 20 { [0.3, 0.5] } else { [0.5, 0.3] })).collect();
    watch(vec![swapped], |event| {
        let near = |f: &Frame, name, x: f32| f.pose(name).is_none_or(|pose| (pose.at.x - x).abs() < 1e-6);
        if let Event::Frame(f, _) = event {
            assert!(near(f, "xp01", 0.3) && near(f, "xp02", 0.5), "{f:?}");
        }
        refused(event, "too far away")
    });
}

#[test]
fn server_with_nonsense_is_disconnected_and_tried_again() {
    let good = |from: u32| (from..from + 20).map(|i| packet(i, [0.3, 0.5])).collect::<Vec<_>>();
    let mut hostile = good(0);
    hostile.push([0x1a2b_0001u32.to_le_bytes(), u32::MAX.to_le_bytes()].concat());
    let mut notes = Vec::new();
    let mut frames = [0, 0];
    watch(vec![hostile, good(100)], |event| {
        match event {
            Event::Note(line) => notes.push(line.text.clone()),
            Event::Frame(frame, _) => frames[usize::from(frame.number >= 100)] += 1,
            Event::Refused(counts) => panic!("{counts:?}"),
        }
        frames[1] == 10
    });
    assert!(frames[0] > 0, "{frames:?}");
    assert!(notes[0].contains("a packet has 4294967295 bytes; at most"), "{notes:?}");
    assert!(notes[1].contains("frames are received again"), "{notes:?}");
}

#[test]
fn recorded_run_is_replayed_twice() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Addresses { robots: String::new(), operator: String::new(), console: None };
    let config = Config {
        hub: HubFile::at(dir.path()),
        swarm: Swarm {
            speed: 1.0,
            robots: vec!["xp01".into()],
            peers: Vec::new(),
            hub,
            security: Security::dev_mode(),
        },
    };
    let mut recorder = Recorder::open(
        &config,
        &Beginning {
            name: "x",
            text: "name = \"x\"\nminutes = 1.0\nsegment_minutes = 1.0\ntask = \"transport\"\n",
            files: &BTreeMap::new(),
            seed: 1,
            unix_ms: 0,
            commit: "unknown",
        },
    )
    .unwrap();
    // The robot moves at 50 mm/s and rotates by about 90 degrees in total.
    let pose = |i: u16| [0.002 * f32::from(i), 0.1, 0.05 * f32::from(i)];
    for i in 0..32 {
        let bodies = vec![Body { name: "xp01".into(), pose: pose(i) }];
        assert_eq!(recorder.write(Entry::Poses { time: 100.0 + 0.04 * f64::from(i), bodies }), None);
    }
    let file = recorder.directory().join(xpuck_record::NAME);
    recorder.close(Status::default()).wait(Duration::from_secs(60));
    let mocap = Mocap { kind: MocapKind::Replay, file: Some(file), speed: 4.0, repeat: true, ..Mocap::default() };
    let (sender, events) = sync_channel(QUEUE);
    let stop = Arc::new(AtomicBool::new(false));
    let began = std::time::Instant::now();
    client::start((&mocap, &Arena::default()), (&config.swarm.robots, channel().1), 0, sender, stop.clone(), || ())
        .unwrap();
    // The client plays the record twice. At the second start the robot jumps back to its first pose, which the
    // plausibility checks must accept.
    for (number, i) in (1..).zip((0..32).chain(0..32)) {
        let frame = next_frame(&events);
        assert_eq!(number, frame.number);
        let seen = frame.pose("xp01").unwrap();
        let seen = [seen.at.x, seen.at.y, seen.heading];
        let off = seen.iter().zip(pose(i)).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f32::max) < 1e-5, "{seen:?}");
    }
    assert!(began.elapsed() >= Duration::from_millis(600), "1.24 s, twice, at four times the speed");
    stop.store(true, Ordering::Relaxed);
}
