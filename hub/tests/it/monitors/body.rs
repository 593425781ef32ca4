//! A walk for viewers.

use super::plain::Monitor;
use super::watch;
use crate::common::xpuck;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const WALKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/bodies/walker");

#[test]
fn a_walk_is_shown_to_viewers_again_and_again() {
    let mut served = xpuck();
    served.args(["body", "serve", &format!("{WALKER}.prif"), "--brain", &format!("{WALKER}.nndf")]);
    served.args(["--steps", "1200", "--speed", "5", "--simspark", "0", "--rsmp", "0", "--json", "--end-with-stdin"]);
    let mut served = served.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = BufReader::new(served.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let places: Value = serde_json::from_str(&line).unwrap();
    let place = |protocol: &str| places["listening"][protocol].as_str().unwrap().parse().unwrap();
    let mut viewer = Monitor::connect(place("simspark"));
    viewer.take();
    let first = viewer.boxes();
    // A floor, and a cube for each of the walker's parts (`xpuck body show`).
    assert_eq!(first.len(), 1 + 6, "{first:?}");
    assert!(first[1..].iter().all(|[_, _, z]| (0.3..10.0).contains(z)), "{first:?}");
    let moved = |viewer: &Monitor| {
        let now = viewer.boxes();
        now.iter().zip(&first).filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| (a - b).abs() > 0.05)).count()
    };
    viewer.until("most cubes walk", |viewer| moved(viewer) > 4);
    // Five seconds of a walk are over in one.
    viewer.until("the walk begins again", |viewer| viewer.value("half") >= 2.0);
    viewer.send("(kickOff Left)");
    let lines = watch(place("rsmp"), &["--json", "--seconds", "0.5"]);
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!((last["protocol"].as_str(), last["play_mode"].as_str()), (Some("rsmp"), Some("PlayOn")), "{last}");
    drop(served.stdin.take());
    line.clear();
    said.read_line(&mut line).unwrap();
    let counts: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(counts["commands_refused"], 1, "{counts}");
    assert!(served.wait().unwrap().success());
}
