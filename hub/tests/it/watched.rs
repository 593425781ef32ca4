//! A hub, an arena, a robot's program, and all who watch and change them from outside: metrics, health, doctor, the
//! stream, settings pushed to the robot, and somebody who floods the hub with junk.

use crate::common::{free_ports, xpuck};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_wire::message::{RobotMessage, ToRobot};
use xpuck_wire::seal::Sealed;
use xpuck_wire::socket::Sockets;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Processes that end with this.
struct World {
    directory: tempfile::TempDir,
    ports: u16,
    children: Vec<Child>,
}

impl Drop for World {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl World {
    /// A swarm of xp01, whose program runs, and xp02, who is not there.
    fn start() -> World {
        let directory = tempfile::tempdir().unwrap();
        // Robots, operators, console and motion capture; the stream is the first of the next four.
        let (ports, stream) = (free_ports(), free_ports());
        let write = |name: &str, text: String| std::fs::write(directory.path().join(name), text).unwrap();
        write(
            "swarm.toml",
            format!(
                "robots = [\"xp01\", \"xp02\"]\n[hub]\nrobots = \"tcp://127.0.0.1:{ports}\"\n\
                 operator = \"tcp://127.0.0.1:{}\"\nconsole = \"127.0.0.1:{}\"\n[security]\ndev_mode = true\n",
                ports + 1,
                ports + 2
            ),
        );
        write(
            "arena.toml",
            format!(
                "swarm = \"swarm.toml\"\nseed = 12\nscenario = \"b\"\ndevices = \"devices\"\nmocap = \"127.0.0.1:{}\"\n\
                 camera = {{ width = 32, height = 24, frames_per_second = 1.0 }}\n",
                ports + 3
            ),
        );
        write(
            "hub.toml",
            format!(
                "swarm = \"swarm.toml\"\n[mocap]\naddress = \"127.0.0.1:{}\"\nfrisbee = \"frisbee\"\n\
                 [record]\ndirectory = \"runs\"\n[stream]\naddress = \"tcp://127.0.0.1:{stream}\"\n",
                ports + 3
            ),
        );
        write(
            "xp01.toml",
            "# The first.\nid = \"xp01\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\n\
             directory = \"devices\"\ncamera_width = 32\ncamera_height = 24\n"
                .into(),
        );
        let mut world = World { directory, ports, children: Vec::new() };
        let path = |name: &str| world.path(name);
        let (arena, hub, robot) = (path("arena.toml"), path("hub.toml"), path("xp01.toml"));
        world.serve("arena", &arena);
        world.serve("hub", &hub);
        let xpuckd = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
        let mut robot = {
            let mut command = Command::new(xpuckd);
            command.args(["--end-with-stdin", "--config"]).arg(robot);
            command
        };
        let robot = robot.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().expect("xpuckd is built");
        world.children.push(robot);
        world.stream_at(stream);
        world
    }

    fn stream_at(&mut self, port: u16) {
        std::fs::write(self.path("stream"), port.to_string()).unwrap();
    }

