//! Tests that third-party clients can read the arena's streams. The Python package `motioncapture` provides the
//! clients for Vicon, VRPN and NatNet.
//!
//! `make test` installs the package into a virtual environment. `XPUCK_MOCAP_PYTHON` is the path of the environment's
//! interpreter.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests tell figures")]

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use xpuck_arena::mocap::natnet::{NatNet, Version};
use xpuck_arena::mocap::vicon::FRISBEE;
use xpuck_arena::{Arena, Listening, Settings, run};
use xpuck_kernels::world::{Pose, Scenario};

const ROBOTS: usize = 9;
/// Tolerance of the comparison (m). NatNet transmits poses as f32, the other protocols as f64. The clients return f32.
const MILLIMETRE: f64 = 0.001;

#[test]
fn third_party_clients_see_every_body_where_it_is() {
    let local = SocketAddr::from(([127, 0, 0, 1], 0));
    see(
        |settings| settings.vrpn = Some(local),
        |python, listening| {
            let vrpn = listening.vrpn.unwrap();
            vec![
                ("Vicon", read(python, "vicon", &listening.mocap.to_string(), &[])),
                ("VRPN over TCP", read(python, "vrpn", &format!("tcp://{vrpn}"), &[])),
                ("VRPN called back", read(python, "vrpn", &vrpn.to_string(), &[])),
            ]
        },
    );
}

/// Tests each protocol version of NatNet with its own server, because a server supports only one version. The
/// package's NatNet client supports only multicast groups.
#[test]
fn third_party_client_reads_all_bodies_by_multicast() {
    for (name, version) in [("NatNet 3.1", Version::V3_1), ("NatNet 4.1", Version::V4_1)] {
        // The port for frames must be free, because the client binds it. It must be outside the range of ephemeral
        // ports.
        let free = |port: &u16| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, *port)).is_ok();
        let port = (15_000 + (std::process::id() % 4000) as u16..20_000).find(free).unwrap();
        let group = Some(SocketAddrV4::new(Ipv4Addr::new(239, 255, 42, 99), port));
        let natnet = NatNet { address: SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0), group, version };
        see(
            |settings| settings.natnet = Some(natnet),
            |python, listening| {
                let address = listening.natnet.unwrap();
                let options = [format!("port_command={}", address.port()), format!("interface_ip={}", address.ip())];
                vec![(name, read(python, "optitrack", &address.ip().to_string(), &options))]
            },
        );
    }
}

/// Serves an arena, and compares the output of the clients with the poses of the arena's bodies.
fn see(
    choose: impl FnOnce(&mut Settings),
    clients: impl FnOnce(&std::ffi::OsStr, &Listening) -> Vec<(&'static str, String)>,
) {
    let Some(python) = std::env::var_os("XPUCK_MOCAP_PYTHON") else {
        return xpuck_testing::skipped("XPUCK_MOCAP_PYTHON is not set (make deps-mocap)");
    };
    let dir = tempfile::tempdir().unwrap();
    let mut settings = Settings { seed: 12, scenario: Scenario::B, ..Settings::with_defaults(ROBOTS, dir.path()) };
    choose(&mut settings);
    // No robot is driven, so all bodies stay at their starting positions.
    let mut names = settings.robots.clone();
    names.push(FRISBEE.into());
    let expected: Vec<(String, Pose)> = names.into_iter().zip(Arena::new(&settings).unwrap().poses(0.0)).collect();
    let (stop, (ready, listening)) = (AtomicBool::new(false), mpsc::channel());
    std::thread::scope(|scope| {
        let (settings, stop) = (&settings, &stop);
        let arena = scope.spawn(move || run(settings, stop, |l| ready.send(*l).unwrap(), |_, _| {}, &mut ()));
        let seen = clients(&python, &listening.recv().unwrap());
        // The arena must end before the assertions. Otherwise, a failed assertion would wait for the arena's thread
        // forever.
        stop.store(true, Relaxed);
        arena.join().unwrap().unwrap();
        for (stream, seen) in seen {
            compare(stream, &seen, &expected);
        }
    });
}

/// Returns the output of the client for the protocol `kind`.
fn read(python: &std::ffi::OsStr, kind: &str, host: &str, options: &[String]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/mocap-oracle.py");
    let output = Command::new(python).arg(script).args([kind, host, &(ROBOTS + 1).to_string()]).args(options).output();
    match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        other => format!("{other:?}"),
    }
}

fn compare(stream: &str, seen: &str, expected: &[(String, Pose)]) {
    for (name, pose) in expected {
        let key = format!("\"{name}\": [");
        let Some((_, rest)) = seen.split_once(&key) else { panic!("{stream}: no {name} in {seen}") };
        let numbers: Vec<f64> = rest.split(']').next().unwrap().split(", ").map(|n| n.parse().unwrap()).collect();
        let [x, y, z, qx, qy, qz, qw] = numbers[..] else { panic!("{stream}: {name} has {numbers:?}") };
        // The y axis of NatNet points up, so its coordinates are rotated by a quarter turn around x.
        let turned = stream.starts_with("NatNet");
        let [x, y, z, qx, qy, qz] = if turned { [x, -z, y, qx, -qz, qy] } else { [x, y, z, qx, qy, qz] };
        let height = if name == FRISBEE { 0.025 } else { 0.1 };
        let off = [x - f64::from(pose.at.x), y - f64::from(pose.at.y), z - height];
        assert!(off.iter().all(|d| d.abs() < MILLIMETRE), "{stream}: {name} is off by {off:?} m");
        // A quaternion and its negative represent the same rotation.
        let half = f64::from(pose.heading) / 2.0;
        let along = qz * half.sin() + qw * half.cos();
        assert!(qx.abs() < 1e-3 && qy.abs() < 1e-3, "{stream}: {name} lies aslant: {numbers:?}");
        assert!((along.abs() - 1.0).abs() < 1e-6, "{stream}: {name} is turned otherwise: {numbers:?}, {pose:?}");
    }
}
