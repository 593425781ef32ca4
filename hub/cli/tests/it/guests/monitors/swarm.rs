//! Tests viewers of a running swarm and of a recorded run.

use super::plain::Monitor;
use super::watch;
use crate::rig::{Demo, Process, command_in, recorded_run, xpuck};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use xpuck_testing::patience::scaled;

/// A server that shows a swarm or a record to monitors.
struct Server {
    process: Process,
    simspark: SocketAddr,
    rsmp: SocketAddr,
}

impl Server {
    /// Starts `xpuck serve monitors` in `folder`. Without `--replay`, the server shows the demo that runs there.
    fn start(folder: &Path, arguments: &[&str]) -> Server {
        let mut command = command_in(folder);
        command.args(["serve", "monitors", "--simspark", "0", "--rsmp", "0", "--json", "--end-with-stdin"]);
        let (process, places) = Process::listen(command.args(arguments), folder.join("server.log"));
        let place = |name: &str| places[name].as_str().unwrap().parse().unwrap();
        Server { process, simspark: place("simspark"), rsmp: place("rsmp") }
    }
}

#[test]
fn running_swarm_is_shown_to_viewers() {
    let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/806768.bt");
    let line = format!("--count 3 --minutes 1.5 --speed 4 --no-console --tree {tree}");
    let mut demo = Demo::with(&line.split(' ').collect::<Vec<_>>());
    demo.wait_for_run();
    let live = Server::start(demo.folder(), &[]);
    let mut monitor = Monitor::connect(live.simspark);
    monitor.until("scenes come", |monitor| monitor.scenes[1] > 3);
    let (before, time) = (monitor.robots(), monitor.value("time"));
    assert_eq!(before.len(), 3);
    monitor.until("the run continues", |monitor| monitor.value("time") > time + 8.0);
    assert!(monitor.robots().iter().zip(&before).any(|(now, before)| now.2 != before.2), "a robot moved");
    assert!((monitor.value("play_mode") - 3.0).abs() < 1e-9 && (monitor.value("RuleHalfTime") - 90.0).abs() < 1e-6);
    let seconds = scaled(Duration::from_secs(1)).as_secs_f64().to_string();
    let lines = watch(live.rsmp, &["--json", "--seconds", &seconds]);
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last["robots"].as_array().unwrap().len(), 3, "{last}");
    // At speed 4, the hub could send 4 x 25 scenes per second. The server sends at most 50 of them.
    assert!(lines.lines().count() > 15, "{} messages", lines.lines().count());
    monitor.send("(agent (team Left)(unum 1)(pos 0 0 0))");
    monitor.until("more scenes come", |monitor| monitor.value("time") > time + 12.0);
    assert_eq!(live.process.end_with_counts()["commands_refused"], 1);
    let (output, text) = demo.stop();
    assert!(output.status.success(), "{text}");
}

#[test]
fn recorded_run_is_shown_to_viewers_and_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let run = recorded_run();
    let run = run.to_str().unwrap();
    let replay = Server::start(dir.path(), &["--replay", run, "--speed", "20", "--loop"]);
    let mut monitor = Monitor::connect(replay.simspark);
    monitor.until("the run continues", |monitor| monitor.scenes[1] > 0 && monitor.value("time") > 40.0);
    assert_eq!((monitor.robots().len(), monitor.ball().is_some()), (2, true));
    monitor.until("the run begins again", |monitor| monitor.value("time") < 20.0);
    assert!(watch(replay.rsmp, &["--seconds", "0.5"]).contains("2 robots, ball at"));
    replay.process.end_with_counts();
    let replay = Server::start(dir.path(), &["--replay", run, "--speed", "100"]);
    let mut monitor = Monitor::connect(replay.simspark);
    // At speed 100 the replay of the run takes 0.6 s, about 30 scenes. All later scenes show the end of the run.
    monitor.until("the end stays", |monitor| monitor.scenes[1] > 150 && monitor.value("time") > 59.0);
    replay.process.end_with_counts();
}

#[test]
fn wrong_arguments_of_serve_monitors_are_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let output = xpuck().args(["serve", "monitors"]).args(arguments).current_dir(dir.path()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        error
    };
    let free = ["--simspark", "0", "--rsmp", "0"];
    let missing = refused(&[&free[..], &["--replay", "nothing"]].concat());
    assert!(missing.lines().count() == 1 && missing.contains("nothing"), "{missing}");
    assert!(refused(&["--no-simspark", "--no-rsmp"]).contains("leave nothing to serve"));
    assert!(refused(&["--replay", "x", "--speed", "0"]).contains("from 0.1 to 100"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let error = refused(&["--simspark", &port, "--rsmp", "0"]);
    assert!(error.lines().count() == 1 && error.contains(&port), "{error}");
    let silent = refused(&["--simspark", "0", "--rsmp", "0", "--dev-mode", "--hub", "tcp://127.0.0.1:1"]);
    assert!(silent.lines().count() == 1 && silent.contains("127.0.0.1:1"), "{silent}");
}