    fn stream(&self) -> String {
        format!("tcp://127.0.0.1:{}", std::fs::read_to_string(self.path("stream")).unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn serve(&mut self, what: &str, config: &Path) {
        let mut command = xpuck();
        command.args([what, "--end-with-stdin", "--config"]).arg(config).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        self.children.push(child);
        assert_eq!(line, "ready\n", "{what}");
    }

    fn get(&self, path: &str) -> (u16, String) {
        let (head, body) = self.get_as(path, "*/*");
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
    }

    /// The head and the body of what comes for this Accept header.
    fn get_as(&self, path: &str, accept: &str) -> (String, String) {
        let mut socket = TcpStream::connect(("127.0.0.1", self.ports + 2)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(socket, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {accept}\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_string(), body.to_string())
    }

    /// A metric's value.
    fn value(&self, name: &str) -> Option<f64> {
        let text = self.get("/metrics").1;
        let line = text.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))?;
        line.rsplit(' ').next()?.parse().ok()
    }

    fn xpuck(&self, arguments: &[&str]) -> Output {
        let hub = format!("tcp://127.0.0.1:{}", self.ports + 1);
        xpuck()
            .args(arguments)
            .env("XPUCK_HUB", hub)
            .env("XPUCK_DEV_MODE", "true")
            .current_dir(self.directory.path())
            .output()
            .unwrap()
    }
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "{what}: not within {} s", PATIENCE.as_secs());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_swarm_is_watched_and_changed_from_outside() {
    let world = World::start();
    until("xp01 is heard and tracked", || {
        let up = world.value("xpuck_robot_up{robot=\"xp01\"}");
        up == Some(1.0) && world.value("xpuck_mocap_tracking") == Some(1.0)
    });
    metrics_are_sound(&world);
    health_names_who_is_missing(&world);
    doctor_finds_the_same(&world);
    the_stream_tells_of_all(&world);
    settings_reach_the_robots_file(&world);
    a_flood_of_junk_holds_nobody_up(&world);
}

fn metrics_are_sound(world: &World) {
    until("power is told", || world.value("xpuck_robot_power_watts{robot=\"xp01\"}").is_some());
    let (head, text) = world.get_as("/metrics", "application/openmetrics-text; version=1.0.0, text/plain; q=0.5");
    assert!(head.contains(" 200 ") && head.contains("application/openmetrics-text"), "{head}");
    assert!(text.ends_with("# EOF\n"));
    let word = |line: &str, i: usize| line.split(' ').nth(i).unwrap().to_string();
    let helped: BTreeSet<String> = text.lines().filter(|l| l.starts_with("# HELP ")).map(|l| word(l, 2)).collect();
    let typed: BTreeSet<String> = text.lines().filter(|l| l.starts_with("# TYPE ")).map(|l| word(l, 2)).collect();
    assert_eq!(helped, typed);
    assert!(helped.len() > 30, "{helped:?}");
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        let name = name.split('{').next().unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
        let plain = ["_total", "_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        assert!(helped.contains(plain.unwrap_or(name)), "{line} has no HELP");
        assert!(name.starts_with("xpuck_") || name.starts_with("process_"), "{line}");
    }
    for robot in text.split("robot=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(["xp01", "xp02"].contains(&robot), "{robot} is not in the swarm file");
    }
    for known in ["xpuck_hub_turn_seconds_count", "xpuck_round_trip_seconds_count", "process_resident_memory_bytes"] {
        until(known, || world.value(known).is_some_and(|value| value > 0.0));
    }
    until("senses are sent", || world.value("xpuck_senses_sent_total").is_some_and(|n| n > 10.0));
    others_read_metrics(&text, helped.len());
    let (head, older) = world.get_as("/metrics", "*/*");
    assert!(head.contains(" 200 ") && head.contains("text/plain; version=0.0.4"), "{head}");
    prometheus_finds_no_fault(&older, &text);
}

/// Checks with Prometheus' own tool, where that is there.
fn prometheus_finds_no_fault(text: &str, open: &str) {
    let Ok(promtool) = std::env::var("XPUCK_PROMTOOL") else {
        return xpuck_testing::skipped("metrics are not checked by promtool (make deps-promtool)");
    };
    let check = |text: &str| {
        let mut check = Command::new(&promtool);
        let check =
            check.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = check.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    assert_eq!(check(text), (true, String::new()));
    let (sound, said) = check(open);
    assert!(!sound && said.contains("xpuck_senses_sent_total no help text"), "the other form passes too: {said}");
}

/// Reads with Prometheus' own parser in Python, where that is there.
fn others_read_metrics(text: &str, families: usize) {
    const CHECK: &str = "import sys\n\
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as read\n\
        found = list(read(sys.stdin.read()))\n\
        assert all(f.type != 'unknown' and f.documentation for f in found), [f.name for f in found]\n\
        print(len(found), any(s.labels.get('robot') == 'xp01' for f in found for s in f.samples))";
    let Ok(python) = std::env::var("XPUCK_RECORD_PYTHON") else {
        return xpuck_testing::skipped("metrics are not read from Python (make deps-record)");
    };
    let read = |text: &str| {
        let mut check = Command::new(&python);
        let check = check.args(["-c", CHECK]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = check.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let output = read(text);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{families} True\n"));
    for (from, to) in [("# EOF\n", ""), ("xpuck_senses_sent_total ", "xpuck_senses_sent "), (" counter\n", " \n")] {
        assert!(!read(&text.replacen(from, to, 1)).status.success(), "what is damaged passes too: {from:?}");
    }
}

fn health_names_who_is_missing(world: &World) {
    let (code, body) = world.get("/health");
    let health: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((code, health["ok"].as_bool(), body.lines().count()), (503, Some(false), 1), "{body}");
    assert!(body.contains("1 of 2 robots is not there: xp02"), "{body}");
}

fn doctor_finds_the_same(world: &World) {
    let output = world.xpuck(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let findings: Value = serde_json::from_slice(&output.stdout).unwrap();
    let verdict = |promise: &str| {
        let of = |f: &&Value| f["promise"] == promise;
        findings.as_array().unwrap().iter().find(of).unwrap_or_else(|| panic!("{promise}: {findings}"))["verdict"]
            .clone()
    };
    assert_eq!(verdict("the robots are there"), "broken");
    for kept in ["STOP is heard", "poses come", "links can be authenticated and encrypted", "all run the same release"]
    {
        assert_eq!(verdict(kept), "on", "{kept}: {findings}");
    }
    let text = String::from_utf8(world.xpuck(&["doctor"]).stdout).unwrap();
    assert!(text.contains("BROKEN  the robots are there: not heard: xp02; check") && !text.contains('\x1b'), "{text}");
    assert!(text.lines().all(|line| line.len() > 20), "a line each: {text}");
}

fn the_stream_tells_of_all(world: &World) {
    let context = zmq::Context::new();
    let socket = context.socket(zmq::SUB).unwrap();
    socket.set_rcvtimeo(PATIENCE.as_millis() as i32).unwrap();
    socket.set_subscribe(b"").unwrap();
    socket.connect(&world.stream()).unwrap();
    let (mut seen, mut last) = (BTreeSet::new(), std::collections::BTreeMap::new());
    while seen.len() < 3 || last.values().any(|n| *n < 5) {
        let parts = socket.recv_multipart(0).expect("the stream flows");
        let topic = String::from_utf8(parts[0].clone()).unwrap();
        let json: Value = serde_json::from_slice(&parts[1]).unwrap();
        let path: Vec<&str> = topic.split('/').collect();
        let inner =
            path.iter().try_fold(&json, |value, key| value.get(key)).unwrap_or_else(|| panic!("{topic} {json}"));
        match topic.as_str() {
            "telemetry/xp01" => assert!(inner["control"]["late_us"].is_u64()),
            "poses" => assert!(inner["xp01"]["x"].is_f64() && inner["frisbee"]["heading"].is_f64()),
            "status" => assert_eq!((&inner["phase"], &inner["alive"]), (&"idle".into(), &1.into())),
            other => panic!("{other}"),
        }
        assert!(json["timestamp"].as_f64().unwrap() > 1.6e9);
        let sequence = json["sequence"].as_u64().unwrap();
        assert!(last.get(&topic).is_none_or(|n| sequence == n + 1), "{topic}: a gap before {sequence}");
        last.insert(topic.clone(), sequence);
        seen.insert(topic);
    }
}

fn settings_reach_the_robots_file(world: &World) {
    let before = std::fs::read_to_string(world.path("xp01.toml")).unwrap();
    std::fs::write(world.path("new.toml"), "[calibration.drive]\nleft = 1.015\n").unwrap();
    let output = world.xpuck(&["push", "new.toml", "--robots", "xp01"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text, "xp01     accepted; now: calibration.drive.left\n");
    assert_eq!(std::fs::read_to_string(world.path("xp01.toml.old")).unwrap(), before);
    let now = std::fs::read_to_string(world.path("xp01.toml")).unwrap();
    assert!(now.starts_with("# The first.") && now.contains("left = 1.015"), "{now}");
    std::fs::write(world.path("new.toml"), "[calibration.drive]\nleft = 9.0\n").unwrap();
    let output = world.xpuck(&["push", "new.toml", "--robots", "all"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("xp01     refused: calibration.drive.left = 9") && text.contains("xp02     silent"),
        "{text}"
    );
    let stranger = world.xpuck(&["push", "new.toml", "--robots", "xp09"]);
    assert!(String::from_utf8_lossy(&stranger.stderr).contains("`xp09` is not in the swarm file"));
    let robots = String::from_utf8(world.xpuck(&["robots"]).stdout).unwrap();
    assert!(robots.contains(&format!("xp01     {}", env!("CARGO_PKG_VERSION"))), "{robots}");
}

/// One who sends junk as fast as the machine lets it, and messages that are too long, while xp02 counts its senses.
fn a_flood_of_junk_holds_nobody_up(world: &World) {
    let endpoint = format!("tcp://127.0.0.1:{}", world.ports);
    let sockets = Sockets::new();
    let robot = sockets.robot(&endpoint, "xp02").unwrap();
    let refused = || world.value("xpuck_messages_refused_total{reason=\"malformed\"}").unwrap();
    let too_long = || world.value("xpuck_messages_refused_total{reason=\"size\"}").unwrap();
    let stop = AtomicBool::new(false);
    let before = refused();
    let (senses, junk) = std::thread::scope(|scope| {
        let flood = scope.spawn(|| {
            let context = zmq::Context::new();
            let socket = context.socket(zmq::DEALER).unwrap();
            socket.set_linger(0).unwrap();
            socket.connect(&endpoint).unwrap();
            let (small, huge) = ([xpuck_wire::codec::VERSION, 0xc1, 7], vec![2; xpuck_wire::codec::MAX_BYTES + 1]);
            let mut sent = 0u64;
            while !stop.load(Ordering::Relaxed) {
                let bytes: &[u8] = if sent % 50_000 == 999 { &huge } else { &small };
                sent += u64::from(socket.send(bytes, zmq::DONTWAIT).is_ok());
            }
            sent
        });
        until("junk is refused", || refused() > before + 1000.0 && too_long() > 0.0);
        robot.send(&RobotMessage::Hello { version: "flooded".into(), session: 1, seen: (0, 0) });
        let (start, mut senses) = (Instant::now(), 0u32);
        until("senses keep coming", || {
            while let Some(message) = robot.receive::<Sealed>() {
                match message.unwrap().message {
                    ToRobot::Senses { .. } => senses += 1,
                    ToRobot::Ping { stamp } => drop(robot.send(&RobotMessage::Pong { stamp })),
                    _ => {}
                }
            }
            senses >= 100
        });
        stop.store(true, Ordering::Relaxed);
        (f64::from(senses) / start.elapsed().as_secs_f64(), flood.join().unwrap())
    });
    let refused = refused() - before;
    println!("{senses:.1} messages of senses a second, while {junk} pieces of junk were sent and {refused} refused");
    assert!(refused > 1000.0);
    let status: Value = serde_json::from_str(&world.get("/api/status").1).unwrap();
    let lines = status["events"].as_array().unwrap().iter().filter(|e| e.as_str().unwrap().contains("message refused"));
    assert!(lines.count() < 20, "a flood is told of in few lines: {status}");
}
