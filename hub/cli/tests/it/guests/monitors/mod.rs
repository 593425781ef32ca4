//! Viewers, trainers and agents of RoboCup, connected over TCP to a virtual arena, a hub and a record.

mod agent;
mod attack;
mod body;
mod plain;
mod swarm;

use crate::rig::{Folder, Layout, Process, free_ports, xpuck};
use agent::{Agent, after};
use plain::Monitor;
use serde_json::Value;
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;
use xpuck_arena::{Arena, Settings};
use xpuck_testing::patience;
use xpuck_testing::patience::{scaled, wait_within};

/// A virtual arena as a process.
struct Served {
    arena: Process,
    /// Addresses of the services, in the order in which the arena prints them.
    places: Vec<SocketAddr>,
    folder: Folder,
}

impl Served {
    /// Starts an arena and waits until it is ready. `keys` is appended to its configuration file.
    fn start(robots: usize, speed: f64, keys: &str) -> Served {
        let ids: Vec<String> = (1..=robots).map(|i| format!("xp{i:02}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let folder = Folder::new(&Layout { robots: &ids, speed, keys: false, ..Layout::default() });
        folder.replace("arena.toml", &folder.mocap(), "127.0.0.1:0");
        folder.append("arena.toml", keys);
        let mut command = xpuck();
        command.args(["serve", "arena", "--end-with-stdin", "--config"]).arg(folder.path("arena.toml"));
        let (arena, lines) = Process::serve(&mut command, folder.path("arena.log"));
        let place = |line: &String| line.rsplit_once(" at ").unwrap_or_else(|| panic!("{line}")).1.parse().unwrap();
        let places = lines.iter().map(place).collect();
        Served { arena, places, folder }
    }

    /// Ends the arena. Returns the timing that it prints, and its log.
    fn end(self) -> (Value, String) {
        (self.arena.end_with_counts(), self.folder.read("arena.log"))
    }
}

const BOTH: &str = "[viewers]\nsimspark = \"127.0.0.1:0\"\nrsmp = \"127.0.0.1:0\"\ntrainers = true\n";

#[test]
fn client_sees_robots_where_the_arena_has_them() {
    let served = Served::start(13, 1.0, BOTH);
    // The true poses come from a second arena with the same settings. The robots of both arenas stay at their start
    // poses, because nothing drives them.
    let usual = Settings::with_defaults(13, "/nonexistent");
    let scenario = xpuck_kernels::world::Scenario::B;
    let truth = Arena::new(&Settings { seed: 12, scenario, ..usual }).unwrap();
    let mut monitor = Monitor::connect(served.places[0]);
    monitor.until("scenes come", |monitor| monitor.scenes[1] > 10);
    assert_eq!(monitor.scenes[0], 1, "one full scene, then changes");
    let robots = monitor.robots();
    assert_eq!(robots.len(), 13);
    for (i, (side, number, at, heading)) in robots.into_iter().enumerate() {
        assert_eq!((side, number), if i < 11 { ('l', i as u32 + 1) } else { ('r', i as u32 - 10) });
        let pose = truth.bodies()[i].pose;
        let away = (at[0] - f64::from(pose.at.x)).hypot(at[1] - f64::from(pose.at.y));
        let turned = (heading - f64::from(pose.heading)).sin().abs();
        assert!(away < 1e-4 && turned < 1e-4, "robot {i}: {away} {turned}");
    }
    let ball = truth.bodies()[13].pose.at;
    let seen = monitor.ball().unwrap();
    assert!((seen[0] - f64::from(ball.x)).abs() < 1e-4 && (seen[1] - f64::from(ball.y)).abs() < 1e-4);
    assert!((monitor.value("FieldLength") - 2.0).abs() < 1e-6 && (monitor.value("FieldWidth") - 1.5).abs() < 1e-6);
    // The server sends 25 messages per second of arena time.
    let (count, time) = (monitor.scenes[1], monitor.value("time"));
    monitor.until("two seconds pass", |monitor| monitor.value("time") > time + 2.0);
    let rate = f64::from(monitor.scenes[1] - count) / (monitor.value("time") - time);
    assert!((20.0..27.0).contains(&rate), "{rate} a second");
}

#[test]
fn trainers_act_only_on_an_arena_that_allows_them() {
    let served = Served::start(3, 1.0, BOTH);
    let mut trainer = Monitor::connect(served.places[0]);
    trainer.send("(agent (team Left)(unum 2)(move 0.4 0.3 0 90))((ball (pos -0.5 0.2 0)(vel 0 0 0))(getAck moved))");
    trainer.until("the answer", |monitor| monitor.acks == ["moved"]);
    let near = |a: f64, b: f64| (a - b).abs() < 0.006;
    let placed = |monitor: &Monitor| {
        let (_, _, at, heading) = monitor.robot('l', 2).unwrap();
        near(at[0], 0.4) && near(at[1], 0.3) && near(heading, std::f64::consts::FRAC_PI_2)
    };
    trainer.until("the robot is there", placed);
    let ball = trainer.ball().unwrap();
    assert!(near(ball[0], -0.5) && near(ball[1], 0.2), "{ball:?}");
    // The killed robot disappears, and the server sends a full scene.
    let full = trainer.scenes[0];
    trainer.send("(playMode GameOver)(nonsense)(kill (unum 3)(team Left))(getAck killed)");
    trainer.until("it is gone", |monitor| monitor.robots().len() == 2 && monitor.acks.len() == 2);
    assert_eq!(trainer.scenes[0], full + 1);
    trainer.send("(reqfullstate)");
    trainer.until("a whole scene", |monitor| monitor.scenes[0] == full + 2);
    let (_, log) = served.end();
    assert!(log.contains("signed requests") && log.contains("unknown command `nonsense`"), "{log}");

    let served = Served::start(1, 1.0, "[viewers]\nsimspark = \"127.0.0.1:0\"\n");
    let mut trainer = Monitor::connect(served.places[0]);
    trainer.until("scenes", |monitor| monitor.scenes[1] > 0);
    let before = trainer.robots();
    trainer.send("(agent (team Left)(unum 1)(pos 0.4 0.3 0))(getAck moved)");
    trainer.until("time passes", |monitor| monitor.value("time") > 2.0);
    assert!(trainer.acks.is_empty() && trainer.robots() == before);
    assert!(served.end().1.contains("`viewers.trainers` in the arena's file is false"));
}

#[test]
fn agent_of_simspark_finds_the_frisbee() {
    let keys = format!("{BOTH}[agents]\naddress = \"127.0.0.1:0\"\nsync = true\n");
    let served = Served::start(2, 100.0, &keys);
    let [monitors, _, agents] = served.places[..] else { panic!("{:?}", served.places) };
    let mut agent = Agent::connect(agents);
    agent.say("(scene rsg/agent/nao/nao.rsg)");
    let first = agent.hear();
    assert!(first.contains("(time (now") && first.contains("(GS ") && !first.contains("(HJ"), "{first}");
    agent.say("(init (unum 0)(teamname Foo))");
    let joined = std::iter::repeat_with(|| agent.hear()).find(|told| told.contains("(unum 1) (team left)")).unwrap();
    for perceptor in ["(GYR (n torso) (rt ", "(ACC (n torso) (a ", "(HJ (n lw) (ax ", "(TCH n ps0 val "] {
        assert!(joined.contains(perceptor), "{joined}");
    }
    agent.say("(beam 0.6 0.3 0)(say hello)(leds 0 1 0)(syn)");
    let heard = std::iter::repeat_with(|| {
        let told = agent.hear();
        agent.say("(syn)");
        told
    });
    // The agent hears its own word `hello`. The word may come much later, because earlier messages are still queued.
    assert!(heard.take(50_000).any(|told| told.contains(" self hello)")), "it hears itself");
    let mut trainer = Monitor::connect(monitors);
    trainer.send("(ball (pos -0.4 -0.2 0)(vel 0 0 0))(getAck there)");
    let (mut nearest, mut cycles) = (f64::INFINITY, 0);
    while nearest > 0.16 {
        nearest = agent.cycle().unwrap_or(nearest);
        cycles += 1;
        assert!(cycles < 8000, "after {cycles} cycles it is {nearest} m away");
    }
    trainer.until("the robot is at the ball", |monitor| {
        let (Some(ball), Some((.., at, _))) = (monitor.ball(), monitor.robot('l', 1)) else { return false };
        monitor.acks == ["there"] && (ball[0] - at[0]).hypot(ball[1] - at[1]) < 0.18
    });
    // The agent has not answered the latest message. The arena waits for the answer only for a short time, so another
    // message arrives.
    let told = agent.hear();
    assert!(after(&told, "(GYR (n torso) (rt ").is_some_and(|rates| rates.len() == 3), "{told}");
    drop(agent);
    let (timing, log) = served.end();
    assert!(timing["arena_seconds"].as_f64().unwrap() > 1.0);
    assert!(log.contains("agent 1 of team Foo drives robot 1") && log.contains("it closed the connection"), "{log}");
}

/// Runs a command that must succeed. Returns its standard output.
fn said(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn watch(server: SocketAddr, more: &[&str]) -> String {
    said(xpuck().args(["dev", "watch"]).arg(server.to_string()).args(more))
}

#[test]
fn our_servers_are_watched_in_both_protocols() {
    let served = Served::start(2, 1.0, BOTH);
    for (place, protocol) in served.places.iter().zip(["simspark", "rsmp"]) {
        let lines = watch(*place, &["--json", "--seconds", "1"]);
        let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        assert_eq!(
            (last["protocol"].as_str(), last["robots"].as_array().unwrap().len()),
            (Some(protocol), 2),
            "{last}"
        );
        assert!(last["ball"].is_array() && last["play_mode"].is_string(), "{last}");
        let svg = served.folder.path("scene.svg");
        watch(*place, &["--svg", svg.to_str().unwrap()]);
        let svg = std::fs::read_to_string(svg).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        assert!(document.descendants().filter(|node| node.has_tag_name("circle")).count() >= 3, "{svg}");
        let line = watch(*place, &["--seconds", "0.5"]);
        assert!(line.contains(" s, ") && line.contains("2 robots, ball at"), "{line}");
    }
    let wrong =
        xpuck().args(["dev", "watch"]).arg(served.places[0].to_string()).args(["--protocol", "rsmp"]).output().unwrap();
    let error = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && error.lines().count() == 1 && error.contains("--protocol"), "{error}");
    let nobody = xpuck().args(["dev", "watch", "127.0.0.1:1"]).output().unwrap();
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("127.0.0.1:1: "), "{nobody:?}");
}

#[test]
fn rsmp_server_of_robocup_is_watched() {
    let Some(program) = std::env::var_os("XPUCK_RSMP_SERVER") else {
        return xpuck_testing::skipped("XPUCK_RSMP_SERVER is not set (make deps-rsmp)");
    };
    let ports = free_ports();
    let mut server = Command::new(program);
    server.args(["--no-render", "--realtime", "--host", "127.0.0.1"]);
    server.args(["--aport", &ports.to_string(), "--mport", &(ports + 1).to_string()]);
    // The server writes log files to its current folder.
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::start(server.current_dir(folder.path()), folder.path().join("server.log"));
    let agents: SocketAddr = ([127, 0, 0, 1], ports).into();
    let place: SocketAddr = ([127, 0, 0, 1], ports + 1).into();
    // The server accepts connections before its simulation runs. The first scene for a monitor proves that the
    // simulation runs.
    let scene = || {
        assert!(!server.has_ended(), "rcssservermj ended: {}", server.log());
        let mut monitor = TcpStream::connect(place).ok()?;
        monitor.set_read_timeout(Some(patience())).unwrap();
        monitor.read_exact(&mut [0; 4]).ok()
    };
    wait_within(3 * patience(), scene, || "the first scene of rcssservermj".into());
    // The agent joins in the same way as the server's own agents. On a slow machine the server takes long to add the
    // agent's robot to the physics. Therefore the agent waits for a message. It connects again if the server closes the
    // connection.
    let join = || {
        let mut agent = Agent::try_connect(agents).ok()?;
        agent.try_say("(init T1 Xpuck 3)").ok()?;
        agent.try_hear().ok().filter(|text| !text.is_empty()).map(|_| agent)
    };
    let _agent = wait_within(3 * patience(), join, || "rcssservermj accepts an agent".into());
    let seconds = scaled(Duration::from_secs(2)).as_secs_f64().to_string();
    let lines = watch(place, &["--json", "--seconds", &seconds]);
    let svg = tempfile::NamedTempFile::new().unwrap();
    watch(place, &["--svg", svg.path().to_str().unwrap()]);
    server.kill();
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert!(lines.lines().count() > 10 && last["protocol"] == "rsmp" && last["ball"].is_array(), "{last}");
    assert!(last["field"][0].as_f64().unwrap() > 10.0 && last["play_mode"].is_string(), "{last}");
    let robot = &last["robots"][0];
    assert!(robot["team"] == "Xpuck" && robot["number"] == 3 && robot["x"].is_number(), "{last}");
    let svg = std::fs::read_to_string(svg.path()).unwrap();
    assert!(roxmltree::Document::parse(&svg).is_ok() && svg.matches('\n').count() > 10, "{svg}");
}
