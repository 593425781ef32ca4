//! A demo watched by a viewer of Foxglove's protocol that is not ours, and its run exported and read by others' readers.

use crate::common::{Children, free_ports, only, said, xpuck};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/foxglove");

/// What a Python script prints; the test fails with what it says if it does not end well.
fn python(python: &str, arguments: &[&str]) -> Value {
    let output = Command::new(python).args(arguments).env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn bodies(port: u16) -> BTreeMap<String, [f64; 2]> {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(socket, "GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let status: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    let place = |body: &Value| [body["pose"][0].as_f64().unwrap(), body["pose"][1].as_f64().unwrap()];
    let bodies = status["bodies"].as_array().unwrap().iter();
    bodies.map(|body| (body["name"].as_str().unwrap().to_string(), place(body))).collect()
}

fn has_known_schemas(schemas: &Value) {
    for (topic, schema) in [
        ("/foxglove/arena", "foxglove.SceneUpdate"),
        ("/foxglove/bodies", "foxglove.SceneUpdate"),
        ("/foxglove/transforms", "foxglove.FrameTransforms"),
        ("/foxglove/log", "foxglove.Log"),
        ("/telemetry", "telemetry"),
        ("/run", "run"),
        ("/events", "events"),
    ] {
        assert_eq!(schemas[topic], schema, "{topic}: {schemas}");
    }
}

#[test]
fn a_demo_is_seen_by_viewers_of_others_live_and_as_a_file() {
    let Ok(interpreter) = std::env::var("XPUCK_RECORD_PYTHON") else {
        return xpuck_testing::skipped("no viewer but our own watches the swarm (make deps-record)");
    };
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path();
    let (ports, viewers) = (free_ports(), free_ports());
    let here = |line: &str| {
        let mut command = xpuck();
        command.args(line.split(' ')).current_dir(place).env("TMPDIR", place).stdin(Stdio::null());
        command
    };
    let line =
        format!("demo --robots 2 --minutes 60 --speed 4 --population 8 --out out --ports {ports} --foxglove {viewers}");
    let log = std::fs::File::create(place.join("demo.log")).unwrap();
    let mut demo = Children::default();
    demo.0.push(here(&line).stdout(Stdio::null()).stderr(log).spawn().unwrap());
    let until = |line: &str, words: &str| {
        let start = Instant::now();
        while !said(&here(line).output().unwrap()).contains(words) {
            let log = std::fs::read_to_string(place.join("demo.log")).unwrap();
            assert!(start.elapsed() < PATIENCE, "{line} never says {words}: {log}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    until("robots", "RUN ");
    let address = format!("ws://127.0.0.1:{viewers}");
    let viewer = format!("{SCRIPTS}/viewer.py");
    let seen = python(&interpreter, &[&viewer, &address, "5"]);
    has_known_schemas(&seen["schemas"]);
    let count = |topic: &str| seen["counts"][topic].as_u64().unwrap_or(0);
    // 25 a second of arena time, four times as fast, on a machine that may be busy.
    assert!(count("/foxglove/transforms") > 50 && count("/telemetry") > 20 && count("/run") > 2, "{seen}");
    assert!(count("/foxglove/arena") >= 1 && count("/foxglove/bodies") >= 1, "{seen}");
    assert_eq!(seen["entities"], serde_json::json!(["arena", "frisbee", "xp01", "xp02"]));
    // All stand: what two ask for one after the other is the same.
    assert!(here("pause").status().unwrap().success());
    let mut before = bodies(ports);
    let start = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let now = bodies(ports);
        if now == before {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "they never stand: {now:?}");
        before = now;
    }
    let seen = python(&interpreter, &[&viewer, &address, "1"]);
    assert_eq!(seen["places"].as_object().unwrap().len(), before.len());
    for (name, at) in &before {
        for (axis, wanted) in at.iter().enumerate() {
            let told = seen["places"][name][axis].as_f64().unwrap();
            assert!((told - wanted).abs() < 2e-5, "{name}: {told} is told, and {wanted} by the console");
        }
    }
    exported(&here, &interpreter, place, &dir.path().join("scenes.mcap"));
}

/// The run so far as one file.
fn exported(here: &dyn Fn(&str) -> Command, interpreter: &str, place: &Path, file: &Path) {
    let export = here("runs export last --runs out --foxglove scenes.mcap").output().unwrap();
    let text = said(&export);
    assert!(export.status.success() && text.contains("/foxglove/transforms: "), "{text}");
    let read = python(interpreter, &[&format!("{SCRIPTS}/file.py"), &file.display().to_string()]);
    has_known_schemas(&read["schemas"]);
    let counts = &read["counts"];
    assert_eq!(counts["/foxglove/transforms"], counts["/poses"], "{counts}");
    assert!(counts["/foxglove/log"].as_u64() >= counts["/events"].as_u64(), "{counts}");
    for (topic, count) in counts.as_object().unwrap() {
        let said = format!("{topic}: {count} message");
        assert!(text.contains(&said), "{said}: {text}");
    }
    // Our own reader takes it for what it is.
    let entries = xpuck_record::read::entries(file).unwrap().count() as u64;
    let own = counts.as_object().unwrap().iter().filter(|(topic, _)| !topic.starts_with("/foxglove/"));
    assert_eq!(entries, own.map(|(_, count)| count.as_u64().unwrap()).sum::<u64>());
    // A file of the run itself is not overwritten.
    let folders = std::fs::read_dir(only(&place.join("out"), "demo-")).unwrap().map(|entry| entry.unwrap().path());
    let run = folders.into_iter().find(|folder| folder.join("run.toml").exists()).unwrap();
    let own = only(&run, "run.mcap");
    let refused = here("runs export last --runs out --foxglove").arg(&own).output().unwrap();
    assert!(!refused.status.success() && said(&refused).contains("is a file of the run itself"), "{}", said(&refused));
}
