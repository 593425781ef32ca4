//! `xpuck serve` as its users see it.

use crate::common::xpuck;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::Duration;

const ROOM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/gateway/room.toml");

fn serve(arguments: &[&str]) -> (Child, BufReader<std::process::ChildStdout>, Vec<SocketAddr>) {
    let mut child = xpuck()
        .args(["serve", "world-sim", "--port", "0", "--json", "--end-with-stdin"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let listening: serde_json::Value = serde_json::from_str(&line).unwrap();
    let places = listening["listening"].as_array().unwrap();
    (child, said, places.iter().map(|place| place.as_str().unwrap().parse().unwrap()).collect())
}

fn ask(client: &mut BufReader<TcpStream>, line: &str) -> String {
    client.get_mut().write_all(format!("{line}\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    client.read_line(&mut answer).unwrap();
    answer.trim_end().to_string()
}

#[test]
fn robot_simulators_drive_in_a_world_of_a_file_until_the_server_ends() {
    let (mut child, mut said, places) = serve(&["--world", ROOM, "--ports", "2"]);
    let connect = |place: &SocketAddr| {
        let stream = TcpStream::connect(place).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        BufReader::new(stream)
    };
    let (mut one, mut two) = (connect(&places[0]), connect(&places[1]));
    assert_eq!(ask(&mut one, "CreateRobot"), "YourIdentifier 1");
    assert!(ask(&mut one, "BodyShape 1 1 20 1 4 -30 40 30 40 30 -40 -30 -40").starts_with("YourPosition 1 "));
    assert!(ask(&mut one, "JumpTo 1 1600 1600 0").starts_with("YourPosition 1 1600 1600 30 0 "), "on the ramp");
    assert!(ask(&mut one, "JumpTo 1 300 300 0").ends_with(" 0 1"), "on deadly ground");
    // The pane is seen by sound alone.
    assert_eq!(ask(&mut two, "SonicSensor 9 550 1400 100 1.5707963267948966 0 0 0"), "SonicSensorReading 9 100");
    assert!(
        ask(&mut two, "VisualSensor 9 550 1400 100 1.5707963267948966 0 0 0").starts_with("VisualSensorReading 9 600 ")
    );
    assert_eq!(ask(&mut two, "CreateRobot x"), "", "closed");
    drop(child.stdin.take());
    let mut counts = String::new();
    said.read_line(&mut counts).unwrap();
    assert!(counts.contains("\"messages\":6"), "{counts}");
    let output = child.wait_with_output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && log.contains("is gone with 0 robots: CreateRobot"), "{log}");
}

#[test]
fn what_cannot_be_served_is_told_in_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("w.toml");
    let refused = |text: &str, more: &[&str]| {
        std::fs::write(&file, text).unwrap();
        let output = xpuck().args(["serve", "world-sim", "--world"]).arg(&file).args(more).output().unwrap();
        assert!(!output.status.success(), "{text}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        error
    };
    assert!(refused("wall_hight = 3.0", &[]).contains("wall_height"));
    let block = |outline: &str| format!("[[blocks]]\noutline = {outline}\ntop = 10.0\ncolour = [0, 0, 0]\n");
    assert!(refused(&block("[[0, 0], [1, 0]]"), &[]).contains("w.toml: the outline of block 1"));
    assert!(refused("", &["--port", "65535", "--ports", "2"]).contains("ports end at 65535"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert!(refused("", &["--port", &port]).contains(&port));
}
