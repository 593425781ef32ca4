//! Demos of two missions as real processes: the robots read the painted floor, the hub scores the formula, and the
//! results are in the words of the mission.

use crate::common::{only, record, said};
use crate::rig::{Demo, xpuck};
use serde_json::Value;
use std::ops::Range;
use std::path::{Path, PathBuf};
use xpuck_wire::updates::Updates;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
/// Arena of the demos' robots at the start, in the files of the missions.
const START: &str = "name = \"start\"\ndisc = { at_m = [0.0, 0.0], radius_m = 1.1 }";
/// Limits of the brightness of black and of white floor.
const SHADES: [f32; 2] = [0.25, 0.75];

/// Recorded poses: time (s), and x and y of each robot (m).
type Poses = Vec<(f64, Vec<[f64; 2]>)>;

/// A demo that ended: its run, its output, and the hub's score of one of two segments.
struct Ended {
    run: PathBuf,
    text: String,
    value: f64,
    /// Poses of the segment.
    poses: Poses,
    /// Brightness of the floor in each control update of the robots.
    ground: Vec<f32>,
}

/// Runs the demo of a mission of the documents with its tree. `start` is the region in which three robots start, and
/// `segment` the segment whose score is returned (0 or 1).
fn demo(mission: &str, start: &str, segment: usize) -> (Demo, Ended) {
    let dir = tempfile::tempdir().unwrap();
    let world = std::fs::read_to_string(format!("{DOCS}/worlds/missions/{mission}.toml")).unwrap();
    let changed = world.replacen(START, start, 1).replacen("robots = 20", "robots = 3", 1);
    assert!(changed.contains(start) && changed.contains("robots = 3"), "{changed}");
    std::fs::write(dir.path().join("world.toml"), changed).unwrap();
    let experiment = dir.path().join("experiment.toml");
    let text = format!("name = \"{mission}\"\nworld = \"world.toml\"\nminutes = 0.8\nsegment_minutes = 0.4\n");
    std::fs::write(&experiment, text).unwrap();
    let tree = format!("{DOCS}/trees/{mission}.bt");
    let options = ["--count", "3", "--speed", "8", "--experiment", experiment.to_str().unwrap(), "--tree", &tree];
    let mut demo = Demo::with(&options);
    let (output, text) = demo.end();
    assert!(output.status.success(), "{text}");
    let run = only(&demo.directory(), &format!("{mission}-"));
    let messages = record(&run.join("run.mcap"));
    let result: Value = serde_json::from_slice(&std::fs::read(run.join("result.json")).unwrap()).unwrap();
    let seconds = |segment: usize| result["segments"][segment]["seconds"].as_f64().unwrap();
    let from: f64 = (0..segment).map(seconds).sum();
    let poses = poses(&messages, from..from + seconds(segment));
    let value = result["segments"][segment]["value"].as_f64().unwrap();
    (demo, Ended { value, poses, ground: ground(&messages), run, text })
}

/// Returns the poses in an interval of the running time (s).
fn poses(messages: &[(String, Value)], interval: Range<f64>) -> Poses {
    let number = |value: &Value| value.as_f64().unwrap();
    let started = messages.iter().find(|(topic, m)| topic == "/run" && number(&m["run_seconds"]) > 0.0).unwrap();
    let from = number(&started.1["time"]) - number(&started.1["run_seconds"]);
    let frame = |(topic, m): &(String, Value)| {
        let time = number(&m["time"]);
        let robot = |body: &Value| [number(&body["pose"][0]), number(&body["pose"][1])];
        let inside = topic == "/poses" && interval.contains(&(time - from));
        inside.then(|| (time, m["bodies"].as_array().unwrap().iter().map(robot).collect()))
    };
    messages.iter().filter_map(frame).collect()
}

/// Returns all recorded readings of the robots' ground sensors.
fn ground(messages: &[(String, Value)]) -> Vec<f32> {
    let batches = messages.iter().filter(|(topic, _)| topic == "/updates");
    let unpacked = batches.flat_map(|(_, m)| {
        let batch: Updates = serde_json::from_value(m["updates"].clone()).unwrap();
        batch.unpack().unwrap()
    });
    unpacked.filter_map(|update| update.ground.map(f32::from_bits)).collect()
}

