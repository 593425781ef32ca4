//! Tests the hub's NatNet client against the arena's server through real sockets, with unicast and multicast. Client
//! and server share no code.

use crate::common::free_ports;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, sync_channel};
use std::sync::{Arc, OnceLock};
use xpuck_arena::mocap::natnet::{NatNet, Version};
use xpuck_arena::mocap::vicon::FRISBEE;
use xpuck_arena::{Arena, Settings, run};
use xpuck_hub_core::config::{self, Mocap, MocapKind};
use xpuck_hub_core::mocap::Frame;
use xpuck_hub_service::mocap::client::{self, Event, QUEUE};
use xpuck_kernels::world::Scenario;
use xpuck_testing::patience;

const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 42, 99);

fn settings(devices: &Path, natnet: NatNet) -> Settings {
    Settings { seed: 4, scenario: Scenario::B, natnet: Some(natnet), ..Settings::with_defaults(2, devices) }
}

/// Guard that stops a client's thread or an arena at the end of its test, also after a failure.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Starts a NatNet client of the server at `address`. Returns the client's events, and a flag that stops the client.
fn watch(address: SocketAddrV4) -> (Receiver<Event>, Arc<AtomicBool>) {
    let mocap =
        Mocap { kind: MocapKind::Natnet, address: address.to_string(), frisbee: FRISBEE.into(), ..Mocap::default() };
    let (sender, events) = sync_channel(QUEUE);
    let stop = Arc::new(AtomicBool::new(false));
    client::start(
        (&mocap, &config::Arena::default()),
        (&["xp01".to_string(), "xp02".to_string()], mpsc::channel().1),
        0,
        sender,
        stop.clone(),
        || (),
    )
    .unwrap();
    (events, stop)
}

/// Runs an arena while `test` runs. `test` gets the address of the arena's NatNet server.
fn serve<R>(settings: &Settings, test: impl FnOnce(SocketAddrV4) -> R) -> R {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (stop, (ready, listening)) = (&stop, mpsc::channel());
        scope.spawn(move || run(settings, stop, |l| ready.send(*l).unwrap(), |_, _| {}, &mut ()).unwrap());
        let _guard = StopAtEnd(stop);
        test(listening.recv().unwrap().natnet.unwrap().to_string().parse().unwrap())
    })
}

/// Returns the next event, which must be a frame.
fn next(events: &Receiver<Event>) -> Frame {
    match events.recv_timeout(patience()).unwrap() {
        Event::Frame(frame, _) => frame,
        other => panic!("{other:?}"),
    }
}

/// Waits for the first frame with the names of all bodies. Compares the next 20 frames with the true poses.
fn compare(events: &Receiver<Event>, settings: &Settings) {
    // Nothing drives the robots, so all bodies stay at their start poses.
    let truth = Arena::new(settings).unwrap().poses(0.0);
    let named = (0..50).map(|_| next(events)).find(|frame| frame.bodies.len() == 3);
    let mut last = named.expect("the server was asked for names").number;
    for _ in 0..20 {
        let frame = next(events);
        assert!(frame.number > last, "{} after {last}", frame.number);
        last = frame.number;
        for (name, pose) in ["xp01", "xp02", FRISBEE].iter().zip(&truth) {
            let seen = frame.pose(name).unwrap_or_else(|| panic!("no {name} in {frame:?}"));
            let off = [seen.at.x - pose.at.x, seen.at.y - pose.at.y, seen.heading - pose.heading];
            assert!(off.iter().all(|d| d.abs() < 1e-5), "{name}: {seen:?} for {pose:?}");
        }
    }
}

#[test]
fn client_of_a_multicast_group_accepts_only_its_server() {
    let dir = tempfile::tempdir().unwrap();
    for version in [Version::V3_1, Version::V4_1, Version::V4_2] {
        let group = SocketAddrV4::new(GROUP, free_ports());
        let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0);
        let settings = settings(dir.path(), NatNet { address, group: Some(group), version });
        serve(&settings, |server| {
            // Two clients on one machine share the port of the multicast group.
            let ((events, stop), (others, end)) = (watch(server), watch(server));
            let _guards = (StopAtEnd(&stop), StopAtEnd(&end));
            compare(&events, &settings);
            compare(&others, &settings);
            // Another program sends to the group. If the clients accepted its packets, their connections would end.
            let stranger = UdpSocket::bind((Ipv4Addr::new(127, 0, 0, 2), 0)).unwrap();
            for _ in 0..20 {
                stranger.send_to(&[7, 0, 1, 0, 0xff], group).unwrap();
            }
            compare(&events, &settings);
        });
    }
}

#[test]
fn lost_server_is_reported_and_found_again() {
    let dir = tempfile::tempdir().unwrap();
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, free_ports());
    let settings = settings(dir.path(), NatNet { address, group: None, version: Version::V4_1 });
    let client = OnceLock::new();
    serve(&settings, |server| {
        assert_eq!(server, address);
        let (events, _) = client.get_or_init(|| watch(server));
        compare(events, &settings);
    });
    let (events, stop) = client.get().unwrap();
    let _guard = StopAtEnd(stop);
    let note = |wanted: &str| {
        let notes = std::iter::repeat_with(|| events.recv_timeout(patience()).unwrap());
        let found = notes.take(1000).any(|event| matches!(event, Event::Note(line) if line.text.contains(wanted)));
        assert!(found, "no note {wanted:?}");
    };
    note(&format!("motion capture at {address}: silent for 2 s; retrying"));
    serve(&settings, |_| {
        note("frames are received again");
        compare(events, &settings);
    });
}
