//! A hub, an arena and a robot's program, with their interfaces for other programs: metrics, health, doctor, the
//! stream, and settings pushed to the robot. In one test a peer floods the hub with invalid messages.

use crate::rig::{Layout, Swarm, free_ports, http, valid_json};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use xpuck_testing::patience;
use xpuck_testing::patience::wait_until;
use xpuck_wire::message::{RobotMessage, ToRobot};
use xpuck_wire::seal::Sealed;
use xpuck_wire::socket::Sockets;
use xpuck_wire::witness::LastDirectiveReport;

/// A swarm of xp01 and xp02 without keys. The program of xp01 runs, and xp02 is absent.
struct World {
    swarm: Swarm,
    /// Address at which the hub publishes its stream.
    stream: String,
}

impl World {
    fn start() -> World {
        let stream = format!("tcp://127.0.0.1:{}", free_ports());
        let layout = Layout { robots: &["xp01", "xp02"], keys: false, console: true, ..Layout::default() };
        let mut swarm = Swarm::new(&layout);
        swarm.folder.append("hub.toml", &format!("[stream]\naddress = \"{stream}\"\n"));
        swarm.folder.prepend("xp01.toml", "# The first.\n");
        swarm.start();
        World { swarm, stream }
    }

    fn get(&self, path: &str) -> (u16, String) {
        http::get(&self.swarm.folder.console(), path)
    }

    /// Sends a GET request to the console, with `accept` as the accepted type. Returns the head and the body of the
    /// answer.
    fn get_as(&self, path: &str, accept: &str) -> (String, String) {
        http::get_as(&self.swarm.folder.console(), path, accept)
    }

    /// Returns the value of a metric, or `None` if the hub does not have the metric.
    fn value(&self, name: &str) -> Option<f64> {
        http::metric(&self.swarm.folder.console(), name)
    }

    fn xpuck(&self, arguments: &[&str]) -> Output {
        crate::rig::xpuck()
            .args(arguments)
            .env("XPUCK_HUB", &self.swarm.folder.operator)
            .env("XPUCK_DEV_MODE", "true")
            .current_dir(self.swarm.folder.root())
            .output()
            .unwrap()
    }
}

#[test]
fn swarm_is_watched_and_configured_from_outside() {
    let world = World::start();
    wait_until("xp01 is heard and tracked", || {
        let up = world.value("xpuck_robot_up{robot=\"xp01\"}");
        up == Some(1.0) && world.value("xpuck_mocap_tracking") == Some(1.0)
    });
    metrics_are_valid(&world);
    health_names_absent_robots(&world);
    doctor_finds_absent_robots(&world);
    stream_has_all_topics(&world);
    settings_reach_the_file_of_the_robot(&world);
    flood_of_junk_delays_no_robot(&world);
}

fn metrics_are_valid(world: &World) {
    wait_until("power is told", || world.value("xpuck_robot_power_watts{robot=\"xp01\"}").is_some());
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
        wait_until(known, || world.value(known).is_some_and(|value| value > 0.0));
    }
    wait_until("senses are sent", || world.value("xpuck_senses_sent_total").is_some_and(|n| n > 10.0));
    metrics_pass_the_python_parser(&text, helped.len());
    let (head, older) = world.get_as("/metrics", "*/*");
    assert!(head.contains(" 200 ") && head.contains("text/plain; version=0.0.4"), "{head}");
    metrics_pass_promtool(&older, &text);
}

/// Checks the metrics `text` with Prometheus's `promtool`, if `XPUCK_PROMTOOL` is set. `open` contains the metrics in
/// the OpenMetrics format, which `promtool` must reject.
fn metrics_pass_promtool(text: &str, open: &str) {
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

/// Parses metrics with Prometheus's Python parser, if `XPUCK_RECORD_PYTHON` is set.
fn metrics_pass_the_python_parser(text: &str, families: usize) {
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

fn health_names_absent_robots(world: &World) {
    let (code, body) = world.get("/health");
    let health: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((code, health["ok"].as_bool(), body.lines().count()), (503, Some(false), 1), "{body}");
    assert!(body.contains("1 of 2 robots is not connected: xp02"), "{body}");
}

fn doctor_finds_absent_robots(world: &World) {
    let output = world.xpuck(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let findings = valid_json("doctor", &output.stdout);
    let verdict = |promise: &str| {
        let of = |f: &&Value| f["promise"] == promise;
        findings.as_array().unwrap().iter().find(of).unwrap_or_else(|| panic!("{promise}: {findings}"))["verdict"]
            .clone()
    };
    assert_eq!(verdict("all robots are connected"), "broken");
    for kept in
        ["STOP is heard", "poses are received", "links can be authenticated and encrypted", "all run the same release"]
    {
        assert_eq!(verdict(kept), "on", "{kept}: {findings}");
    }
    let text = String::from_utf8(world.xpuck(&["doctor"]).stdout).unwrap();
    assert!(
        text.contains("BROKEN  all robots are connected: not connected: xp02; check") && !text.contains('\x1b'),
        "{text}"
    );
    assert!(text.lines().all(|line| line.len() > 20), "a line each: {text}");
}

fn stream_has_all_topics(world: &World) {
    let context = zmq::Context::new();
    let socket = context.socket(zmq::SUB).unwrap();
    socket.set_rcvtimeo(patience().as_millis() as i32).unwrap();
    socket.set_subscribe(b"").unwrap();
    socket.connect(&world.stream).unwrap();
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

fn settings_reach_the_file_of_the_robot(world: &World) {
    let before = world.swarm.folder.read("xp01.toml");
    world.swarm.folder.write("new.toml", "[calibration.drive]\nleft = 1.015\n");
    let output = world.xpuck(&["robot", "push", "new.toml", "--robots", "xp01"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text, "xp01     accepted; now: calibration.drive.left\n");
    assert_eq!(world.swarm.folder.read("xp01.toml.old"), before);
    let now = world.swarm.folder.read("xp01.toml");
    assert!(now.starts_with("# The first.") && now.contains("left = 1.015"), "{now}");
    world.swarm.folder.write("new.toml", "[calibration.drive]\nleft = 9.0\n");
    let output = world.xpuck(&["robot", "push", "new.toml", "--robots", "all"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("xp01     refused: calibration.drive.left = 9") && text.contains("xp02     silent"),
        "{text}"
    );
    let stranger = world.xpuck(&["robot", "push", "new.toml", "--robots", "xp09"]);
    assert!(String::from_utf8_lossy(&stranger.stderr).contains("`xp09` is not in the swarm file"));
    let robots = String::from_utf8(world.xpuck(&["robots"]).stdout).unwrap();
    assert!(robots.contains(&format!("xp01     {}", env!("CARGO_PKG_VERSION"))), "{robots}");
}

/// A peer floods the hub with invalid and oversized messages. Meanwhile the test counts the messages with senses that
/// xp02 receives.
fn flood_of_junk_delays_no_robot(world: &World) {
    let endpoint = world.swarm.folder.robots();
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
        wait_until("junk is refused", || refused() > before + 1000.0 && too_long() > 0.0);
        robot.send(&RobotMessage::Hello {
            version: "flooded".into(),
            session: 1,
            seen: (0, 0),
            witness: LastDirectiveReport::default(),
        });
        let (start, mut senses) = (Instant::now(), 0u32);
        wait_until("senses keep coming", || {
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
