//! The arena's streams, read by a third party: the real Vicon and VRPN clients of the `motioncapture` Python wheel.
//!
//! `make test` puts the wheel into a virtual environment, whose interpreter `XPUCK_MOCAP_PYTHON` names.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use xpuck_arena::vicon::FRISBEE;
use xpuck_arena::{Arena, BodyKind, CameraSettings, Faults, Settings, run};
use xpuck_kernels::world::{Pose, Scenario};

const ROBOTS: usize = 9;
/// Both streams carry f64; the clients give f32.
const MILLIMETRE: f64 = 0.001;

#[test]
fn third_party_clients_see_every_body_where_it_is() {
    let Some(python) = std::env::var_os("XPUCK_MOCAP_PYTHON") else {
        eprintln!("skipped: XPUCK_MOCAP_PYTHON is not set; `make test` sets it where PyPI can be reached");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let local = SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = Settings {
        robots: (1..=ROBOTS).map(|i| format!("xp{i:02}")).collect(),
        seed: 12,
        speed: 1.0,
        scenario: Scenario::B,
        device_dir: dir.path().into(),
        mocap: local,
        vrpn: Some(local),
        camera: CameraSettings::default(),
        body: BodyKind::Xpuck,
        faults: Faults::default(),
    };
    // Nobody drives, so bodies stay where they start.
    let mut names = settings.robots.clone();
    names.push(FRISBEE.into());
    let expected: Vec<(String, Pose)> = names.into_iter().zip(Arena::new(&settings).unwrap().poses(0.0)).collect();
    let (stop, (ready, listening)) = (AtomicBool::new(false), mpsc::channel());
    std::thread::scope(|scope| {
        let (settings, stop) = (&settings, &stop);
        let arena = scope.spawn(move || run(settings, stop, |l| ready.send(*l).unwrap()));
        let listening = listening.recv().unwrap();
        let vrpn = listening.vrpn.unwrap();
        let seen = [
            ("Vicon", read(&python, "vicon", &listening.mocap.to_string())),
            ("VRPN over TCP", read(&python, "vrpn", &format!("tcp://{vrpn}"))),
            ("VRPN called back", read(&python, "vrpn", &vrpn.to_string())),
        ];
        // The arena must end before anything is asserted, or a failure would wait for it.
        stop.store(true, Relaxed);
        arena.join().unwrap().unwrap();
        for (stream, seen) in seen {
            compare(stream, &seen, &expected);
        }
    });
}

/// What the wheel's client of this kind prints.
fn read(python: &std::ffi::OsStr, kind: &str, host: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/mocap-oracle.py");
    let output = Command::new(python).arg(script).args([kind, host, &(ROBOTS + 1).to_string()]).output();
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
        let height = if name == FRISBEE { 0.025 } else { 0.1 };
        let off = [x - f64::from(pose.at.x), y - f64::from(pose.at.y), z - height];
        assert!(off.iter().all(|d| d.abs() < MILLIMETRE), "{stream}: {name} is off by {off:?} m");
        // A quaternion and its negative are the same turn.
        let half = f64::from(pose.heading) / 2.0;
        let along = qz * half.sin() + qw * half.cos();
        assert!(qx.abs() < 1e-3 && qy.abs() < 1e-3, "{stream}: {name} lies aslant: {numbers:?}");
        assert!((along.abs() - 1.0).abs() < 1e-6, "{stream}: {name} is turned otherwise: {numbers:?}, {pose:?}");
    }
}
