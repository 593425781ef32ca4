//! Writes the seeds for fuzzers of streams and files to `DIRECTORY/<target>/`. This program is instrumented like the
//! fuzzers, and so links only together with libFuzzer. It ends before libFuzzer starts.

#![no_main]
#![allow(clippy::print_stderr, reason = "a program without a log")]

use libfuzzer_sys::fuzz_target;
use natnet::serverinfo::ConnectionInfo;
use natnet::{DataSet, ModelDef, PlannedBody, RigidBodyDef, ServerInfo, SyntheticServer, Version};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xpuck_arena::mocap::{vicon, vrpn};
use xpuck_kernels::world::Pose;
use xpuck_wire::codec::encode;
use xpuck_wire::message::{Reply, Request, RobotMessage, ToRobot, ToWorker, WorkerMessage};
use xpuck_wire::seal::Sealer;
use xpuck_wire::signed::Signed;
use xpuck_wire::{PushAnswer, Status};

fuzz_target!(init: write_and_end(), |_bytes: &[u8]| {});

fn write_and_end() {
    let written = write_all();
    if let Err(error) = &written {
        eprintln!("seeds: {error}");
    }
    std::process::exit(written.is_err().into());
}

fn write_all() -> std::io::Result<()> {
    let root: PathBuf = std::env::args_os().nth(1).expect("the folder to write to").into();
    let put = |target: &str, name: &str, bytes: &[u8]| -> std::io::Result<()> {
        let folder = root.join(target);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(name), bytes)
    };
    let text = "experiment = \"name = 1\"\n".to_string();
    let signed = Signed { manifest: text, signer: "x".into(), signature: "5a".repeat(64), files: Default::default() };
    let messages = [
        encode(&RobotMessage::Telemetry(Box::default())),
        encode(&RobotMessage::Settings(PushAnswer::default())),
        encode(&ToRobot::Senses { up: 1.0, neighbours: vec![(2, 0.25, 0.5).into()], age: 0.1 }),
        encode(&ToRobot::Experiment { number: 1, seed: 1, robots: 9, signed: signed.clone() }),
        encode(&Sealer::new(1).seal("xp01", ToRobot::Ping { stamp: 1.0 })),
        encode(&WorkerMessage::Join { island: 1, generation: 2 }),
        encode(&ToWorker::Refused { island: 1, why: "x".into() }),
        encode(&signed),
        encode(&Request::Start { signed, seed: 1 }),
        encode(&Reply::Status(Box::<Status>::default())),
    ];
    for (number, bytes) in messages.iter().enumerate() {
        put("messages", &number.to_string(), bytes)?;
    }
    let (names, poses) = (["xp01", "frisbee"].map(String::from), [Pose::default(); 2]);
    let wanted: BTreeSet<u32> = (0..64).collect();
    let frame = |number| vicon::encode::frame(&names, 50, &vicon::frame(number, &poses, 1), &wanted);
    put("vicon", "frames", &[vec![200], vicon::encode::hello(&vicon::encode::SUPPORTED), frame(1), frame(2)].concat())?;
    let mut writer = vrpn::encode::Writer::default();
    writer.descriptions(Duration::from_secs(1), &names);
    for (tracker, pose) in (0..).zip(vrpn::poses(&poses, 1)) {
        writer.pose(Duration::from_secs(1), tracker, &pose);
    }
    put("vrpn", "poses", &[b"\xc8vrpn: ver. 07.38  0\0\0\0\0\0".to_vec(), writer.take()].concat())?;
    put("natnet", "frame", &natnet()?)?;
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["docs/experiments", "docs/worlds", "docs/worlds/missions"].map(|folder| project.join(folder));
    for entry in folders.iter().flat_map(std::fs::read_dir).flatten().flatten() {
        // The folders also contain pictures and a page.
        if entry.path().extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        put("files", &entry.file_name().to_string_lossy(), &std::fs::read(entry.path())?)?;
    }
    put("files", "settings", b"[calibration.drive]\nleft = 1.01\n[evolution]\nthreads = 2\n")?;
    let manifest = "experiment = \"name = 1\"\n[[file]]\nname = \"on.bt\"\nsize = 17\nsha256 = \"5a\"\n";
    put("files", "manifest", manifest.as_bytes())?;
    let key = "0".repeat(40);
    let public = format!("name = \"xp01\"\ncurve = \"{key}\"\ned25519 = \"{key}\"\n");
    put("files", "key", public.as_bytes())?;
    put("groot", "tree", &[&[6u8, 2, b'T', 1, 2, 3, 4][..]].concat())?;
    let captures = project.join("hub/gateway/tests/captures");
    for entry in std::fs::read_dir(captures)?.flatten() {
        // Files are cut at the maximum input length of this fuzzer (64 KiB).
        let bytes = std::fs::read(entry.path())?;
        put("monitors", &entry.file_name().to_string_lossy(), &bytes[..bytes.len().min(1 << 16)])?;
    }
    let commands =
        "(agent (unum 1)(team Left)(move 1 2 0 90))((ball (pos 0 0 50))(getAck moved))(score (left 1)(right 2))";
    put("monitors", "commands", commands.as_bytes())?;
    put(
        "monitors",
        "agent",
        b"(scene nao.rsg)(init (unum 0)(teamname X))(he1 1.5)(beam 0 0 90)(say hi)(leds 0 0 1)(syn)",
    )?;
    let lines = "CreateRobot\r\nBodyShape 1 1 20 1 4 -30 40 30 40 30 -40 -30 -40\r\nMoveTo 1 10 10 0\r\nVisualSensor 1 1 1 1 0 0 0 0\r\n";
    put("evaluation", "lines", lines.as_bytes())?;
    let automaton =
        "1 -> 2: (SENSORS_TARGET_MARK), in:CARGOLOADER_LOAD, out:-\n2 -> 1: outgoing (CARGOLOADER_OK), in:-, out:-\n";
    put("curricula", "automaton", format!("\u{5}{automaton}").as_bytes())?;
    let population = format!(
        "\u{2}population 1 cargoloader\ngenerations 12\nevaluations 691\nindividual 1.5\nmodule cargoloader\n{automaton}"
    );
    put("curricula", "population", population.as_bytes())?;
    for (kind, file) in [
        ("\u{1}", "docs/curricula/cargo-creative.toml"),
        ("\u{3}", "hub/automata/tests/original/sequential4.prj.3"),
        ("\u{4}", "hub/automata/tests/original/sequential.prj"),
    ] {
        let text = std::fs::read_to_string(project.join(file))?;
        put("curricula", file.rsplit('/').next().unwrap_or(file), format!("{kind}{text}").as_bytes())?;
    }
    put("devices", "zeros", &[0; 128])?;
    let mut record = mcap::Writer::new(std::io::Cursor::new(Vec::new())).map_err(std::io::Error::other)?;
    let channel = record.add_channel(0, "/events", "json", &Default::default()).map_err(std::io::Error::other)?;
    let header = mcap::records::MessageHeader { channel_id: channel, sequence: 1, log_time: 1, publish_time: 1 };
    record.write_to_known_channel(&header, b"{\"time\":1.0,\"text\":\"x\"}").map_err(std::io::Error::other)?;
    record.finish().map_err(std::io::Error::other)?;
    put("record", "one", &record.into_inner().into_inner())
}