/// Asserts that the record verifies, and that output and report describe the value in the words of the mission.
fn assert_words(ended: &Ended, words: &str) {
    let description = format!("The value is the {words}. A value of 0 is fitness 0; a value of ");
    assert!(ended.text.contains("\nvalue of segments 1 to 1: "), "{}", ended.text);
    assert!(ended.text.contains(&description), "{}", ended.text);
    let verified = xpuck().args(["runs", "verify"]).arg(&ended.run).output().unwrap();
    assert!(said(&verified).contains("\nidentical: "), "{}", said(&verified));
    let shown = xpuck().args(["runs", "show"]).arg(&ended.run).output().unwrap();
    assert!(said(&shown).contains(&description), "{}", said(&shown));
    let page = report(&ended.run);
    assert!(page.contains(&description) && page.contains("Raw value of each segment"), "{page}");
}

fn report(run: &Path) -> String {
    let out = tempfile::tempdir().unwrap();
    let mut command = xpuck();
    command.args(["runs", "report"]).arg(run).arg("--output").arg(out.path()).args(["--simulations", "2"]);
    let output = command.output().unwrap();
    std::fs::read_to_string(out.path().join("report.html")).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

#[test]
fn demo_of_aac_scores_share_on_black() {
    let (demo, ended) = demo("aac", "name = \"start\"\ndisc = { at_m = [0.0, 0.6], radius_m = 0.25 }", 0);
    let on_spot = |at: &&[f64; 2]| at[0].hypot(at[1] - 0.6) <= 0.3;
    let shares: Vec<f64> = ended
        .poses
        .iter()
        .map(|(_, robots)| robots.iter().filter(on_spot).count() as f64 / robots.len() as f64)
        .collect();
    let expected = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!((ended.value - expected).abs() < 0.03, "{} {expected}", ended.value);
    assert!(ended.value > 0.02, "robots start on the spot: {}", ended.value);
    let black = ended.ground.iter().filter(|level| **level < SHADES[0]).count();
    let share = black as f64 / ended.ground.len() as f64;
    assert!(share > 0.02, "{black} of {} readings are black", ended.ground.len());
    assert_words(&ended, "mean over time of the share of the robots in black");
    demo.assert_nobody_left();
}

#[test]
fn demo_of_for_scores_items_delivered() {
    let (demo, ended) = demo("for", "name = \"start\"\ndisc = { at_m = [0.75, 0.0], radius_m = 0.15 }", 0);
    let mut carries = [false; 3];
    let mut items = 0;
    for (_, robots) in &ended.poses {
        for (carries, [x, y]) in carries.iter_mut().zip(robots) {
            let delivers = *carries && *y <= -0.6;
            items += u32::from(delivers);
            *carries = (*carries && !delivers) || (x.abs() - 0.75).hypot(*y) <= 0.15;
        }
    }
    assert!(items >= 1, "{:?}", ended.poses.last());
    assert!((ended.value - f64::from(items)).abs() < 1e-4, "{} {items}", ended.value);
    for shade in [|level: &f32| *level < SHADES[0], |level: &f32| *level > SHADES[1]] {
        assert!(ended.ground.iter().any(shade), "{} readings", ended.ground.len());
    }
    assert_words(&ended, "number of items carried from source to nest at the end");
    demo.assert_nobody_left();
}

#[test]
fn demo_of_a_changing_world_needs_no_operator() {
    let world = format!("{DOCS}/worlds/missions/decision.toml");
    let tree = format!("{DOCS}/trees/explore.bt");
    let options = ["--count", "3", "--speed", "16", "--minutes", "0.5", "--world", &world, "--tree", &tree];
    let mut demo = Demo::with(&options);
    let (output, text) = demo.end();
    assert!(output.status.success(), "{text}");
    let run = only(&demo.directory(), "decision-");
    let result: Value = serde_json::from_slice(&std::fs::read(run.join("result.json")).unwrap()).unwrap();
    assert_eq!(result["segments"].as_array().map(Vec::len), Some(1), "{result}");
    assert!(text.contains("real fitness of the run") && text.contains("value of the run: "), "{text}");
}
