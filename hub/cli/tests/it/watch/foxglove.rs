//! An independent viewer of Foxglove's protocol watches a demo. The run is exported, and independent readers read the
//! exported file.

use crate::common::{only, said};
use crate::rig::{Demo, free_ports, http};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;
use xpuck_testing::patience;
use xpuck_testing::patience::{scaled, wait_within};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/watch/foxglove");

/// Runs a Python script that must succeed. Returns the JSON that it prints.
fn python(python: &str, arguments: &[&str]) -> Value {
    let output = Command::new(python).args(arguments).env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the position of each body (m), by name, from the status in the console.
fn bodies(demo: &Demo) -> BTreeMap<String, [f64; 2]> {
    let status: Value = serde_json::from_str(&http::get(&demo.console(), "/api/status").1).unwrap();
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
fn demo_is_seen_by_independent_viewers_live_and_as_a_file() {
    let Ok(interpreter) = std::env::var("XPUCK_RECORD_PYTHON") else {
        return xpuck_testing::skipped("no independent viewer watches the swarm (make deps-record)");
    };
    let viewers = free_ports();
    let line = format!("--count 2 --minutes 60 --speed 4 --population 8 --foxglove {viewers}");
    let mut demo = Demo::with(&line.split(' ').collect::<Vec<_>>());
    demo.wait("the run", |status| status.phase == xpuck_wire::Phase::Running);
    let address = format!("ws://127.0.0.1:{viewers}");
    let viewer = format!("{SCRIPTS}/viewer.py");
    let seconds = scaled(Duration::from_secs(5)).as_secs_f64().to_string();
    let seen = python(&interpreter, &[&viewer, &address, &seconds]);
    has_known_schemas(&seen["schemas"]);
    let count = |topic: &str| seen["counts"][topic].as_u64().unwrap_or(0);
    // At speed 4, the hub sends 100 transforms per second of wall time. On a busy machine fewer may arrive.
    assert!(count("/foxglove/transforms") > 50 && count("/telemetry") > 20 && count("/run") > 2, "{seen}");
    assert!(count("/foxglove/arena") >= 1 && count("/foxglove/bodies") >= 1, "{seen}");
    assert_eq!(seen["entities"], serde_json::json!(["arena", "frisbee", "xp01", "xp02"]));
    // The pause makes all bodies rest, so the viewer and the console must report the same positions.
    assert!(demo.command("pause").status().unwrap().success());
    let mut last = bodies(&demo);
    let standing = || {
        std::thread::sleep(Duration::from_millis(500));
        let before = std::mem::replace(&mut last, bodies(&demo));
        (last == before).then_some(before)
    };
    let before = wait_within(2 * patience(), standing, || "the bodies stand".into());
    let seen = python(&interpreter, &[&viewer, &address, "1"]);
    assert_eq!(seen["places"].as_object().unwrap().len(), before.len());
    for (name, at) in &before {
        for (axis, wanted) in at.iter().enumerate() {
            let told = seen["places"][name][axis].as_f64().unwrap();
            assert!((told - wanted).abs() < 2e-5, "{name}: {told} is told, and {wanted} by the console");
        }
    }
    exported(&demo, &interpreter);
}

/// Exports the current run, and checks the exported file.
fn exported(demo: &Demo, interpreter: &str) {
    let file = &demo.folder().join("scenes.mcap");
    let export = demo.command("runs export last --folder out --foxglove scenes.mcap").output().unwrap();
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
    // The project's own record reader can also read the exported file.
    let entries = xpuck_record::read::entries(file).unwrap().count() as u64;
    let own = counts.as_object().unwrap().iter().filter(|(topic, _)| !topic.starts_with("/foxglove/"));
    assert_eq!(entries, own.map(|(_, count)| count.as_u64().unwrap()).sum::<u64>());
    // The command must not overwrite a file of the run itself.
    let folders = std::fs::read_dir(demo.directory()).unwrap().map(|entry| entry.unwrap().path());
    let run = folders.into_iter().find(|folder| folder.join("run.toml").exists()).unwrap();
    let own = only(&run, "run.mcap");
    let refused = demo.command("runs export last --folder out --foxglove").arg(&own).output().unwrap();
    assert!(!refused.status.success() && said(&refused).contains("is a file of the run;"), "{}", said(&refused));
}
