//! Tests the gateway services of `xpuck serve` (worlds, robot simulators, population managers) through their clients.

use crate::rig::{Process, valid_json, xpuck};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};

const ROOM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gateway/room.toml");
const GATEWAY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gateway");

/// Starts a service that writes its log to a file in `folder`. Returns the process and the service's addresses.
fn serve(folder: &Path, arguments: &[&str]) -> (Process, Vec<SocketAddr>) {
    let mut command = xpuck();
    command.arg("serve").args(arguments).args(["--port", "0", "--json", "--end-with-stdin"]);
    let (process, places) = Process::listen(&mut command, folder.join(format!("{}.log", arguments[0])));
    let places = places.as_array().unwrap().iter();
    (process, places.map(|place| place.as_str().unwrap().parse().unwrap()).collect())
}

fn ask(client: &mut BufReader<TcpStream>, line: &str) -> String {
    client.get_mut().write_all(format!("{line}\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    client.read_line(&mut answer).unwrap();
    answer.trim_end().to_string()
}

#[test]
fn robot_simulators_drive_in_a_world_until_its_server_ends() {
    let dir = tempfile::tempdir().unwrap();
    let (server, places) = serve(dir.path(), &["world-sim", "--world", ROOM, "--ports", "2"]);
    let connect = |place: &SocketAddr| {
        let stream = TcpStream::connect(place).unwrap();
        stream.set_read_timeout(Some(xpuck_testing::patience())).unwrap();
        BufReader::new(stream)
    };
    let (mut one, mut two) = (connect(&places[0]), connect(&places[1]));
    assert_eq!(ask(&mut one, "CreateRobot"), "YourIdentifier 1");
    assert!(ask(&mut one, "BodyShape 1 1 20 1 4 -30 40 30 40 30 -40 -30 -40").starts_with("YourPosition 1 "));
    assert!(ask(&mut one, "JumpTo 1 1600 1600 0").starts_with("YourPosition 1 1600 1600 30 0 "), "on the ramp");
    assert!(ask(&mut one, "JumpTo 1 300 300 0").ends_with(" 0 1"), "on deadly ground");
    // A pane of glass is visible only to sonic sensors.
    assert_eq!(ask(&mut two, "SonicSensor 9 550 1400 100 1.5707963267948966 0 0 0"), "SonicSensorReading 9 100");
    assert!(
        ask(&mut two, "VisualSensor 9 550 1400 100 1.5707963267948966 0 0 0").starts_with("VisualSensorReading 9 600 ")
    );
    assert_eq!(ask(&mut two, "CreateRobot x"), "", "closed");
    assert_eq!(server.end_with_counts()["messages"], 6);
    let log = std::fs::read_to_string(dir.path().join("world-sim.log")).unwrap();
    assert!(log.contains("disconnected, lost 0 robots: CreateRobot"), "{log}");
}

#[test]
fn wrong_arguments_of_servers_are_one_line() {
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
    assert!(refused("", &["--port", "65535", "--ports", "2"]).contains("the last port must be at most 65535"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert!(refused("", &["--port", &port]).contains(&port));
}

/// Runs a population manager. Returns the lines of JSON that it prints.
fn manage(out: &Path, simulator: SocketAddr, arguments: &[&str]) -> Vec<serde_json::Value> {
    let mut command = xpuck();
    command.args(["serve", "population-manager", "--json", "--robot-sim", &simulator.to_string(), "--output"]).arg(out);
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn three_programs_evolve_avoidance_and_its_path_is_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("{GATEWAY}/{name}");
    let task = dir.path().join("task.toml");
    let text = std::fs::read_to_string(file("avoid.toml")).unwrap().replace("steps = 300", "steps = 60");
    std::fs::write(&task, text).unwrap();
    let task = task.to_str().unwrap();
    let (world, worlds) = serve(dir.path(), &["world-sim", "--world", &file("avoid-room.toml")]);
    let (robots, simulators) = serve(dir.path(), &["robot-sim", "--world", &worlds[0].to_string(), "--task", task]);
    let out = dir.path().join("out");
    let lines = manage(&out, simulators[0], &["--generations", "6", "--population", "12"]);
    let (end_line, generations) = lines.split_last().unwrap();
    assert_eq!(generations.len(), 6);
    let best = |line: &serde_json::Value| line["best"].as_f64().unwrap();
    assert!(best(&generations[5]) >= best(&generations[0]) && best(&generations[5]) > 0.02, "{lines:?}");
    assert_eq!(end_line["best"]["fitness"].as_f64().unwrap(), generations.iter().map(best).fold(-1.0, f64::max));
    assert_eq!(end_line["evaluated"], 72);
    assert_eq!(robots.end_with_counts()["evaluated"], 72);
    assert!(world.end_with_counts()["messages"].as_u64().unwrap() > 72 * 60 * 9);
    let history = std::fs::read_to_string(out.join("history.csv")).unwrap();
    assert_eq!(history.lines().count(), 7);
    assert!(std::fs::read_to_string(out.join("fitness.svg")).unwrap().starts_with("<svg"));
    let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("best.json")).unwrap()).unwrap();
    assert_eq!(kept["fitness"], end_line["best"]["fitness"]);
    // A simulation of the best individual in a single process, without sockets, gives the same fitness.
    let svg = dir.path().join("path.svg");
    let drawn = xpuck()
        .args(["simulate", "--json", "--world", &file("avoid-room.toml"), "--robot", task])
        .arg(out.join("best.txt"))
        .arg("--svg")
        .arg(&svg)
        .output()
        .unwrap();
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let drawn = valid_json("simulate", &drawn.stdout);
    assert_eq!(drawn["fitness"][0], kept["fitness"]);
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(svg.contains("Trial 4") && svg.contains("robot 1"), "{svg}");
}

#[test]
fn two_populations_evolve_in_one_world_until_they_are_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("{GATEWAY}/{name}");
    let (world, worlds) = serve(dir.path(), &["world-sim", "--ports", "2", "--world", &file("pursuit-room.toml")]);
    let task = |name: &str| {
        let place = dir.path().join(name);
        let text = std::fs::read_to_string(file(name)).unwrap().replace("steps = 200", "steps = 30");
        std::fs::write(&place, text).unwrap();
        place.to_str().unwrap().to_string()
    };
    let simulators: Vec<_> = [("pursuit.toml", worlds[0]), ("evasion.toml", worlds[1])]
        .map(|(name, world)| serve(dir.path(), &["robot-sim", "--world", &world.to_string(), "--task", &task(name)]))
        .into();
    let managers: Vec<Child> = simulators
        .iter()
        .zip(["a", "b"])
        .map(|((_, places), out)| {
            let mut command = xpuck();
            command.args(["serve", "population-manager", "--population", "6", "--json", "--end-with-stdin"]);
            command.args(["--robot-sim", &places[0].to_string(), "--output"]).arg(dir.path().join(out));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut managers: Vec<_> = managers
        .into_iter()
        .map(|mut manager| {
            let said = BufReader::new(manager.stdout.take().unwrap());
            (manager, said)
        })
        .collect();
    // Each population completes three generations. A population can complete a generation only while the other
    // population is also evaluated.
    for (_, said) in &mut managers {
        for _ in 0..3 {
            let mut line = String::new();
            said.read_line(&mut line).unwrap();
            let generation: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert!((0.0..=1.0).contains(&generation["best"].as_f64().unwrap()), "{line}");
        }
    }
    for (manager, _) in &mut managers {
        drop(manager.stdin.take());
    }
    for ((mut manager, mut said), out) in managers.into_iter().zip(["a", "b"]) {
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        assert!(manager.wait().unwrap().success());
        assert!(rest.lines().last().unwrap().contains("\"evaluated\""), "{rest}");
        assert!(dir.path().join(out).join("best.txt").exists());
    }
    for (simulator, _) in simulators {
        assert!(simulator.end_with_counts()["evaluated"].as_u64().unwrap() >= 18);
    }
    world.end_with_counts();
}

#[test]
fn wrong_arguments_of_evolution_are_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("t.toml");
    let error = |command: &mut std::process::Command| {
        let output = command.output().unwrap();
        assert!(!output.status.success());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        error
    };
    let task = |text: &str| {
        std::fs::write(&file, text).unwrap();
        error(xpuck().args(["serve", "robot-sim", "--world", "--task"]).arg(&file))
    };
    assert!(task("stepps = 3").contains("steps"));
    assert!(task("steps = 0").contains("t.toml: steps is 0"));
    assert!(task("kind = \"pursuit\"").contains("visuals is 0"));
    assert!(task("sonar_range = nan").contains("sonar_range"));
    let manager = |arguments: &[&str]| error(xpuck().args(["serve", "population-manager"]).args(arguments));
    assert!(manager(&["--elites", "30"]).contains("elites is 30"));
    assert!(manager(&["--mutation", "nan"]).contains("mutation"));
    let out = dir.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("history.csv"), "").unwrap();
    assert!(manager(&["--output", out.to_str().unwrap()]).contains("already has a history"));
    std::fs::write(&file, "").unwrap();
    let individual = dir.path().join("i.txt");
    let draw = |text: &str| {
        std::fs::write(&individual, text).unwrap();
        error(xpuck().args(["simulate", "--svg", "x.svg", "--robot"]).args([&file, &individual]))
    };
    assert!(draw("Individual 1 1 0 1 2\r\n").contains("does not fit"));
    assert!(draw("").contains("expected a single line"));
    assert!(draw("CreateRobot").contains("expected Individual"));
}