/// Returns the seed of the NatNet fuzzer: Motive's server information, the name of a body, and the body's pose in two
/// frames.
fn natnet() -> std::io::Result<Vec<u8>> {
    let (version, clock) = (Version::V4_1, 1_000_000);
    let server = SyntheticServer::new(version, clock);
    let info = ServerInfo {
        application_name: "Motive".into(),
        server_version: version,
        protocol_version: version,
        high_res_clock_frequency: clock,
        connection: ConnectionInfo { data_port: 1511, multicast: false, multicast_group: [239, 255, 42, 99] },
    };
    let tail = 0i32.to_le_bytes().to_vec();
    let body = RigidBodyDef { name: "xp01".into(), id: 7, parent_id: -1, offset: [0.0; 3], tail };
    let frame = |number| {
        let pose = PlannedBody::tracked(7, [1.0, 0.1, -0.3], [0.0, 0.0, 0.0, 1.0]);
        server.datagram(number, 0.01 * f64::from(number), &[pose, PlannedBody::dropout(8)])
    };
    let model = ModelDef { datasets: vec![DataSet::RigidBody(body)] };
    let datagrams = [info.to_datagram(), server.model_def_datagram(&model), frame(1), frame(2)];
    let mut bytes = Vec::new();
    for datagram in datagrams {
        let datagram = datagram.map_err(std::io::Error::other)?;
        bytes.extend((datagram.len() as u16).to_le_bytes());
        bytes.extend(datagram);
    }
    Ok(bytes)
}
