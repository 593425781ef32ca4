//! Tests `xpuck serve body`, which shows a walking body to viewers.

use super::plain::Monitor;
use super::watch;
use crate::rig::{Process, xpuck};
use serde_json::Value;

const WALKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/bodies/walker");

#[test]
fn walk_is_shown_to_viewers_and_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = xpuck();
    command.args(["serve", "body", &format!("{WALKER}.prif"), "--brain", &format!("{WALKER}.nndf")]);
    command.args(["--steps", "1200", "--speed", "5", "--simspark", "0", "--rsmp", "0", "--json", "--end-with-stdin"]);
    let (server, places) = Process::listen(&mut command, dir.path().join("log"));
    let place = |protocol: &str| places[protocol].as_str().unwrap().parse().unwrap();
    let mut viewer = Monitor::connect(place("simspark"));
    viewer.receive();
    let first = viewer.boxes();
    // The scene has a floor, and a cube for each of the walker's six parts (`xpuck tree explain`).
    assert_eq!(first.len(), 1 + 6, "{first:?}");
    assert!(first[1..].iter().all(|[_, _, z]| (0.3..10.0).contains(z)), "{first:?}");
    let moved = |viewer: &Monitor| {
        let now = viewer.boxes();
        now.iter().zip(&first).filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| (a - b).abs() > 0.05)).count()
    };
    viewer.until("most cubes walk", |viewer| moved(viewer) > 4);
    // A walk lasts 5 s of simulated time, so it takes one second at speed 5.
    viewer.until("the walk begins again", |viewer| viewer.value("half") >= 2.0);
    viewer.send("(kickOff Left)");
    let lines = watch(place("rsmp"), &["--json", "--seconds", "0.5"]);
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!((last["protocol"].as_str(), last["play_mode"].as_str()), (Some("rsmp"), Some("PlayOn")), "{last}");
    let counts = server.end_with_counts();
    assert_eq!(counts["commands_refused"], 1, "{counts}");
}
