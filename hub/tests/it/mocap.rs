//! The hub's motion-capture clients and the virtual arena's servers, which share no code, through real sockets.

use crate::common::{free_ports, xpuck};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;
use xpuck_hub::config::{Gates, Mocap, MocapKind};
use xpuck_hub::mocap::Frame;
use xpuck_hub::mocap::client::{self, Event, QUEUE};

/// Longest wait for a frame; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

fn next_frame(events: &Receiver<Event>) -> Frame {
    match events.recv_timeout(PATIENCE).unwrap() {
        Event::Frame(frame) => frame,
        Event::Note(text) => panic!("{text}"),
    }
}

#[test]
fn all_kinds_of_server_show_the_same_poses() {
    let dir = tempfile::tempdir().unwrap();
    let ports = free_ports();
    let address = |i: u16| format!("127.0.0.1:{}", ports + i);
    let swarm = format!(
        "robots = [\"xp01\", \"xp02\"]\n[hub]\nrobots = \"tcp://{}\"\noperator = \"tcp://{}\"\n",
        address(2),
        address(3)
    );
    let arena = format!(
        "swarm = \"swarm.toml\"\nseed = 3\nscenario = \"b\"\ndevices = \"d\"\nmocap = \"{}\"\nvrpn = \"{}\"\n\
         [camera]\nwidth = 32\nheight = 24\nframes_per_second = 1.0\n",
        address(0),
        address(1)
    );
    std::fs::write(dir.path().join("swarm.toml"), swarm).unwrap();
    std::fs::write(dir.path().join("arena.toml"), arena).unwrap();
    let mut process = xpuck()
        .args(["arena", "--lifeline", "--config"])
        .arg(dir.path().join("arena.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
    assert_eq!(ready, "ready\n");

    let robots = ["xp01".to_string(), "xp02".to_string()];
    let mut shown: Vec<BTreeMap<String, [f32; 3]>> = Vec::new();
    for (kind, port) in [(MocapKind::Vicon, 0), (MocapKind::Vrpn, 1), (MocapKind::VrpnUdp, 1)] {
        let mocap = Mocap { kind, address: address(port), frisbee: "frisbee".into(), gates: Gates::default() };
        let (sender, events) = sync_channel(QUEUE);
        let stop = Arc::new(AtomicBool::new(false));
        client::start(&mocap, &robots, sender, stop.clone()).unwrap();
        // The first frames of VRPN show those who have spoken.
        let mut last =
            (0..50).map(|_| next_frame(&events)).find(|frame| frame.bodies.len() == 3).expect("three bodies");
        for _ in 0..20 {
            let frame = next_frame(&events);
            assert!(frame.number > last.number && frame.bodies.len() == 3, "{kind:?}: {frame:?} after {last:?}");
            last = frame;
        }
        stop.store(true, Ordering::Relaxed);
        let place = |b: &xpuck_hub::mocap::Tracked| (b.name.clone(), [b.pose.at.x, b.pose.at.y, b.pose.heading]);
        shown.push(last.bodies.iter().map(place).collect());
    }
    // Dropping the lifeline ends the arena.
    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
    // Nobody drove, so nothing moved.
    assert!(shown[0].contains_key("frisbee") && shown[0].contains_key("xp02"), "{shown:?}");
    for others in &shown[1..] {
        let keys = |of: &BTreeMap<String, [f32; 3]>| of.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(others), keys(&shown[0]));
        let off = |name: &String, i: usize| (others[name][i] - shown[0][name][i]).abs();
        assert!(others.keys().all(|name| (0..3).all(|i| off(name, i) < 1e-5)), "{shown:?}");
    }
}
