//! A swarm that runs, and its record afterwards, as viewers see them.

use super::plain::{Monitor, PATIENCE};
use super::watch;
use crate::common::{Children, free_ports, only, xpuck};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Serves monitors, and gives where: SimSpark, RSMP.
fn serve(command: &mut Command, arguments: &[&str]) -> (Child, BufReader<std::process::ChildStdout>, [SocketAddr; 2]) {
    command.args(["serve", "monitors", "--simspark", "0", "--rsmp", "0", "--json", "--end-with-stdin"]).args(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
        let mut error = String::new();
        child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
        panic!("{line}{error}")
    });
    let place = |name: &str| told["listening"][name].as_str().unwrap().parse().unwrap();
    let places = ["simspark", "rsmp"].map(place);
    (child, said, places)
}

fn end(mut child: Child, mut said: BufReader<std::process::ChildStdout>) -> Value {
    drop(child.stdin.take());
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    serde_json::from_str(rest.lines().last().unwrap()).unwrap()
}

#[test]
fn a_swarm_is_watched_live_and_its_record_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path();
    let here = || {
        let mut command = xpuck();
        command.current_dir(place).env("TMPDIR", place).stdin(Stdio::null());
        command
    };
    let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/trees/806768.bt");
    let ports = free_ports();
    let line = format!("demo --robots 3 --minutes 1.5 --speed 4 --tree {tree} --no-console --out out --ports {ports}");
    let mut demo = Children::default();
    let log = std::fs::File::create(place.join("demo.log")).unwrap();
    demo.0.push(here().args(line.split(' ')).stdout(Stdio::null()).stderr(log).spawn().unwrap());
    let began = Instant::now();
    while !String::from_utf8_lossy(&here().arg("robots").output().unwrap().stdout).contains("RUN ") {
        assert!(began.elapsed() < PATIENCE, "{}", std::fs::read_to_string(place.join("demo.log")).unwrap());
        std::thread::sleep(Duration::from_millis(200));
    }
    let (live, said, [simspark, rsmp]) = serve(&mut here(), &[]);
    let mut monitor = Monitor::connect(simspark);
    monitor.until("scenes come", |monitor| monitor.scenes[1] > 3);
    let (before, time) = (monitor.robots(), monitor.value("time"));
    assert_eq!(before.len(), 3);
    monitor.until("the run goes on", |monitor| monitor.value("time") > time + 8.0);
    assert!(monitor.robots().iter().zip(&before).any(|(now, before)| now.2 != before.2), "somebody moved");
    assert!((monitor.value("play_mode") - 3.0).abs() < 1e-9 && (monitor.value("RuleHalfTime") - 90.0).abs() < 1e-6);
    let lines = watch(rsmp, &["--json", "--seconds", "1"]);
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last["robots"].as_array().unwrap().len(), 3, "{last}");
    // 50 a second at most, of the 100 that four times 25 would be.
    assert!(lines.lines().count() > 15, "{} messages a second", lines.lines().count());
    monitor.send("(agent (team Left)(unum 1)(pos 0 0 0))");
    monitor.until("more comes", |monitor| monitor.value("time") > time + 12.0);
    assert_eq!(end(live, said)["commands_refused"], 1);
    assert!(demo.0[0].wait().unwrap().success());
    demo.0.clear();

    let run = only(&place.join("out"), "demo-");
    let run = run.to_str().unwrap();
    let (replay, said, [simspark, rsmp]) = serve(&mut here(), &["--replay", run, "--speed", "20", "--loop"]);
    let mut monitor = Monitor::connect(simspark);
    monitor.until("the run goes on", |monitor| monitor.scenes[1] > 0 && monitor.value("time") > 60.0);
    assert_eq!((monitor.robots().len(), monitor.ball().is_some()), (3, true));
    monitor.until("it begins again", |monitor| monitor.value("time") < 20.0);
    assert!(watch(rsmp, &["--seconds", "0.5"]).contains("3 robots, ball at"));
    end(replay, said);
    let (replay, said, [simspark, _]) = serve(&mut here(), &["--replay", run, "--speed", "100"]);
    let mut monitor = Monitor::connect(simspark);
    monitor.until("it ends and stays", |monitor| monitor.scenes[1] > 150 && monitor.value("time") > 89.0);
    end(replay, said);
}

#[test]
fn what_cannot_be_served_is_told_in_a_line() {
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
